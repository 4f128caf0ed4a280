"""Which sentences of a message may end something: by a hint in their words, or by the reader's grade."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from snapshots.extraction.observe import matching_form
from snapshots.understanding.changes.pairs import Sentence
from snapshots.understanding.changes.words import may_change
from snapshots.understanding.config import CHANGES, ChangePolicy
from snapshots.understanding.grading.features import Spoken
from snapshots.understanding.grading.reader import Grade


@dataclass(frozen=True, slots=True)
class Changing:
    """A sentence of a message that may end something: characters ``start`` to ``end``."""

    sentence: Sentence
    start: int
    end: int


def changing_sentences(spoken: Spoken, grades: Sequence[Grade], policy: ChangePolicy = CHANGES) -> list[Changing]:
    """Return the sentences of a message that may end something, in order, each with what was said just before it."""
    return list(_changing(spoken, grades, policy))[: policy.sentences]


def _changing(spoken: Spoken, grades: Sequence[Grade], policy: ChangePolicy) -> Iterator[Changing]:
    before = spoken.asked
    pairs = zip(spoken.clauses, grades, strict=False)
    for _, group in groupby(pairs, key=lambda pair: pair[0].sentence):
        parts = list(group)
        start, end = parts[0][0].start, parts[-1][0].end
        text = spoken.text[start:end]
        change = max(grade.change for _, grade in parts)
        asked = any(clause.asked for clause, _ in parts)
        if not asked and (may_change(matching_form(text)) or change >= policy.change_from):
            yield Changing(Sentence(text, before, change), start, end)
        before = text

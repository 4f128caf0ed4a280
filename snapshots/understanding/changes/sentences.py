"""The sentences of a message that may end a note, by a cue or by their grade, and those that may repeat one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

from snapshots.understanding.changes.pairs import Sentence
from snapshots.understanding.changes.words import may_change
from snapshots.understanding.config import CHANGES, NOTING, ChangePolicy
from snapshots.understanding.grading.features import Spoken
from snapshots.understanding.grading.reader import Grade
from snapshots.understanding.reading.forms import matching_form


@dataclass(frozen=True, slots=True)
class Changing:
    """Characters ``start`` to ``end`` of a message, which may end a note."""

    sentence: Sentence
    start: int
    end: int


def changing_sentences(
    spoken: Spoken, grades: Sequence[Grade], policy: ChangePolicy = CHANGES, *, lasting: bool = False
) -> list[Changing]:
    """Return the sentences of a message that may end something, in order, each with the words just before it; with
    ``lasting`` also those that say something lasting."""
    found = (
        one
        for one, lasts in told_sentences(spoken, grades)
        if (lasting and lasts >= NOTING.held_from)
        or one.sentence.change >= policy.change_from
        or may_change(matching_form(one.sentence.text))
    )
    return list(islice(found, policy.sentences))


def told_sentences(spoken: Spoken, grades: Sequence[Grade]) -> Iterator[tuple[Changing, float]]:
    before = spoken.asked
    pairs = zip(spoken.clauses, grades, strict=False)
    for _, group in groupby(pairs, key=lambda pair: pair[0].sentence):
        parts = list(group)
        start, end = parts[0][0].start, parts[-1][0].end
        text = spoken.text[start:end]
        change = max(grade.change for _, grade in parts)
        other = min(grade.other for _, grade in parts)
        if not any(clause.asked for clause, _ in parts):
            lasts = max(grade.lasting for _, grade in parts)
            yield Changing(Sentence(text, before, change, other), start, end), lasts
        before = text

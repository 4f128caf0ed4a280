"""The sentences of a message that may end a note, by a cue or by their grade, and those that may repeat one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

from snapshots.understanding.changes.change_words import has_change_cue
from snapshots.understanding.changes.sentence_note_features import SaidSentence
from snapshots.understanding.config import CHANGES, NOTING, ChangeConfig
from snapshots.understanding.grading.clause_classifier import ClauseGrade
from snapshots.understanding.grading.clause_features import SpokenMessage
from snapshots.understanding.reading.text_folding import fold_for_matching


@dataclass(frozen=True, slots=True)
class ChangingSentence:
    """Characters ``start`` to ``end`` of a message, which may end a note."""

    sentence: SaidSentence
    start: int
    end: int


def find_changing_sentences(
    message: SpokenMessage, grades: Sequence[ClauseGrade], config: ChangeConfig = CHANGES, *, lasting: bool = False
) -> list[ChangingSentence]:
    """Return the sentences of a message that may end something, in order, each with the words just before it; with
    ``lasting`` also those that say something lasting."""
    found = (
        one
        for one, lasts in list_sentences_with_grades(message, grades)
        if (lasting and lasts >= NOTING.held_from)
        or one.sentence.change >= config.change_from
        or has_change_cue(fold_for_matching(one.sentence.text))
    )
    return list(islice(found, config.sentences))


def list_sentences_with_grades(
    message: SpokenMessage, grades: Sequence[ClauseGrade]
) -> Iterator[tuple[ChangingSentence, float]]:
    before = message.question
    pairs = zip(message.clauses, grades, strict=False)
    for _, group in groupby(pairs, key=lambda pair: pair[0].sentence):
        parts = list(group)
        start, end = parts[0][0].start, parts[-1][0].end
        text = message.text[start:end]
        change = max(grade.change for _, grade in parts)
        other = min(grade.other for _, grade in parts)
        if not any(clause.in_question for clause, _ in parts):
            lasts = max(grade.lasting for _, grade in parts)
            yield ChangingSentence(SaidSentence(text, before, change, other), start, end), lasts
        before = text

"""Grade and vital class of notes that somebody wrote by hand."""

from itertools import pairwise

from memory_platform.observability.logs import Event, log
from memory_platform.providers.contracts import EmbeddingUnavailable
from snapshots.models import NoteGrade
from snapshots.notes.values import VitalInstruction
from snapshots.understanding.config import NOTING, NotingConfig
from snapshots.understanding.grading.clause_classifier import grade_messages
from snapshots.understanding.grading.clause_cues import find_vital_cues, says_from_now_on
from snapshots.understanding.grading.clause_features import SpokenMessage
from snapshots.understanding.reading.clauses import split_clauses
from snapshots.understanding.reading.planted_instruction_classifier import is_instruction
from snapshots.understanding.reading.text_folding import fold_for_matching
from snapshots.understanding.reading.vital_words import instructs_model
from snapshots.understanding.reading.web_addresses import has_link


def grade_posted_note(text: str, config: NotingConfig = NOTING) -> NoteGrade:
    """Return the lasting grade of the clause that most surely lasts; of words in which nothing does, a fact: who writes
    a note wants it kept. Embeds: no transaction may be open. Without the encoder's files everything is a fact."""
    spoken = SpokenMessage(text, tuple(split_clauses(text)[: config.graded_clauses]))
    try:
        (grades,) = grade_messages([spoken])
    except EmbeddingUnavailable as missing:
        log(Event.EXTRACTION_DEGRADED, messages=1, error=type(missing).__name__)
        return NoteGrade.FACT
    lasting = [
        grade
        for clause, grade in zip(spoken.clauses, grades, strict=True)
        if grade.lasting >= config.held_from or says_from_now_on(fold_for_matching(clause.text))
    ]
    return NoteGrade(max(lasting, key=lambda one: one.lasting).kind) if lasting else NoteGrade.FACT


def suggest_vital_class(text: str) -> str:
    """Return the class of the first cue in ``text``; "" if ``text`` has no cue. Raises VitalInstruction."""
    form = fold_for_matching(text)
    clauses = [fold_for_matching(clause.text) for clause in split_clauses(text)]
    leads = any(instructs_model(clause, before) for before, clause in pairwise(("", *clauses)))
    if leads or has_link(text) or is_instruction(form):
        raise VitalInstruction
    return next(iter(find_vital_cues(form)), "")

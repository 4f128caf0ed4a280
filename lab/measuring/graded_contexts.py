"""The context of a message for rows of slots that need the grades of its clauses."""

from snapshots.understanding.grading.clause_classifier import grade_messages, list_graded_spans
from snapshots.understanding.grading.clause_features import SpokenMessage, find_question
from snapshots.understanding.reading.clauses import split_clauses
from snapshots.understanding.values import ExtractionContext


def graded_context(text: str, previous: str | None = None) -> ExtractionContext:
    """Return the context of a message that a worker reads alone, after the assistant's turn before it."""
    spoken = SpokenMessage(text, tuple(split_clauses(text)), find_question(previous or ""))
    (grades,) = grade_messages([spoken])
    return ExtractionContext(previous=previous, graded=list_graded_spans(spoken, grades))

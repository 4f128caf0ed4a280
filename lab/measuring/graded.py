"""The context of a message for rows of slots that need the grades of its clauses."""

from snapshots.understanding.grading.features import Spoken, asked_in
from snapshots.understanding.grading.reader import grade_messages, graded_spans
from snapshots.understanding.reading.clauses import split_clauses
from snapshots.understanding.values import ExtractionContext


def graded_context(text: str, previous: str | None = None) -> ExtractionContext:
    """Return the context of a message that a worker reads alone, after the assistant's turn before it."""
    spoken = Spoken(text, tuple(split_clauses(text)), asked_in(previous or ""))
    (grades,) = grade_messages([spoken])
    return ExtractionContext(previous=previous, graded=graded_spans(spoken, grades))

"""What rows that need a grade know beside a text: how the reader of clauses grades its clauses."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_platform.settings")
django.setup()

from snapshots.understanding.grading.features import Spoken, asked_in  # noqa: E402 -- its values name models
from snapshots.understanding.grading.reader import grade_messages, graded_spans  # noqa: E402
from snapshots.understanding.reading.clauses import split_clauses  # noqa: E402
from snapshots.understanding.values import ExtractionContext  # noqa: E402


def graded_context(text: str, previous: str | None = None) -> ExtractionContext:
    """Return the context of a message that a worker reads alone, after the assistant's turn before it."""
    spoken = Spoken(text, tuple(split_clauses(text)), asked_in(previous or ""))
    (grades,) = grade_messages([spoken])
    return ExtractionContext(previous=previous, graded=graded_spans(spoken, grades))

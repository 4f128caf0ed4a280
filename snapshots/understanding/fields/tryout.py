"""Try a text on fields: the clauses that last, the notes they make, and the field that each note would fill.

Nothing is stored. Notes are made by the same code as real ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from snapshots.models import Message, MessageRole
from snapshots.understanding.drafting.draft import NoteDraft, note_drafts, spoken_of
from snapshots.understanding.fields.fill import confidence_of, may_fill
from snapshots.understanding.fields.matching import FieldFit, fit_notes
from snapshots.understanding.fields.section import Asked
from snapshots.understanding.grading.orders import without_orders
from snapshots.understanding.grading.reader import grade_messages
from snapshots.understanding.statements.statements import Heard

NOBODY = UUID(int=0)
# A note with masked words fills no field.
MASKED = "sensitive"


@dataclass(frozen=True, slots=True)
class TriedClause:
    """One clause: the probability that it lasts, and the number of its note; None for none."""

    text: str
    lasting: float
    note: int | None


@dataclass(frozen=True, slots=True)
class TriedNote:
    """One note and how it matches the fields. ``confidence`` is that of the value that it would write."""

    text: str
    fit: FieldFit
    confidence: float | None


@dataclass(frozen=True, slots=True)
class Tried:
    """The clauses and notes of a tried text."""

    clauses: Sequence[TriedClause]
    notes: Sequence[TriedNote]


def try_fields(text: str, asked: Asked) -> Tried:
    """Return the clauses, notes and fields of ``text``, as if a user had said it. No transaction may be open. Raises
    EmbeddingUnavailable."""
    heard = Heard(_message(text), None)
    (spoken,) = without_orders([spoken_of(heard, frozenset())])
    (grades,) = grade_messages([spoken])
    drafts = note_drafts(heard, spoken, grades)
    clauses = [
        TriedClause(clause.text, round(grade.lasting, 2), _note_of(clause.start, drafts))
        for clause, grade in zip(spoken.clauses, grades, strict=True)
    ]
    fits = fit_notes([draft.snapshot.text for draft in drafts], asked)
    return Tried(clauses, [_tried(draft, fit) for draft, fit in zip(drafts, fits, strict=True)])


def _message(text: str) -> Message:
    owner = {"tenant_id": NOBODY, "subject_id": NOBODY, "conversation_id": NOBODY}
    return Message(id=new_id(), role=MessageRole.USER, content=text, said_at=utc_now(), seq=1, **owner)


def _tried(draft: NoteDraft, fit: FieldFit) -> TriedNote:
    if not may_fill(draft):
        return TriedNote(draft.snapshot.text, FieldFit(fit.scores, why_not=MASKED), None)
    return TriedNote(draft.snapshot.text, fit, confidence_of(fit, draft.snapshot.confidence) if fit.field else None)


def _note_of(start: int, drafts: Sequence[NoteDraft]) -> int | None:
    return next((place for place, draft in enumerate(drafts) if draft.overlaps(start, start + 1)), None)

"""Try a text on fields: the clauses that last, the notes they make, and the field that each note would fill.

Nothing is stored. Notes are made by the same code as real ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from snapshots.models import Message, MessageRole
from snapshots.understanding.drafting.note_drafts import NoteDraft, build_spoken_message, draft_message_notes
from snapshots.understanding.fields.field_matching import FieldMatch, match_notes
from snapshots.understanding.fields.fill_tenant_fields import compute_value_confidence, may_fill_field
from snapshots.understanding.fields.requested_fields import RequestedFields
from snapshots.understanding.grading.clause_classifier import grade_messages
from snapshots.understanding.grading.planted_instruction_filter import drop_instructions
from snapshots.understanding.statements.statements import HeardMessage

NO_OWNER = UUID(int=0)
# A note with masked words fills no field.
MASKED = "sensitive"


@dataclass(frozen=True, slots=True)
class TriedClause:
    """One clause: the probability that it lasts, and the number of its note; None without a note."""

    text: str
    lasting: float
    note: int | None


@dataclass(frozen=True, slots=True)
class TriedNote:
    """One note and how it matches the fields. ``confidence`` is that of the value that it would write."""

    text: str
    fit: FieldMatch
    confidence: float | None


@dataclass(frozen=True, slots=True)
class FieldTryout:
    """The clauses and notes of a tried text."""

    clauses: Sequence[TriedClause]
    notes: Sequence[TriedNote]


def try_fields(text: str, requested_fields: RequestedFields) -> FieldTryout:
    """Return the clauses, notes and fields of ``text``, as if a user had said it. No transaction may be open. Raises
    EmbeddingUnavailable."""
    owner = {"tenant_id": NO_OWNER, "subject_id": NO_OWNER, "conversation_id": NO_OWNER}
    message = Message(id=new_id(), role=MessageRole.USER, content=text, said_at=utc_now(), seq=1, **owner)
    heard = HeardMessage(message, None)
    (spoken,) = drop_instructions([build_spoken_message(heard, frozenset())])
    (grades,) = grade_messages([spoken])
    drafts = draft_message_notes(heard, spoken, grades)
    clauses = [
        TriedClause(
            clause.text,
            round(grade.lasting, 2),
            next((at for at, draft in enumerate(drafts) if draft.overlaps(clause.start, clause.start + 1)), None),
        )
        for clause, grade in zip(spoken.clauses, grades, strict=True)
    ]
    fits = match_notes([draft.snapshot.text for draft in drafts], requested_fields)
    return FieldTryout(clauses, [_build_tried_note(draft, fit) for draft, fit in zip(drafts, fits, strict=True)])


def _build_tried_note(draft: NoteDraft, fit: FieldMatch) -> TriedNote:
    if not may_fill_field(draft):
        return TriedNote(draft.snapshot.text, FieldMatch(fit.scores, why_not=MASKED), None)
    return TriedNote(
        draft.snapshot.text, fit, compute_value_confidence(fit, draft.snapshot.confidence) if fit.field else None
    )

"""Notes that support staff type for a person: through the gate of every note, with an act that can be undone."""

from dataclasses import replace
from uuid import UUID

from memory_platform.kernel.errors import Conflict
from memory_platform.kernel.ids import stable_id
from profiles.models import Subject
from profiles.provenance_and_verdict import Provenance, Verdict
from snapshots.embedding.embedding_spaces import Embedders
from snapshots.embedding.snapshot_drafts import MaskText
from snapshots.lifecycle.staff_actions.memory_actions import ActContext, record_act_with_audit
from snapshots.models import ActVerb, Message, Snapshot, SnapshotSource
from snapshots.notes.handwritten_notes import create_note, prepare_note
from snapshots.notes.values import FindRepeated, NewNote, NoteOffer, ReadGrade, Suggest, VitalInstruction


class NoteKnown(Conflict):
    """A current note of the subject says the same. HTTP 409. ``note_id`` is its snapshot's id."""

    code = "note_known"

    def __init__(self, note_id: UUID) -> None:
        super().__init__("A current note says the same.")
        self.note_id = note_id


def prepare_staff_note(
    new: NewNote, embedders: Embedders, *, mask: MaskText, suggest: Suggest, read_grade: ReadGrade
) -> NoteOffer:
    """Index and embed a note that staff typed; without a vital class, with that of its words. No transaction may be
    open. Raises VitalInstruction for a class that the words must not have."""
    vital_class = _read_vital_class(new.text, suggest) if new.vital_class is None else new.vital_class
    known = replace(new, vital_class=vital_class, provenance=Provenance.CORRECTED_BY_STAFF.value)
    return prepare_note(known, embedders, mask=mask, suggest=suggest, read_grade=read_grade)


def add_staff_note(
    subject: Subject,
    offer: NoteOffer,
    doing: ActContext,
    *,
    find_repeated: FindRepeated,
    message: Message | None = None,
) -> Snapshot:
    """Store a note in the open scope, with one audit record; return its snapshot. ``message`` is where it was said.
    Raises NoteKnown, ForgottenMemory."""
    written = create_note(subject, offer, by=None, find_repeated=find_repeated)
    snapshot = written.sourced.snapshot
    if written.verdict is not Verdict.STORED:
        raise NoteKnown(snapshot.id)
    if message is not None:
        SnapshotSource.objects.create(
            id=stable_id("source", snapshot.id, message.id),
            subject_id=subject.id,
            memory_id=snapshot.id,
            message_id=message.id,
        )
    record_act_with_audit(snapshot, ActVerb.ADDED, doing)
    return snapshot


def _read_vital_class(text: str, suggest: Suggest) -> str:
    try:
        return suggest(text)
    except VitalInstruction:
        return ""

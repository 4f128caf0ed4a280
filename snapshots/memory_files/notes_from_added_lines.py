"""Lines that a model adds to a view of memory: each goes through the gate and becomes a note."""

from collections.abc import Sequence
from uuid import UUID

from profiles.provenance_and_verdict import Provenance
from profiles.selectors import find_subject
from profiles.services.subjects import ensure_subject
from profiles.services.tombstones import ForgottenMemory
from snapshots.embedding.embedding_spaces import Embedders
from snapshots.memory_files.command_types import CommandRefused, Edit
from snapshots.memory_files.commands import edit_text
from snapshots.memory_files.gate import check_file_lines
from snapshots.memory_files.generated_files import find_added_lines, make_generated_file
from snapshots.memory_files.paths import NOTES, normalise_path
from snapshots.notes.handwritten_notes import create_note, prepare_note
from snapshots.notes.values import NewNote, NoteOffer, VitalInstruction
from snapshots.sensitive.detector import is_sensitive, mask_sensitive
from snapshots.understanding.drafting.repeated_notes import find_repeated_text
from snapshots.understanding.grading.handwritten_note_grade import grade_posted_note, suggest_vital_class
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor, record_audit


def prepare_notes_of_added_lines(
    tenant_id: UUID, subject_id: str, command: Edit, embedders: Embedders
) -> list[NoteOffer]:
    """Return the notes that an edit of a view makes. Opens a scope of its own. Raises CommandRefused."""
    with tenant_tx(tenant_id):
        subject = find_subject(subject_id)
        before = make_generated_file(normalise_path(command.path), subject).text
        lines = find_added_lines(before, edit_text(command, before)[0])
        check_file_lines(subject, lines)
    if any(map(is_sensitive, lines)):
        raise CommandRefused(
            "Nothing was stored: a line has a card or identity number or a secret. Leave it out, and try again."
        )
    return [_prepare_note(line, embedders) for line in lines]


def store_notes_of_added_lines(
    subject_id: str, command: Edit, offers: Sequence[NoteOffer], by: Actor
) -> tuple[str, UUID]:
    """Store the notes in the open scope; return the answer and the person's row. Raises CommandRefused."""
    subject = ensure_subject(subject_id)
    for offer in offers:
        try:
            written = create_note(subject, offer, by=by, find_repeated=find_repeated_text)
        except ForgottenMemory:
            raise CommandRefused("Nothing was stored: the person had something of it forgotten.") from None
        note_id = str(written.sourced.snapshot.id)
        record_audit(by, "memory_file.said", object_kind="note", object_id=note_id, subject_ref=subject.id)
    return f"The file {command.path} has been edited. What was added is kept as notes, in {NOTES}.", subject.id


def _prepare_note(line: str, embedders: Embedders) -> NoteOffer:
    new = NewNote(line, provenance=Provenance.ANALYSIS)
    try:
        return prepare_note(
            new, embedders, mask=mask_sensitive, suggest=suggest_vital_class, read_grade=grade_posted_note
        )
    except VitalInstruction:
        raise CommandRefused(
            "Nothing was stored: a line instructs the model. Write what is so, as a fact about the person."
        ) from None

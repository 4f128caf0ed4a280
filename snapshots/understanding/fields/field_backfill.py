"""Fill fields from notes that are older than the fields.

Safe to repeat and to stop: a value that a message filled once has its record and stays.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from profiles.models import Subject
from profiles.selectors import load_own_names
from profiles.services.subject_lock import lock_subject
from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.models import Message, Snapshot, SnapshotKind, SnapshotSource
from snapshots.notes.slot_links import NoteSpan, link_notes_to_slots
from snapshots.understanding.believing.lesson import Lesson
from snapshots.understanding.fields.field_matching import match_notes
from snapshots.understanding.fields.fill_tenant_fields import FilledField, compute_value_confidence, fill_fields
from snapshots.understanding.fields.requested_fields import RequestedFields, load_active_fields
from snapshots.understanding.values import Extraction
from tenants.isolation import tenant_tx

# Messages whose notes are matched together.
BATCH = 100

# Notes by the message that said each of them first.
NotesByMessage = Mapping[UUID, Sequence[Snapshot]]


@dataclass(frozen=True, slots=True)
class FieldBackfillProgress:
    """Results of one batch: notes read, and values written. A dry run counts without writing."""

    notes: int
    filled: int


def count_fillable_notes(tenant_id: UUID) -> int:
    """Return how many notes of a tenant may fill a field. Opens a scope of its own."""
    with tenant_tx(tenant_id):
        return _select_fillable_notes().count() if load_active_fields() else 0


def backfill_fields(tenant_id: UUID, *, dry_run: bool = False) -> Iterator[FieldBackfillProgress]:
    """Fill the fields that a tenant asks for from its notes, subject by subject, in the order in which they were said.
    Opens scopes of its own; yields after each batch. Raises EmbeddingUnavailable."""
    with tenant_tx(tenant_id):
        asked = load_active_fields()
        subjects = list(Subject.objects.filter(erasing=False).order_by("id").values_list("id", flat=True))
    if not asked:
        return
    for subject_id in subjects:
        with tenant_tx(tenant_id):
            said = list(_group_by_message(subject_id).items())
        for start in range(0, len(said), BATCH):
            yield _backfill_batch(tenant_id, subject_id, asked, dict(said[start : start + BATCH]), dry_run=dry_run)


def _backfill_batch(
    tenant_id: UUID,
    subject_id: UUID,
    requested_fields: RequestedFields,
    notes_by_message: NotesByMessage,
    *,
    dry_run: bool,
) -> FieldBackfillProgress:
    notes = [(message_id, note) for message_id, own in notes_by_message.items() for note in own]
    fits = match_notes([note.text for _, note in notes], requested_fields)
    fitting = [(message_id, note, fit) for (message_id, note), fit in zip(notes, fits, strict=True) if fit.field]
    if dry_run or not fitting:
        return FieldBackfillProgress(len(notes), len(fitting))
    written = 0
    with tenant_tx(tenant_id):
        subject = Subject.objects.filter(id=subject_id, erasing=False).first()
        if subject is None:
            return FieldBackfillProgress(len(notes), 0)
        lock_subject(subject)
        names = load_own_names([subject])[subject.id]
        still = set(
            _select_fillable_notes().filter(id__in=[note.id for _, note, _ in fitting]).values_list("id", flat=True)
        )
        rows = Message.objects.filter(subject_id=subject_id, id__in=notes_by_message, remember=True)
        messages = {row.id: row for row in rows.select_related("conversation")}
        for message_id in notes_by_message:
            message = messages.get(message_id)
            if message is None:
                continue
            filled = [
                FilledField(
                    fit.field, note.text, at, at + len(note.text), compute_value_confidence(fit, note.confidence)
                )
                for source, note, fit in fitting
                if source == message_id and note.id in still and (at := message.content.find(note.text)) >= 0
            ]
            lesson = Lesson(subject, message.conversation, message, Extraction())
            written += len(fill_fields(lesson, names, filled))
        link_notes_to_slots(
            [part for message_id, note, _ in fitting if (part := _locate_note(note, messages.get(message_id)))]
        )
    return FieldBackfillProgress(len(notes), written)


def _locate_note(note: Snapshot, message: Message | None) -> NoteSpan | None:
    start = message.content.find(note.text) if message is not None else -1
    if message is None or start < 0:
        return None
    return NoteSpan(note.subject_id, note.id, message.id, start, start + len(note.text))


def _select_fillable_notes() -> QuerySet[Snapshot]:
    return Snapshot.objects.filter(build_current_snapshot_condition(), kind=SnapshotKind.NOTE, masked=False).order_by()


def _group_by_message(subject_id: UUID) -> NotesByMessage:
    notes = {note.id: note for note in _select_fillable_notes().filter(subject_id=subject_id)}
    links = SnapshotSource.objects.filter(subject_id=subject_id, memory_id__in=list(notes))
    first: dict[UUID, UUID] = {}
    found: dict[UUID, list[Snapshot]] = {}
    for note_id, message_id in links.order_by("message__said_at", "message_id", "memory__position").values_list(
        "memory_id", "message_id"
    ):
        if first.setdefault(note_id, message_id) == message_id:
            found.setdefault(message_id, []).append(notes[note_id])
    return found

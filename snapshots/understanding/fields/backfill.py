"""Fill fields from notes that are older than the fields.

Safe to repeat and to stop: a value that a message filled once has its record and stays.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from profiles.models import Subject
from profiles.services.locking import lock_subject
from snapshots.lifecycle.selectors import current
from snapshots.models import Message, Snapshot, SnapshotKind, SnapshotSource
from snapshots.notes.slots import SaidPart, link_slots
from snapshots.understanding.believing.lessons import Lesson
from snapshots.understanding.believing.message_lessons import own_names
from snapshots.understanding.fields.fill import Filled, confidence_of, fill_fields
from snapshots.understanding.fields.matching import FieldFit, fit_notes
from snapshots.understanding.fields.section import Asked, fields_in_force
from snapshots.understanding.values import Extraction
from tenants.isolation import tenant_tx

# Messages whose notes are matched together.
BATCH = 100

# Notes by the message that said each of them first.
HeldNotes = Mapping[UUID, Sequence[Snapshot]]


@dataclass(frozen=True, slots=True)
class Progress:
    """Results of one batch: notes read, and values written. A dry run counts without writing."""

    notes: int
    filled: int


def count_notes(tenant_id: UUID) -> int:
    """Return how many notes of a tenant may fill a field. Opens a scope of its own."""
    with tenant_tx(tenant_id):
        return _held().count() if fields_in_force() else 0


def fill_held(tenant_id: UUID, *, dry_run: bool = False) -> Iterator[Progress]:
    """Fill the fields that a tenant asks for from its notes, subject by subject, in the order in which they were said.

    Opens scopes of its own; yields after each batch. Raises EmbeddingUnavailable.
    """
    with tenant_tx(tenant_id):
        asked = fields_in_force()
        subjects = list(Subject.objects.filter(erasing=False).order_by("id").values_list("id", flat=True))
    if not asked:
        return
    for subject_id in subjects:
        with tenant_tx(tenant_id):
            said = list(_by_message(subject_id).items())
        for start in range(0, len(said), BATCH):
            yield _fill_batch(tenant_id, subject_id, asked, dict(said[start : start + BATCH]), dry_run=dry_run)


def _fill_batch(tenant_id: UUID, subject_id: UUID, asked: Asked, said: HeldNotes, *, dry_run: bool) -> Progress:
    notes = [(message_id, note) for message_id, own in said.items() for note in own]
    fits = fit_notes([note.text for _, note in notes], asked)
    fitting = [(message_id, note, fit) for (message_id, note), fit in zip(notes, fits, strict=True) if fit.field]
    if dry_run or not fitting:
        return Progress(len(notes), len(fitting))
    written = 0
    with tenant_tx(tenant_id):
        subject = Subject.objects.filter(id=subject_id, erasing=False).first()
        if subject is None:
            return Progress(len(notes), 0)
        lock_subject(subject)
        names = own_names([subject])[subject.id]
        still = set(_held().filter(id__in=[note.id for _, note, _ in fitting]).values_list("id", flat=True))
        rows = Message.objects.filter(subject_id=subject_id, id__in=said, remember=True)
        messages = {row.id: row for row in rows.select_related("conversation")}
        for message_id in said:
            message = messages.get(message_id)
            if message is None:
                continue
            filled = [
                _filled(fit, note, message.content.find(note.text))
                for source, note, fit in fitting
                if source == message_id and note.id in still and note.text in message.content
            ]
            lesson = Lesson(subject, message.conversation, message, Extraction())
            written += len(fill_fields(lesson, names, filled))
        link_slots(
            [part for message_id, note, _ in fitting if (part := _find_said_part(note, messages.get(message_id)))]
        )
    return Progress(len(notes), written)


def _filled(fit: FieldFit, note: Snapshot, start: int) -> Filled:
    confidence = confidence_of(fit, note.confidence)
    return Filled(fit.field, note.text, start, start + len(note.text), confidence)


def _find_said_part(note: Snapshot, message: Message | None) -> SaidPart | None:
    start = message.content.find(note.text) if message is not None else -1
    if message is None or start < 0:
        return None
    return SaidPart(note.subject_id, note.id, message.id, start, start + len(note.text))


def _held() -> QuerySet[Snapshot]:
    return Snapshot.objects.filter(current(), kind=SnapshotKind.NOTE, masked=False).order_by()


def _by_message(subject_id: UUID) -> HeldNotes:
    notes = {note.id: note for note in _held().filter(subject_id=subject_id)}
    links = SnapshotSource.objects.filter(subject_id=subject_id, memory_id__in=list(notes))
    first: dict[UUID, UUID] = {}
    found: dict[UUID, list[Snapshot]] = {}
    for note_id, message_id in links.order_by("message__said_at", "message_id", "memory__position").values_list(
        "memory_id", "message_id"
    ):
        if first.setdefault(note_id, message_id) == message_id:
            found.setdefault(message_id, []).append(notes[note_id])
    return found

"""Make notes for messages that were accepted before notes existed or while the encoder's files were missing, and for
beliefs that no note says.

Safe to repeat and to kill: note ids are stable, and a message that has notes or was read is left out. A pass reads all
messages of a subject accepted before it began, in the order in which they were said, and marks each batch together with
its notes. Another version of the classifier begins anew, and an import has everything read again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from memory_platform.kernel.clock import utc_now
from profiles.models import Subject
from profiles.selectors import load_own_names
from profiles.services.subject_lock import lock_subject
from snapshots.embedding.snapshot_store import lock_memory
from snapshots.models import Message, MessageRole, SnapshotKind, SnapshotSource, SubjectMemory
from snapshots.notes.notes_of_ended_slots import end_outdated_notes
from snapshots.notes.policy_section import load_notes_policy
from snapshots.understanding.believing.current_values import BeliefCache
from snapshots.understanding.changes.apply_note_endings import write_endings
from snapshots.understanding.changes.notes_ended_by_messages import find_message_endings
from snapshots.understanding.changes.successor_notes import add_successor_notes
from snapshots.understanding.correcting.corrected_notes import correct_notes
from snapshots.understanding.drafting.note_drafts import NoteDraft
from snapshots.understanding.grading.clause_classifier import load_clause_classifier
from snapshots.understanding.note_making import drop_unwanted_notes, grade_and_draft_messages, index_notes, write_notes
from snapshots.understanding.note_people import assign_notes_to_people, load_people_nearby
from snapshots.understanding.noteless_beliefs_backfill import add_notes_for_noteless_beliefs
from snapshots.understanding.statements.statements import load_heard_messages
from tenants.isolation import tenant_tx

CLEARED_PASS = {"noting_until": None, "noting_said_at": None, "noting_message": None}


# Messages graded together: half a second of one core.
BATCH = 100


@dataclass(frozen=True, slots=True)
class NoteBackfillProgress:
    """Results of one batch: messages read, notes made, and old beliefs put up for review. A dry run counts without
    writing."""

    subject_id: UUID
    messages: int
    notes: int
    reviews: int = 0


def count_unread_messages(tenant_id: UUID) -> int:
    """Return how many messages of a tenant are to be read. Opens a scope of its own."""
    with tenant_tx(tenant_id):
        return select_unread_messages().count()


def backfill_notes(tenant_id: UUID, *, dry_run: bool = False) -> Iterator[NoteBackfillProgress]:
    """Make notes of a tenant's messages without notes, subject by subject, in the order in which they were said.

    Then make notes for beliefs that no note says. Opens scopes of its own; yields after each batch. Forgotten words
    make no notes.
    """
    with tenant_tx(tenant_id):
        subjects = list(Subject.objects.filter(erasing=False).order_by("id").values_list("id", flat=True))
    for subject_id in subjects:
        foreseen: list[NoteDraft] = []
        for until, waiting in list_passes(tenant_id, subject_id):
            for start in range(0, len(waiting), BATCH):
                some = waiting[start : start + BATCH]
                done, drafts = _backfill_batch(tenant_id, subject_id, some, None if dry_run else until)
                foreseen += drafts if dry_run else ()
                yield done
            if not dry_run:
                with tenant_tx(tenant_id):
                    mark_pass_done(subject_id, until)
        kept = add_notes_for_noteless_beliefs(tenant_id, subject_id, foreseen, dry_run=dry_run)
        yield NoteBackfillProgress(subject_id, 0, kept.notes, kept.reviews)


def _backfill_batch(
    tenant_id: UUID, subject_id: UUID, message_ids: list[UUID], until: datetime | None
) -> tuple[NoteBackfillProgress, list[NoteDraft]]:
    """Make the notes of some messages and mark the messages as read; ``until`` None is a dry run."""
    with tenant_tx(tenant_id):
        heard = load_heard_messages([subject_id], message_ids)
        names = load_own_names(Subject.objects.filter(id=subject_id))
        policy = load_notes_policy()
    order = {message_id: place for place, message_id in enumerate(message_ids)}
    heard.sort(key=lambda one: order[one.message.id])
    graded = grade_and_draft_messages(heard, names) if names else []
    read = correct_notes(tenant_id, drop_unwanted_notes(graded, policy))
    endings = find_message_endings(tenant_id, read)
    read = add_successor_notes(read, endings)
    drafts = [draft for one in read for draft in one.drafts]
    if until is None:
        return NoteBackfillProgress(subject_id, len(heard), len(drafts)), drafts
    notes = index_notes(drafts)
    with tenant_tx(tenant_id):
        subject = Subject.objects.filter(id=subject_id, erasing=False).first()
        if subject is None:
            return NoteBackfillProgress(subject_id, 0, 0), []
        lock_subject(subject)
        there = Message.objects.filter(subject_id=subject_id, id__in=[*notes, *(one.message.id for one in endings)])
        kept = set(there.values_list("id", flat=True))
        said = [one.message for one in heard if one.message.id in kept]
        given = [
            assign_notes_to_people(subject, one, notes.get(one.id, ()), load_people_nearby(one, BeliefCache()))
            for one in said
        ]
        made = write_notes({subject.id: subject}, [note for own in given for note in own])
        end_outdated_notes(subject_id, kept)
        write_endings([(one.message, one.endings) for one in endings if one.message.id in kept])
        if graded:  # without the encoder's files nothing was read
            mark_messages_read(subject_id, heard[-1].message, until)
    return NoteBackfillProgress(subject_id, len(heard), made), drafts


def select_unread_messages() -> QuerySet[Message]:
    made = SnapshotSource.objects.filter(
        subject_id=OuterRef("subject_id"), message_id=OuterRef("id"), memory__kind=SnapshotKind.NOTE
    )
    later = Q(noting_said_at__gt=OuterRef("said_at"))
    later |= Q(noting_said_at=OuterRef("said_at"), noting_message__gte=OuterRef("id"))
    read = SubjectMemory.objects.filter(
        Q(noted_until__gte=OuterRef("accepted_at")) | Q(later, noting_until__gte=OuterRef("accepted_at")),
        subject_id=OuterRef("subject_id"),
        noted_by=load_clause_classifier().version,
    )
    rows = Message.objects.filter(role=MessageRole.USER, remember=True, subject__erasing=False)
    return rows.filter(~Exists(made), ~Exists(read))


def list_passes(tenant_id: UUID, subject_id: UUID) -> Iterator[tuple[datetime, list[UUID]]]:
    """Yield the passes over a subject's messages: the end of their acceptance time, and the unread messages in the
    order in which they were said. An interrupted pass comes first. Opens scopes of its own."""
    began = utc_now()
    with tenant_tx(tenant_id):
        own = SubjectMemory.objects.filter(subject_id=subject_id, noted_by=load_clause_classifier().version)
        interrupted = own.values_list("noting_until", flat=True).first()
    for after, until in ((None, interrupted), (interrupted, began)) if interrupted else ((None, began),):
        with tenant_tx(tenant_id):
            rows = select_unread_messages().filter(subject_id=subject_id, accepted_at__lte=until)
            rows = rows.filter(accepted_at__gt=after) if after else rows
            left = list(rows.order_by("said_at", "id").values_list("id", flat=True))
        yield until, left


def mark_messages_read(subject_id: UUID, last: Message, until: datetime) -> None:
    lock_memory(subject_id)
    own = SubjectMemory.objects.filter(subject_id=subject_id)
    own.exclude(noted_by=load_clause_classifier().version).update(
        noted_by=load_clause_classifier().version, noted_until=None
    )
    own.update(noting_until=until, noting_said_at=last.said_at, noting_message=last.id)


def mark_pass_done(subject_id: UUID, until: datetime) -> None:
    own = SubjectMemory.objects.filter(subject_id=subject_id, noting_until=until)
    own.update(noted_until=until, **CLEARED_PASS)


def reset_passes(subject_id: UUID) -> None:
    """Have all messages of a subject read again, in the open scope: an import brought some that no pass has seen."""
    SubjectMemory.objects.filter(subject_id=subject_id).update(noted_until=None, **CLEARED_PASS)

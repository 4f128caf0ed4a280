"""Notes for messages that were accepted before notes were made, or while the encoder's files were missing; and for what
is believed though no note says it.

Safe to repeat and to stop: a note keeps its id whoever makes it, and a message that has notes is left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from profiles.models import Subject
from profiles.services.locking import lock_subject
from snapshots.models import Message, MessageRole, SnapshotKind, SnapshotSource
from snapshots.notes.section import notes_policy_in_force
from snapshots.notes.slot_ends import end_outdated_notes
from snapshots.understanding.believing.held_values import Believed
from snapshots.understanding.believing.message_lessons import own_names
from snapshots.understanding.changes.ending import write_endings
from snapshots.understanding.changes.following import endings_in
from snapshots.understanding.changes.successors import keep_successors
from snapshots.understanding.correcting.notes import put_notes_right
from snapshots.understanding.drafting.draft import NoteDraft
from snapshots.understanding.old_beliefs import keep_old_beliefs
from snapshots.understanding.people import give_to_people, people_before
from snapshots.understanding.pipeline import index_notes, keep_wanted, read_messages, write_notes
from snapshots.understanding.statements.statements import hear_messages
from tenants.isolation import tenant_tx

BATCH = 100
"""Messages that are graded together: half a second of one core."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What was done for one batch: messages read, notes made, and old beliefs put up for review (in a dry run: that
    would be)."""

    subject_id: UUID
    messages: int
    notes: int
    reviews: int = 0


def count_messages(tenant_id: UUID) -> int:
    """Return how many messages of a tenant have no note. Opens a scope of its own."""
    with tenant_tx(tenant_id):
        return _unread().count()


def make_notes(tenant_id: UUID, *, dry_run: bool = False) -> Iterator[Progress]:
    """Make the notes of a tenant's messages that have none, subject by subject, in the order in which they were said.

    Then notes for what is believed of each and no note says. Opens scopes of its own; yields after each batch. What the
    subject had forgotten is not made again.
    """
    with tenant_tx(tenant_id):
        subjects = list(Subject.objects.filter(erasing=False).order_by("id").values_list("id", flat=True))
    for subject_id in subjects:
        with tenant_tx(tenant_id):
            waiting = list(
                _unread().filter(subject_id=subject_id).order_by("said_at", "id").values_list("id", flat=True)
            )
        foreseen: list[NoteDraft] = []
        for start in range(0, len(waiting), BATCH):
            done, drafts = _make_batch(tenant_id, subject_id, waiting[start : start + BATCH], dry_run=dry_run)
            foreseen += drafts if dry_run else ()
            yield done
        kept = keep_old_beliefs(tenant_id, subject_id, foreseen, dry_run=dry_run)
        yield Progress(subject_id, 0, kept.notes, kept.reviews)


def _make_batch(
    tenant_id: UUID, subject_id: UUID, wanted: list[UUID], *, dry_run: bool
) -> tuple[Progress, list[NoteDraft]]:
    with tenant_tx(tenant_id):
        heard = hear_messages([subject_id], wanted)
        names = own_names(Subject.objects.filter(id=subject_id))
        policy = notes_policy_in_force()
    order = {message_id: place for place, message_id in enumerate(wanted)}
    heard.sort(key=lambda one: order[one.message.id])
    read = put_notes_right(tenant_id, keep_wanted(read_messages(heard, names), policy)) if names else []
    endings = endings_in(tenant_id, read)
    read = keep_successors(read, endings)
    drafts = [draft for one in read for draft in one.drafts]
    if dry_run:
        return Progress(subject_id, len(heard), len(drafts)), drafts
    notes = index_notes(drafts)
    with tenant_tx(tenant_id):
        subject = Subject.objects.filter(id=subject_id, erasing=False).first()
        if subject is None:
            return Progress(subject_id, 0, 0), []
        lock_subject(subject)
        there = Message.objects.filter(subject_id=subject_id, id__in=[*notes, *(one.message.id for one in endings)])
        kept = set(there.values_list("id", flat=True))
        said = [one.message for one in heard if one.message.id in kept]
        given = [give_to_people(subject, one, notes.get(one.id, ()), people_before(one, Believed())) for one in said]
        made = write_notes({subject.id: subject}, [note for own in given for note in own])
        end_outdated_notes(subject_id, kept)
        write_endings([(one.message, one.endings) for one in endings if one.message.id in kept])
    return Progress(subject_id, len(heard), made), drafts


def _unread() -> QuerySet[Message]:
    """Return the users' messages without a note, in the open scope."""
    made = SnapshotSource.objects.filter(
        subject_id=OuterRef("subject_id"), message_id=OuterRef("id"), memory__kind=SnapshotKind.NOTE
    )
    rows = Message.objects.filter(role=MessageRole.USER, remember=True, subject__erasing=False)
    return rows.filter(~Exists(made))

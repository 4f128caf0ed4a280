"""Make notes for messages that were accepted before notes existed or while the encoder's files were missing, and for
beliefs that no note says.

Safe to repeat and to kill: note ids are stable, and a message that has notes or was read is left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from profiles.models import Subject
from profiles.services.locking import lock_subject
from snapshots.models import Message
from snapshots.notes.section import notes_policy_in_force
from snapshots.notes.slot_ends import end_outdated_notes
from snapshots.understanding.believing.held_values import Believed
from snapshots.understanding.believing.message_lessons import own_names
from snapshots.understanding.changes.ending import write_endings
from snapshots.understanding.changes.following import endings_in
from snapshots.understanding.changes.successors import keep_successors
from snapshots.understanding.correcting.notes import put_notes_right
from snapshots.understanding.drafting.draft import NoteDraft
from snapshots.understanding.note_making import index_notes, keep_wanted, read_messages, write_notes
from snapshots.understanding.note_reading import end_pass, mark_read, passes, unread_messages
from snapshots.understanding.old_beliefs import keep_old_beliefs
from snapshots.understanding.people import give_to_people, people_before
from snapshots.understanding.statements.statements import hear_messages
from tenants.isolation import tenant_tx

# Messages graded together: half a second of one core.
BATCH = 100


@dataclass(frozen=True, slots=True)
class Progress:
    """Results of one batch: messages read, notes made, and old beliefs put up for review. A dry run counts without
    writing."""

    subject_id: UUID
    messages: int
    notes: int
    reviews: int = 0


def count_messages(tenant_id: UUID) -> int:
    """Return how many messages of a tenant are to be read. Opens a scope of its own."""
    with tenant_tx(tenant_id):
        return unread_messages().count()


def make_notes(tenant_id: UUID, *, dry_run: bool = False) -> Iterator[Progress]:
    """Make the notes of a tenant's messages that have none, subject by subject, in the order in which they were said.

    Then make notes for beliefs that no note says. Opens scopes of its own; yields after each batch. Forgotten words
    make no notes.
    """
    with tenant_tx(tenant_id):
        subjects = list(Subject.objects.filter(erasing=False).order_by("id").values_list("id", flat=True))
    for subject_id in subjects:
        foreseen: list[NoteDraft] = []
        for until, waiting in passes(tenant_id, subject_id):
            for start in range(0, len(waiting), BATCH):
                some = waiting[start : start + BATCH]
                done, drafts = _make_batch(tenant_id, subject_id, some, None if dry_run else until)
                foreseen += drafts if dry_run else ()
                yield done
            if not dry_run:
                with tenant_tx(tenant_id):
                    end_pass(subject_id, until)
        kept = keep_old_beliefs(tenant_id, subject_id, foreseen, dry_run=dry_run)
        yield Progress(subject_id, 0, kept.notes, kept.reviews)


def _make_batch(
    tenant_id: UUID, subject_id: UUID, wanted: list[UUID], until: datetime | None
) -> tuple[Progress, list[NoteDraft]]:
    """Make the notes of some messages and mark the messages as read; ``until`` None is a dry run."""
    with tenant_tx(tenant_id):
        heard = hear_messages([subject_id], wanted)
        names = own_names(Subject.objects.filter(id=subject_id))
        policy = notes_policy_in_force()
    order = {message_id: place for place, message_id in enumerate(wanted)}
    heard.sort(key=lambda one: order[one.message.id])
    graded = read_messages(heard, names) if names else []
    read = put_notes_right(tenant_id, keep_wanted(graded, policy))
    endings = endings_in(tenant_id, read)
    read = keep_successors(read, endings)
    drafts = [draft for one in read for draft in one.drafts]
    if until is None:
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
        if graded:  # without the encoder's files nothing was read
            mark_read(subject_id, heard[-1].message, until)
    return Progress(subject_id, len(heard), made), drafts

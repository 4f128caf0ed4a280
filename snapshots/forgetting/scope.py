"""What an order to forget takes out, under the locks of whoever writes there."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from profiles.models import Subject
from profiles.services.locking import lock_subject
from snapshots.embedding.store import touch_memory
from snapshots.erasure.derived import take_back_work
from snapshots.erasure.memories import Target, target_of
from snapshots.erasure.notes import notes_said_in
from snapshots.forgetting.rest import rest_of, stays_of
from snapshots.forgetting.values import Belief, Found, Span
from snapshots.models import Conversation, Message, Note, Snapshot, SnapshotKind, SnapshotSource
from snapshots.selectors import with_words
from snapshots.understanding.heard.turns import tells_something

WORDS = (SnapshotKind.STATEMENT, SnapshotKind.REPLY)
"""What a message's own words are remembered as."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What an order takes out: whole messages with all they taught, parts of others with the snapshots that say them
    (``shorter``: the notes of which something stays), slots as a whole."""

    target: Target
    cuts: Mapping[UUID, Message]
    rests: Mapping[UUID, str]
    snapshots: frozenset[UUID]
    shorter: Mapping[UUID, str]
    beliefs: Sequence[Belief]

    @property
    def messages(self) -> dict[UUID, Message]:
        """Every message that loses words."""
        return {**self.target.messages, **self.cuts}


def locked_scope(subject: Subject, order_id: UUID, found: Found) -> Scope:
    """Return what an order takes out, as it is under the locks."""
    held: frozenset[UUID] = frozenset()
    scope = _scope(subject, order_id, found)
    while not (wanted := frozenset(one.conversation_id for one in scope.messages.values())) <= held:
        lock_for_forgetting(subject, wanted)
        held |= wanted
        scope = _scope(subject, order_id, found)
    if not held:
        lock_for_forgetting(subject, ())
    return scope


def _scope(subject: Subject, order_id: UUID, found: Found) -> Scope:
    rows = Message.objects.filter(subject_id=subject.id, id__in=list(found.messages)).select_related("conversation")
    messages = {row.id: row for row in with_words(list(rows))}
    rests = {
        row.id: rest
        for row in messages.values()
        if (spans := found.messages[row.id]) and tells_something(rest := rest_of(row.content, spans))
    }
    whole = {row.id: row.content for row in messages.values() if row.id not in rests}
    told = SnapshotSource.objects.filter(subject_id=subject.id, message_id__in=list(whole)).order_by()
    said = Snapshot.objects.filter(id__in=told.values("memory_id"), kind__in=WORDS)
    target = target_of(subject, order_id, set(said.values_list("id", flat=True)), whole)
    cuts = {one: messages[one] for one in rests if one not in target.messages}
    notes = {**_notes_in(subject.id, {one: (found.messages[one], rests[one]) for one in cuts}), **found.notes}
    parts = frozenset({*notes, *statements_of(cuts)}) - target.snapshots
    shorter = {note_id: rest for note_id, rest in notes.items() if rest and note_id in parts}
    return Scope(target, cuts, rests, parts, shorter, found.beliefs)


def _notes_in(subject_id: UUID, cuts: Mapping[UUID, tuple[Sequence[Span], str]]) -> dict[UUID, str]:
    """Return the notes that stand in what is cut out of messages, each with what stays of it."""
    ids = notes_said_in(subject_id, list(cuts))
    links = SnapshotSource.objects.filter(
        subject_id=subject_id, memory_id__in=ids, message_id__in=list(cuts)
    ).order_by()
    places = {row.snapshot_id: row for row in Note.objects.filter(subject_id=subject_id, snapshot_id__in=ids)}
    found: dict[UUID, str] = {}
    for note_id, message_id, text in links.values_list("memory_id", "message_id", "memory__text"):
        note, (spans, rest) = places.get(note_id), cuts[message_id]
        if note is None or note.span_start is None or note.span_end is None:
            continue
        if any(note.span_start < end and start < note.span_end for start, end in spans):
            found[note_id] = stays_of(rest[note.span_start : note.span_end], text)
    return found


def statements_of(messages: Collection[UUID] | Mapping[UUID, Message]) -> set[UUID]:
    """Return the statements that messages made."""
    links = SnapshotSource.objects.filter(message_id__in=list(messages), memory__kind__in=WORDS)
    return set(links.order_by().values_list("memory_id", flat=True))


def lock_for_forgetting(subject: Subject, conversations: Collection[UUID]) -> None:
    """Lock what every writer of these conversations' memories waits for, in the order of all who forget."""
    rows = Conversation.objects.filter(subject_id=subject.id, id__in=conversations).order_by("id")
    list(rows.select_for_update(no_key=True).values_list("id"))
    take_back_work(subject.id, conversations)
    lock_subject(subject)
    touch_memory(subject.id, changed=())

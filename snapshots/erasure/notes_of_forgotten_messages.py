"""Erase notes and replies of forgotten messages.

A note is deleted with its messages. If another message also says its words, it stays without data of the forgotten
ones: the link, the place in the message, the turn before. A reply has one message, the assistant's, and is deleted with
it.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from uuid import UUID

from django.db.models import F, Q

from memory_platform.kernel.text import to_comparable
from snapshots.conversation_queries import add_archived_words
from snapshots.embedding.snapshot_store import begin_memory_epoch
from snapshots.erasure.forgotten_word_copies import ForgottenWords
from snapshots.models import CUT_OUT, Message, Note, Snapshot, SnapshotKind, SnapshotSource

BLANK_NOTE_COLUMNS: Mapping[str, object] = {"context": "", "span_start": None, "span_end": None, "statement_id": None}


@dataclass(frozen=True, slots=True)
class NoteOrigin:
    """The statements (by id) and messages (by id, with their texts) that a note was made of."""

    statements: frozenset[UUID]
    messages: Mapping[UUID, str]


NO_ORIGIN = NoteOrigin(frozenset(), {})


def find_note_origin(snapshot: Snapshot) -> NoteOrigin:
    """Return the statements and messages behind a note or reply, in the open scope; nothing for any other snapshot."""
    if snapshot.kind not in CUT_OUT:
        return NO_ORIGIN
    own = {"subject_id": snapshot.subject_id}
    links = SnapshotSource.objects.filter(memory_id=snapshot.id, **own).order_by()
    messages = list(links.values_list("message_id", flat=True))
    told = SnapshotSource.objects.filter(message_id__in=messages, **own).order_by().values("memory_id")
    statements = Snapshot.objects.filter(id__in=told, kind=SnapshotKind.STATEMENT, **own).order_by()
    said = add_archived_words(list(Message.objects.filter(id__in=messages, **own)))
    return NoteOrigin(
        frozenset(statements.values_list("id", flat=True)), {message.id: message.content for message in said}
    )


def find_notes_only_in(subject_id: UUID, messages: Collection[UUID]) -> set[UUID]:
    """Return the snapshots of notes and replies that no other message says, in the open scope."""
    behind: dict[UUID, set[UUID]] = defaultdict(set)
    links = SnapshotSource.objects.filter(subject_id=subject_id, memory_id__in=find_notes_said_in(subject_id, messages))
    for note_id, message_id in links.order_by().values_list("memory_id", "message_id"):
        behind[note_id].add(message_id)
    others = set[UUID]().union(*behind.values()) - set(messages)
    said = {
        message.id: to_comparable(message.content)
        for message in add_archived_words(list(Message.objects.filter(subject_id=subject_id, id__in=others)))
    }
    texts = dict(Snapshot.objects.filter(subject_id=subject_id, id__in=behind).order_by().values_list("id", "text"))
    return {
        note_id
        for note_id, sources in behind.items()
        if not any(to_comparable(texts[note_id]) in said[one] for one in sources & said.keys())
    }


def find_notes_said_in(subject_id: UUID, messages: Collection[UUID]) -> set[UUID]:
    links = SnapshotSource.objects.filter(subject_id=subject_id, message_id__in=messages).order_by()
    notes = Snapshot.objects.filter(subject_id=subject_id, kind__in=CUT_OUT, id__in=links.values("memory_id"))
    return set(notes.order_by().values_list("id", flat=True))


def detach_notes(subject_id: UUID, messages: Collection[UUID], words: ForgottenWords) -> Counter[str]:
    """Remove data of these messages from the notes that stay, in the open scope; return the rows by table. A note that
    follows one of the messages, or quotes the words, loses the turn before it."""
    own = {"subject_id": subject_id}
    shared = find_notes_said_in(subject_id, messages)
    links = SnapshotSource.objects.filter(memory_id__in=shared, message_id__in=messages, **own)
    counts = Counter({"snapshot_source": links.delete()[0]})
    following = find_notes_said_in(subject_id, _find_following_messages(subject_id, messages))
    contexts = Note.objects.filter(**own).exclude(context="").order_by().values_list("snapshot_id", "context")
    quoting = {note_id for note_id, context in contexts if note_id in following or words.are_quoted_by(context)}
    changed = shared | quoting
    if not changed:
        return counts
    counts["note.context"] = len({note_id for note_id, _ in contexts} & changed)
    Note.objects.filter(snapshot_id__in=shared, **own).update(**BLANK_NOTE_COLUMNS)
    Note.objects.filter(snapshot_id__in=quoting, **own).update(context="")
    _raise_versions(subject_id, changed)
    return counts


def blank_note_contexts(words: ForgottenWords) -> Counter[str]:
    """Remove the turn before from notes that quote these words in it, in the open scope; return the rows by column."""
    own = {"subject_id": words.subject_id}
    contexts = Note.objects.filter(**own).exclude(context="").order_by().values_list("snapshot_id", "context")
    quoting = [note_id for note_id, context in contexts if words.are_quoted_by(context)]
    if quoting:
        Note.objects.filter(snapshot_id__in=quoting, **own).update(context="")
        _raise_versions(words.subject_id, quoting)
    return Counter({"note.context": len(quoting)})


def count_note_contexts_left(words: ForgottenWords) -> int:
    contexts = Note.objects.filter(subject_id=words.subject_id).exclude(context="").order_by()
    return sum(words.are_part_of(one) for one in contexts.values_list("context", flat=True))


def _raise_versions(subject_id: UUID, snapshots: Collection[UUID]) -> None:
    rows = Snapshot.objects.filter(subject_id=subject_id, id__in=snapshots).order_by()
    begin_memory_epoch(subject_id, changed=rows.values_list("position", flat=True))
    rows.update(version=F("version") + 1)


def _find_following_messages(subject_id: UUID, messages: Collection[UUID]) -> set[UUID]:
    own = Message.objects.filter(subject_id=subject_id).order_by()
    places = own.filter(id__in=messages).values_list("conversation_id", "seq")
    after = [Q(conversation_id=conversation_id, seq=seq + 1) for conversation_id, seq in places]
    found = set[UUID]()
    for start in range(0, len(after), 100):
        found |= set(own.filter(reduce(or_, after[start : start + 100])).values_list("id", flat=True))
    return found

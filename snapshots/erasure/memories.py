"""Forget one memory: its row, everything made from it, and its words elsewhere.

``docs/data/deletion.md`` lists the data that is erased, rebuilt and kept. Locks follow the order of all writers:
conversations, work items, the subject, its memory.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

from django.db import transaction

from memory_platform.kernel.errors import Conflict
from profiles.models import Erasure, ErasureScope, IdempotentReply, Subject
from profiles.selectors import build_subject_key
from profiles.services.erasure_certificates import add_counts, open_erasure, write_tombstones_to_certificate
from profiles.services.subject_lock import lock_subject
from profiles.services.tombstones import MessageName, record_tombstones
from snapshots.embedding.embedding_spaces import Embedders
from snapshots.embedding.snapshot_drafts import PreparedSnapshot, load_reindexing_drafts, prepare_snapshots
from snapshots.embedding.snapshot_store import begin_memory_epoch, reindex_snapshot
from snapshots.erasure.check_and_sign import sign_after_commit
from snapshots.erasure.derived_rows import (
    delete_snapshots,
    dissolve_consolidations,
    end_leases,
    find_consolidated_members,
    remake_conversation_snapshots,
)
from snapshots.erasure.forgotten_word_copies import (
    ForgottenWords,
    blank_candidates_of_messages,
    blank_messages,
    count_words_left,
    drop_earlier_texts,
    drop_replies,
    find_same_messages,
    find_same_snapshots,
    strip_receipts,
)
from snapshots.erasure.learned.unlearn_messages import UnlearnedRows, unlearn_messages
from snapshots.erasure.notes_of_forgotten_messages import (
    count_note_contexts_left,
    detach_notes,
    find_note_origin,
    find_notes_only_in,
)
from snapshots.errors import NoteUnknown, SnapshotUnknown
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import Conversation, Message, Snapshot, SnapshotKind, SnapshotSource, SnapshotVersion
from snapshots.queue.metrics import remove_work_of_messages
from snapshots.sensitive.detector import mask_sensitive
from snapshots.window.cached_window import cache_window, collect_window_turns
from tenants.isolation import current_tenant_id, tenant_tx
from tenants.services.audit import Actor

TRIES = 3
NO_MODELS: Embedders = ()
NOTHING_ELSE: Mapping[UUID, str] = {}


@dataclass(frozen=True, slots=True)
class ErasureTarget:
    """The rows that forgetting one memory concerns. ``snapshots`` say the same or were consolidated into it;
    ``messages`` said it.

    ``id`` is the memory that was named, ``neighbours`` are the statements indexed after one of the messages.
    ``quoting_conversations``: those whose prompts and kept replies may repeat a message that is taken back, whose words
    may stand elsewhere by right.
    """

    id: UUID
    subject: Subject
    words: ForgottenWords
    snapshots: frozenset[UUID]
    messages: Mapping[UUID, Message]
    neighbours: tuple[Snapshot, ...]
    quoting_conversations: frozenset[UUID] = frozenset()

    @property
    def conversations(self) -> frozenset[UUID]:
        return frozenset(message.conversation_id for message in self.messages.values())


# Finds what is to be forgotten, in the open scope: once to know what to lock, again under the locks.
FindTarget = Callable[[], ErasureTarget]


def forget_memory(
    tenant_id: UUID, address: SnapshotAddress, embedders: Embedders, *, by: Actor, reason: str = ""
) -> UUID:
    """Forget one memory; return the erasure's id. Opens its own scopes, one to read, one to write; embeds between them.

    Raises SnapshotUnknown; Conflict when others keep adding to the target.
    """
    return forget_target(tenant_id, partial(find_target, address), embedders, by=by, reason=reason)


def forget_note(
    tenant_id: UUID, address: SnapshotAddress, embedders: Embedders, *, by: Actor, reason: str = ""
) -> UUID:
    """Forget one note with the messages that said it, as :func:`forget_memory` does. Raises NoteUnknown; Conflict."""
    return forget_target(tenant_id, partial(find_note_target, address), embedders, by=by, reason=reason)


def forget_target(tenant_id: UUID, look: FindTarget, embedders: Embedders, *, by: Actor, reason: str = "") -> UUID:
    """Forget the target of ``look`` as :func:`forget_memory` does. Raises errors of ``look``; Conflict."""
    for _ in range(TRIES):
        with tenant_tx(tenant_id):
            drafts = load_reindexing_drafts(look().neighbours, mask_sensitive)
        # as they are to be indexed once the words before them are gone
        alone = [replace(draft, previous=None, previous_is_memory=True) for draft in drafts]
        ready = prepare_snapshots(alone, embedders)
        with tenant_tx(tenant_id):
            erasure = forget_locked_target(look, ready, by=by, reason=reason)
        if erasure is not None:
            return erasure.id
    raise Conflict("Other requests keep saying what is to be forgotten.")


def forget_locked_target(
    look: FindTarget, ready: Sequence[PreparedSnapshot], *, by: Actor, reason: str = ""
) -> Erasure | None:
    """Forget a memory in the open scope; return None when it was said elsewhere since the locks were chosen.

    ``ready`` are neighbours made ready without the words; one that is not among them is found by its words alone until
    the back-fill brings its vectors.
    """
    target = lock_target(look)
    if target is None:
        return None
    erasure = open_erasure(
        ErasureScope.MEMORY, target.subject.external_id, name=target.id, target=target.id, by=by, reason=reason
    )
    counts, unlearned = erase_target(target, ready)
    names = map(make_message_name, target.messages.values())
    write_tombstones_to_certificate(
        erasure, record_tombstones(target.words.subject_id, texts=target.words.texts, messages=names)
    )
    add_counts(erasure, counts)
    sign_after_commit(erasure, partial(_count_left, target.words, unlearned))
    return erasure


def erase_target(target: ErasureTarget, ready: Sequence[PreparedSnapshot]) -> tuple[Counter[str], UnlearnedRows]:
    """Erase a locked target from every table and window, in the open scope. Return the rows by table and column, and
    unlearned rows."""
    gone, subject_id = target.snapshots, target.words.subject_id
    counts = Counter(work=remove_work_of_messages(list(target.messages)))
    counts.update(remake_conversation_snapshots(subject_id, target.messages, besides=gone))
    counts.update(dissolve_consolidations(subject_id, gone))
    counts.update(delete_snapshots(subject_id, gone))
    counts.update(detach_notes(subject_id, list(target.messages), target.words))
    counts["snapshot_version"] += drop_earlier_texts(target.words)
    unlearned = unlearn_messages(target.subject, list(target.messages), target.words)
    counts.update(unlearned.counts)
    counts["message"] = blank_messages(subject_id, list(target.messages))
    counts["candidate"] = blank_candidates_of_messages(subject_id, list(target.messages))
    counts.update(strip_receipts(target.words, gone, target.quoting_conversations))
    counts["idempotent_reply"] += drop_replies(target.words)
    if target.quoting_conversations:
        counts["idempotent_reply"] += IdempotentReply.objects.filter(subject_id=subject_id).delete()[0]
    reindex_following_statements(target.neighbours, ready)
    renew_windows(subject_id, target.conversations)
    return counts, unlearned


def find_target(address: SnapshotAddress) -> ErasureTarget:
    """Return the target of forgetting this memory, in the open scope. Raises SnapshotUnknown."""
    rows = Snapshot.objects.filter(subject_id=build_subject_key(address.subject_id), subject__erasing=False)
    snapshot = rows.filter(id=address.snapshot_id).first()
    if snapshot is None:
        raise SnapshotUnknown
    origin = find_note_origin(snapshot)
    named = {snapshot.id, *find_consolidated_members(snapshot), *origin.statements}
    return build_target(snapshot.subject, snapshot.id, named, origin.messages)


def find_note_target(address: SnapshotAddress) -> ErasureTarget:
    """Return the target of forgetting this note, in the open scope. Raises NoteUnknown."""
    rows = Snapshot.objects.filter(subject_id=build_subject_key(address.subject_id), kind=SnapshotKind.NOTE)
    if not rows.filter(id=address.snapshot_id).exists():
        raise NoteUnknown
    return find_target(address)


def build_target(
    subject: Subject, memory_id: UUID, snapshot_ids: set[UUID], also_said: Mapping[UUID, str] = NOTHING_ELSE
) -> ErasureTarget:
    """Return the target of forgetting the memories ``snapshot_ids``, and messages with their texts, in the open scope.
    Notes that only these messages say are forgotten like a memory that was named, until no further one is found."""
    target = _build_target_once(subject, memory_id, snapshot_ids, also_said)
    notes = find_notes_only_in(subject.id, target.messages.keys()) - target.snapshots
    return build_target(subject, memory_id, snapshot_ids | notes, also_said) if notes else target


def _build_target_once(
    subject: Subject, memory_id: UUID, snapshot_ids: set[UUID], also_said: Mapping[UUID, str]
) -> ErasureTarget:
    words = ForgottenWords.from_texts(subject.id, [*_load_texts(subject.id, snapshot_ids), *also_said.values()])
    snapshots = frozenset(snapshot_ids | set(find_same_snapshots(words)))
    own = Snapshot.objects.filter(subject_id=subject.id)
    statements = own.filter(id__in=snapshots, kind=SnapshotKind.STATEMENT).order_by().values("id")
    links = SnapshotSource.objects.filter(subject_id=subject.id, memory_id__in=statements)
    said = set(links.order_by().values_list("message_id", flat=True)) | set(find_same_messages(words)) | set(also_said)
    messages = Message.objects.filter(subject_id=subject.id).select_related("conversation").in_bulk(list(said))
    return ErasureTarget(
        memory_id, subject, words, snapshots, messages, find_following_statements(subject.id, messages, snapshots)
    )


def lock_target(look: FindTarget) -> ErasureTarget | None:
    """Lock the target, and return it as read under the locks; None if it outgrew the locked conversations."""
    before = look()
    subject_id = before.words.subject_id
    rows = Conversation.objects.filter(subject_id=subject_id, id__in=before.conversations).order_by("id")
    list(rows.select_for_update(no_key=True).values_list("id"))
    end_leases(subject_id, before.conversations)
    lock_subject(before.subject)
    begin_memory_epoch(subject_id, changed=())
    target = look()
    if not target.conversations <= before.conversations:
        transaction.set_rollback(True)
        return None
    positions = Snapshot.objects.filter(
        subject_id=subject_id, id__in=[*target.snapshots, *(row.id for row in target.neighbours)]
    )
    begin_memory_epoch(subject_id, changed=positions.order_by().values_list("position", flat=True))
    return target


def reindex_following_statements(neighbours: Sequence[Snapshot], ready: Sequence[PreparedSnapshot]) -> None:
    """Index neighbours without the words before them. ``ready`` counts only for those that have not changed.

    In the open scope no model may be called: the others get words now, and their vectors from the back-fill.
    """
    made = {one.draft.id: one for one in ready}
    for draft in load_reindexing_drafts(neighbours, mask_sensitive):
        prepared = made.get(draft.id)
        if prepared is None or prepared.draft != draft:
            (prepared,) = prepare_snapshots([draft], NO_MODELS)
        reindex_snapshot(prepared)


def renew_windows(subject_id: UUID, conversations: frozenset[UUID]) -> None:
    """Give conversations a new version, and their windows new turns once the transaction has committed."""
    for conversation in Conversation.objects.filter(subject_id=subject_id, id__in=conversations):
        conversation.version += 1
        conversation.save(update_fields=["version"])
        turns = collect_window_turns(conversation, ())
        kept: Callable[[], None] = partial(
            cache_window, current_tenant_id(), conversation.id, conversation.version, turns
        )
        transaction.on_commit(kept, robust=True)


def _load_texts(subject_id: UUID, snapshots: set[UUID]) -> list[str]:
    texts = Snapshot.objects.filter(subject_id=subject_id, id__in=snapshots).order_by().values_list("text", flat=True)
    images = SnapshotVersion.objects.filter(subject_id=subject_id, snapshot_id__in=snapshots, fields__has_key="text")
    return [*texts, *(str(fields["text"]) for fields in images.order_by().values_list("fields", flat=True))]


def find_following_statements(
    subject_id: UUID, messages: Mapping[UUID, Message], but: frozenset[UUID] = frozenset()
) -> tuple[Snapshot, ...]:
    """Return the statements that are indexed after one of these messages."""
    after = {(message.conversation_id, message.seq + 1) for message in messages.values()}
    rows = Snapshot.objects.filter(
        subject_id=subject_id,
        conversation_id__in={conversation for conversation, _ in after},
        seq__in={seq for _, seq in after},
    )
    return tuple(row for row in rows.exclude(id__in=but) if (row.conversation_id, row.seq) in after)


def make_message_name(message: Message) -> MessageName:
    return message.conversation.external_id, message.external_id


def _count_left(words: ForgottenWords, unlearned: UnlearnedRows) -> dict[str, object]:
    quoting = count_note_contexts_left(words)
    return {"rows_left": count_words_left(words) | ({"note": quoting} if quoting else {}) | unlearned.count_left()}

"""The one way to write a snapshot: row, words, vectors, sources, and the version of the subject's memory.

Forgotten texts are kept from coming back here, where every snapshot is written.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC
from itertools import groupby
from uuid import UUID

import numpy as np
import orjson
from django.db import DatabaseError, connection, transaction
from pgvector import HalfVector

from memory_platform.kernel.clock import offset_of, utc_now
from memory_platform.kernel.ids import new_id, stable_id
from memory_platform.kernel.text import content_hash
from memory_platform.observability.logs import Event, log
from profiles.services.tombstones import MessageName, find_forgotten_messages, find_forgotten_texts, has_tombstones
from snapshots.config import compute_expiry, load_retention_policy
from snapshots.embedding.embedding_spaces import ensure_space
from snapshots.embedding.snapshot_drafts import PreparedSnapshot, SnapshotToStore, VectorPair
from snapshots.models import BLOCK_POSITIONS, Message, Snapshot, SnapshotSource, SnapshotVector, SnapshotWords
from tenants.isolation import current_tenant_id


def drop_forgotten(subject_id: UUID, snapshots: Sequence[PreparedSnapshot]) -> list[PreparedSnapshot]:
    """Return the snapshots that are not forgotten and have a source that is not. The memory is locked.

    One query for a subject without tombstones, which is almost every one.
    """
    if not has_tombstones(subject_id):
        return list(snapshots)
    texts = find_forgotten_texts(subject_id, [one.draft.text for one in snapshots])
    named = _load_message_names(subject_id, [one.draft for one in snapshots])
    gone = find_forgotten_messages(subject_id, {name for names in named.values() for name in names})
    return [
        one
        for one in snapshots
        if one.draft.text not in texts and not (named[one.draft.id] and named[one.draft.id] <= gone)
    ]


def _load_message_names(subject_id: UUID, drafts: Sequence[SnapshotToStore]) -> dict[UUID, set[MessageName]]:
    wanted = {message for draft in drafts for message in draft.message_ids}
    rows = Message.objects.filter(subject_id=subject_id, id__in=wanted).order_by() if wanted else Message.objects.none()
    names = {
        row_id: (conversation, message)
        for row_id, conversation, message in rows.values_list("id", "conversation__external_id", "external_id")
    }
    found: dict[UUID, set[MessageName]] = defaultdict(set)
    for draft in drafts:
        found[draft.id] |= {names[message] for message in draft.message_ids if message in names}
    return found


CLAIM_POSITIONS = """
INSERT INTO subject_memory (tenant_id, id, subject_id, version, next_position) VALUES (%s, %s, %s, 1, %s)
ON CONFLICT (tenant_id, subject_id) DO UPDATE
  SET version = subject_memory.version + 1, next_position = subject_memory.next_position + %s
RETURNING next_position
"""

BEGIN_EPOCH = """
INSERT INTO subject_memory (tenant_id, id, subject_id, version, next_position) VALUES (%s, %s, %s, 1, 1)
ON CONFLICT (tenant_id, subject_id) DO UPDATE
  SET version = subject_memory.version + 1, epoch = subject_memory.epoch + 1
RETURNING sealed
"""

# A statement of its own, after the memory is locked: what another transaction seals until then is seen by it.
BREAK_SEALS = """
WITH broken AS (DELETE FROM memory_block WHERE tenant_id = %s AND subject_id = %s AND block = ANY(%s) RETURNING block)
UPDATE subject_memory SET sealed = sealed - (SELECT count(*) FROM broken) WHERE tenant_id = %s AND subject_id = %s
"""

HOLD_MEMORY = """
INSERT INTO subject_memory (tenant_id, id, subject_id, version, next_position) VALUES (%s, %s, %s, 1, 1)
ON CONFLICT (tenant_id, subject_id) DO UPDATE SET version = subject_memory.version
"""


class WrittenVector(HalfVector):
    """A vector that is quick to write: number by number in Python, its text took a tenth of the time of a write."""

    def to_text(self) -> str:
        return orjson.dumps(self.to_numpy().astype(np.float32), option=orjson.OPT_SERIALIZE_NUMPY).decode()


def store_snapshots(snapshots: Sequence[PreparedSnapshot], *, allow_forgotten: bool = False) -> list[UUID]:
    """Store the snapshots that are not stored yet, in the open scope; return the ids in order, old and new.

    Forgotten texts are left out, also of the ids, unless the writer allows them. Subjects are locked in the order of
    their ids, so that two writers cannot deadlock. Vectors go in under a savepoint: when pgvector fails, the memory is
    stored all the same and is found by keywords.
    """
    ordered = sorted(apply_retention(snapshots), key=lambda item: str(item.draft.subject_id))
    numbered: list[tuple[int, PreparedSnapshot]] = []
    for subject_id, group in groupby(ordered, key=lambda item: item.draft.subject_id):
        numbered += _claim_numbers(subject_id, list(group), allow_forgotten=allow_forgotten)
    _insert_snapshots(numbered)
    stored = [item for _, item in numbered]
    store_vectors([(item.draft, item.vectors) for item in stored if item.vectors])
    kept = {item.draft.id for item in stored}
    return [item.draft.id for item in snapshots if item.draft.id in kept]


def apply_retention(snapshots: Sequence[PreparedSnapshot]) -> list[PreparedSnapshot]:
    """Return the snapshots, those with ``by_kind`` with the expiry that the tenant's policy gives their kind."""
    if not any(item.draft.by_kind for item in snapshots):
        return list(snapshots)
    retention, now = load_retention_policy(), utc_now()
    return [
        replace(item, draft=replace(item.draft, expires_at=compute_expiry(item.draft.kind, now, retention)))
        if item.draft.by_kind
        else item
        for item in snapshots
    ]


def store_vectors(pairs: Sequence[tuple[SnapshotToStore, VectorPair]]) -> bool:
    """Store vectors, each in its model's space, under a savepoint; False when pgvector refused them."""
    if not pairs:
        return True
    try:
        with transaction.atomic():
            embedders = {pair.embedder.name: pair.embedder for _, pair in pairs}
            spaces = {name: ensure_space(embedder) for name, embedder in embedders.items()}
            rows = [_make_vector_row(draft, pair, spaces[pair.embedder.name]) for draft, pair in pairs]
            SnapshotVector.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)
    except DatabaseError as failed:
        log(Event.PROVIDER_FAILED, provider="pgvector", rows=len(pairs), error=type(failed).__name__)
        return False
    return True


def begin_memory_epoch(subject_id: UUID, *, changed: Iterable[int]) -> None:
    """Begin a new epoch of a subject's memory and lock it until the transaction ends. Every change to a stored snapshot
    goes through here, with the positions of all that are ``changed``: sealed blocks with them are removed."""
    blocks = sorted({position // BLOCK_POSITIONS for position in changed})
    own = [current_tenant_id(), subject_id]
    with connection.cursor() as cursor:
        cursor.execute(BEGIN_EPOCH, [current_tenant_id(), new_id(), subject_id])
        if cursor.fetchone()[0] and blocks:
            cursor.execute(BREAK_SEALS, [*own, blocks, *own])


def claim_positions(subject_id: UUID, count: int) -> int:
    """Return the first of ``count`` new positions; the memory is locked until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute(CLAIM_POSITIONS, [current_tenant_id(), new_id(), subject_id, count + 1, count])
        row = cursor.fetchone()
    return int(row[0]) - count


def lock_memory(subject_id: UUID) -> None:
    """Lock a subject's memory until the transaction ends, without changing its version; create it if new. Take it
    before reading data that a write depends on."""
    with connection.cursor() as cursor:
        cursor.execute(HOLD_MEMORY, [current_tenant_id(), new_id(), subject_id])


def reindex_snapshot(snapshot: PreparedSnapshot) -> None:
    """Replace words and vectors of a stored snapshot by those of its changed draft, in the transaction of the change.
    Deletes its old vectors from every space: they describe the old text."""
    draft = snapshot.draft
    own = {"subject_id": draft.subject_id, "snapshot_id": draft.id}
    SnapshotWords.objects.filter(**own).update(words=snapshot.words, language=snapshot.language, saying=snapshot.saying)
    SnapshotVector.objects.filter(**own).delete()
    if snapshot.vectors:
        store_vectors([(draft, snapshot.vectors)])


def make_words_row(item: PreparedSnapshot, position: int) -> SnapshotWords:
    return SnapshotWords(
        id=stable_id("words", item.draft.id),
        subject_id=item.draft.subject_id,
        snapshot_id=item.draft.id,
        position=position,
        words=item.words,
        language=item.language,
        saying=item.saying,
    )


def _claim_numbers(
    subject_id: UUID, snapshots: Sequence[PreparedSnapshot], *, allow_forgotten: bool
) -> list[tuple[int, PreparedSnapshot]]:
    first = claim_positions(subject_id, len(snapshots))
    if not allow_forgotten:
        snapshots = drop_forgotten(subject_id, snapshots)  # now that nobody can forget anything of it meanwhile
    return list(enumerate(snapshots, first))


def _insert_snapshots(numbered: Sequence[tuple[int, PreparedSnapshot]]) -> None:
    rows = [_make_snapshot_row(item.draft, position) for position, item in numbered]
    Snapshot.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)
    words = [make_words_row(item, position) for position, item in numbered]
    SnapshotWords.objects.bulk_create(words, ignore_conflicts=True, batch_size=500)
    links = [link for _, item in numbered for link in _make_source_rows(item.draft)]
    SnapshotSource.objects.bulk_create(links, ignore_conflicts=True, batch_size=1000)


def _make_snapshot_row(draft: SnapshotToStore, position: int) -> Snapshot:
    now = utc_now()
    return Snapshot(
        id=draft.id,
        subject_id=draft.subject_id,
        kind=draft.kind,
        text=draft.text,
        name=draft.name,
        conversation_id=draft.conversation_id,
        seq=draft.seq,
        position=position,
        category=draft.category,
        topics=list(draft.topics),
        aliases=list(draft.aliases),
        importance=draft.importance,
        confidence=draft.confidence,
        provenance=draft.provenance,
        metadata=dict(draft.metadata),
        content_hash=content_hash(draft.text),
        masked=draft.masked,
        raw_fallback=draft.raw_fallback,
        said_at=draft.said_at.astimezone(UTC),
        said_offset=offset_of(draft.said_at),
        valid_at=draft.valid_at,
        expires_at=draft.expires_at,
        recorded_at=now,
        last_validated_at=now,
    )


def _make_vector_row(draft: SnapshotToStore, pair: VectorPair, space: UUID) -> SnapshotVector:
    return SnapshotVector(
        id=stable_id("vector", draft.id, space),
        subject_id=draft.subject_id,
        snapshot_id=draft.id,
        space_id=space,
        dated=WrittenVector(pair.dated),
        previous=WrittenVector(pair.previous),
    )


def _make_source_rows(draft: SnapshotToStore) -> Iterator[SnapshotSource]:
    start, end = draft.span or (None, None)
    for message_id in draft.message_ids:
        yield SnapshotSource(
            id=stable_id("source", draft.id, message_id),
            subject_id=draft.subject_id,
            memory_id=draft.id,
            message_id=message_id,
            span_start=start,
            span_end=end,
        )

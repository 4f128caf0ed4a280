"""Build indexes of an earlier moment: today's without later memories, with changed ones as they were.

A memory that was reworded since is found by its old words; its old vectors are gone. Expiry is that of today.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np

from snapshots.embedding.embedding_spaces import Embedders
from snapshots.embedding.index_row_packing import replace_text_postings
from snapshots.embedding.indexed_text import IndexedText, SpokenTurn, index_text
from snapshots.embedding.snapshot_history import INDEXED, NOTHING_CHANGED, EarlierSnapshot, load_changed_since
from snapshots.models import Snapshot
from snapshots.recall.loading.damaged_index import mark_damaged_words
from snapshots.recall.loading.load_stored_memory import SubjectReader
from snapshots.recall.loading.loaded_indexes import LoadedIndexes, unpack_rows
from snapshots.recall.loading.memory_rows import MemoryColumns, drop_damaged_words, load_rows, load_vectors
from snapshots.recall.loading.past_index_limits import check_build_size
from snapshots.recall.memory_indexes.memory_index import (
    NOT_HELD,
    MemoryIndex,
    UnlinkedRows,
    join_rows,
    link_rows,
    make_unlinked_rows,
    take_rows,
)
from snapshots.recall.values import SEARCHED_LANES, SNAPSHOTS, DegradedReason, RecallQuery
from tenants.isolation import current_tenant_id


@dataclass(frozen=True, slots=True)
class IndexesThen:
    indexes: Mapping[str, MemoryIndex]
    degraded: frozenset[DegradedReason]
    earlier: Mapping[UUID, EarlierSnapshot]


def load_indexes_at(
    reader: SubjectReader, loaded: LoadedIndexes, embedders: Embedders, query: RecallQuery
) -> IndexesThen:
    """Return the indexes at ``query.known_at`` for the lanes that are asked, and for the snapshots in any case.

    Changes are read in a scope that ends with the reading. Raises MemoryTooLarge.
    """
    known_at = query.known_at
    now = {lane: loaded.get_index(lane) for lane in {SNAPSHOTS} | (SEARCHED_LANES & query.lanes)}
    if known_at is None:
        return IndexesThen(now, loaded.degraded, NOTHING_CHANGED)
    with reader.scope():
        check_build_size(loaded.subject_id, embedders, known_at)
        earlier = load_changed_since(loaded.subject_id, known_at)
        changed, rows, degraded = load_changed_rows(loaded.subject_id, embedders, earlier)
    then = {lane: make_index_at(index, known_at, changed, rows) for lane, index in now.items()}
    return IndexesThen(then, loaded.degraded | degraded, earlier)


def load_changed_rows(
    subject_id: UUID, embedders: Embedders, earlier: Mapping[UUID, EarlierSnapshot]
) -> tuple[list[UUID], UnlinkedRows, frozenset[DegradedReason]]:
    """Return ids and past rows of ``earlier`` memories, and degraded reasons. In the open scope."""
    found, unread = drop_damaged_words(load_rows(subject_id, list(earlier)) if earlier else [])
    mark_damaged_words(current_tenant_id(), subject_id, unread)
    as_they_were = [row.id for row in found if not _is_reworded(earlier[row.id])]
    vectors, degraded = load_vectors(subject_id, embedders if as_they_were else (), as_they_were)
    rows = [_restore_earlier_row(row, earlier[row.id]) for row in found]
    return [row.id for row in rows], unpack_rows(rows, vectors, embedders), degraded


def make_index_at(index: MemoryIndex, known_at: datetime, changed: Sequence[UUID], rows: UnlinkedRows) -> MemoryIndex:
    """Return the index at ``known_at``, with ``changed`` memories as in ``rows``. It equals the index that would have
    been built then; ``index`` itself where nothing differs."""
    columns, moment = index.columns, known_at.timestamp()
    held = (columns.created_at <= moment) & (columns.retired_at > moment)
    places = np.array(index.find_rows(b"".join(one.bytes for one in changed)), np.int64)
    then = np.flatnonzero(np.where(places == NOT_HELD, False, held[places]) if len(index.ids) else [])
    kept = held.copy()
    kept[places[then]] = False
    if kept.all():
        return index
    unchanged = np.flatnonzero(kept)
    both = join_rows([take_rows(make_unlinked_rows(index), unchanged), take_rows(rows, then)])
    return link_rows(take_rows(both, np.argsort(np.concatenate([unchanged, places[then]]))))


def _restore_earlier_row(row: MemoryColumns, then: EarlierSnapshot) -> MemoryColumns:
    """Return ``row`` with its values of then; speaker and previous turn cannot have changed."""
    held = then.snapshot
    indexed = _index_earlier_text(held) if _is_reworded(then) else None
    return row._replace(
        words=replace_text_postings(bytes(row.words), indexed) if indexed else row.words,
        saying=indexed.saying if indexed else row.saying,
        said_at=held.said_at,
        valid_at=held.valid_at,
        invalid_at=held.invalid_at,
        last_validated_at=held.last_validated_at,
        confidence=held.confidence,
        importance=held.importance,
        provenance=held.provenance,
        topics=held.topics,
        vital=bool(then.note.get("vital_class", row.vital)),
    )


def _is_reworded(then: EarlierSnapshot) -> bool:
    return not INDEXED.isdisjoint(then.changed)


def _index_earlier_text(snapshot: Snapshot) -> IndexedText:
    turn = SpokenTurn(snapshot.text, snapshot.name, snapshot.said_locally)
    return index_text(turn, category=snapshot.category or None, topics=snapshot.topics, aliases=snapshot.aliases)

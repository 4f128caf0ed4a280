"""Images of an earlier moment: today's without what came later, and changed memories as they were.

A memory that was reworded since is found by its words of then; its vectors of then are gone. Expiry is that of today.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np

from snapshots.embedding.contextual import IndexedText, Turn, index_text
from snapshots.embedding.rows import reworded
from snapshots.embedding.spaces import Embedders
from snapshots.embedding.versions import INDEXED, HeldThen, changed_since
from snapshots.models import Snapshot
from snapshots.recall.degraded import DegradedReason
from snapshots.recall.images.image import NOT_HELD, Image, Rows, join, link, rows_of, take
from snapshots.recall.loading.current import Whose
from snapshots.recall.loading.earlier import check_size
from snapshots.recall.loading.images import LoadedImage, unpack_rows
from snapshots.recall.loading.mending import mark_unread
from snapshots.recall.loading.rows import Row, legible, read_rows, read_vectors
from snapshots.recall.texts import NOTHING_CHANGED
from snapshots.recall.values import SEARCHED, SNAPSHOTS, RecallQuery
from tenants.isolation import current_tenant_id


@dataclass(frozen=True, slots=True)
class HeldImages:
    """The images of one moment by lane, what was missing, and the memories that were changed since."""

    images: Mapping[str, Image]
    degraded: frozenset[DegradedReason]
    earlier: Mapping[UUID, HeldThen]


def held_at(whose: Whose, loaded: LoadedImage, embedders: Embedders, query: RecallQuery) -> HeldImages:
    """Return the images at ``query.known_at`` for the lanes that are asked, and for the snapshots in any case.

    Changes are read in a scope that ends with the reading. Raises MemoryTooLarge.
    """
    known_at = query.known_at
    now = {lane: loaded.image_of(lane) for lane in {SNAPSHOTS} | (SEARCHED & query.lanes)}
    if known_at is None:
        return HeldImages(now, loaded.degraded, NOTHING_CHANGED)
    with whose.scope():
        check_size(loaded.subject_id, embedders, known_at)
        earlier = changed_since(loaded.subject_id, known_at)
        changed, rows, degraded = read_changed(loaded.subject_id, embedders, earlier)
    then = {lane: image_then(image, known_at, changed, rows) for lane, image in now.items()}
    return HeldImages(then, loaded.degraded | degraded, earlier)


def read_changed(
    subject_id: UUID, embedders: Embedders, earlier: Mapping[UUID, HeldThen]
) -> tuple[list[UUID], Rows, frozenset[DegradedReason]]:
    """Return the ids and rows of ``earlier`` memories as they were, and what was missing. In the open scope."""
    found, unread = legible(read_rows(subject_id, list(earlier)) if earlier else [])
    mark_unread(current_tenant_id(), subject_id, unread)
    as_they_were = [row.id for row in found if not _reworded(earlier[row.id])]
    vectors, degraded = read_vectors(subject_id, embedders if as_they_were else (), as_they_were)
    rows = [_row_then(row, earlier[row.id]) for row in found]
    return [row.id for row in rows], unpack_rows(rows, vectors, embedders), degraded


def image_then(image: Image, known_at: datetime, changed: Sequence[UUID], rows: Rows) -> Image:
    """Return the image at ``known_at``, with ``changed`` memories as in ``rows``.

    It equals the image that would have been built then; ``image`` itself where nothing differs.
    """
    columns, moment = image.columns, known_at.timestamp()
    held = (columns.created_at <= moment) & (columns.retired_at > moment)
    places = np.array(image.rows_of_ids(b"".join(one.bytes for one in changed)), np.int64)
    then = np.flatnonzero(np.where(places == NOT_HELD, False, held[places]) if len(image.ids) else [])
    kept = held.copy()
    kept[places[then]] = False
    if kept.all():
        return image
    unchanged = np.flatnonzero(kept)
    both = join([take(rows_of(image), unchanged), take(rows, then)])
    return link(take(both, np.argsort(np.concatenate([unchanged, places[then]]))))


def _row_then(row: Row, then: HeldThen) -> Row:
    """Return ``row`` with its values of then; speaker and previous turn cannot have changed."""
    held = then.snapshot
    indexed = _indexed_then(held) if _reworded(then) else None
    return row._replace(
        words=reworded(bytes(row.words), indexed) if indexed else row.words,
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


def _reworded(then: HeldThen) -> bool:
    return not INDEXED.isdisjoint(then.changed)


def _indexed_then(held: Snapshot) -> IndexedText:
    turn = Turn(held.text, held.name, held.said_locally)
    return index_text(turn, category=held.category or None, topics=held.topics, aliases=held.aliases)

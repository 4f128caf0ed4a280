"""Index and embed drafts of snapshots, before any transaction is open."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

import numpy as np
import numpy.typing as npt

from memory_platform.kernel.clock import utc_now
from memory_platform.observability.logs import Event, log
from memory_platform.providers.contracts import Embedder, EmbeddingRefused, EmbeddingUnavailable
from memory_platform.providers.registry import find_embedder_for
from snapshots.embedding.embedding_spaces import Embedders
from snapshots.embedding.indexed_text import IndexedText, SpokenTurn, index_note_or_reply, index_text
from snapshots.embedding.near_duplicates import REPEATS_NOTHING
from snapshots.embedding.packed_index import pack_postings
from snapshots.models.snapshot import CUT_OUT

Float32 = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SnapshotToStore:
    """A snapshot to be stored. Storing the same ``id`` twice stores one row.

    ``previous`` is the turn before it; ``previous_is_memory``: that turn is a snapshot of its own. ``message_ids`` are
    its messages, ``span`` its characters in each. Times are aware, ``said_at`` in the speaker's zone as far as it is
    known; ``expires_at`` None means never; ``by_kind``: it follows the tenant's retention of the kind.
    """

    id: UUID
    subject_id: UUID
    kind: str
    text: str
    said_at: datetime
    valid_at: datetime
    expires_at: datetime | None
    name: str | None = None
    conversation_id: UUID | None = None
    seq: int | None = None
    previous: SpokenTurn | None = None
    previous_is_memory: bool = True
    category: str = ""
    topics: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    importance: float = 0.5
    confidence: float = 0.6
    provenance: str = "observation"
    metadata: Mapping[str, object] = field(default_factory=dict)
    message_ids: tuple[UUID, ...] = ()
    masked: bool = False
    raw_fallback: bool = False
    by_kind: bool = False
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class VectorPair:
    """The unit vectors of a draft's two texts, each of shape (d,), and the model that made them."""

    embedder: Embedder
    dated: Float32
    previous: Float32


@dataclass(frozen=True, slots=True)
class PreparedSnapshot:
    """A draft with its packed words, language and saying, and its vectors where a model answered."""

    draft: SnapshotToStore
    words: bytes
    vectors: VectorPair | None
    language: str = ""
    saying: int = REPEATS_NOTHING


def prepare_snapshots(drafts: Sequence[SnapshotToStore], embedders: Embedders) -> list[PreparedSnapshot]:
    """Return indexed and embedded ``drafts``, with one call to each model. No transaction may be open.

    Without vectors a memory is found by keywords at once, and ``backfill_vectors`` adds them later.
    """
    indexed = [index_draft(draft) for draft in drafts]
    pairs = embed_pairs(indexed, embedders)
    return [
        PreparedSnapshot(draft, pack_postings(text), pair, text.language, text.saying)
        for draft, text, pair in zip(drafts, indexed, pairs, strict=True)
    ]


def index_draft(draft: SnapshotToStore) -> IndexedText:
    """Return the indexed form of a draft."""
    turn = SpokenTurn(draft.text, draft.name, draft.said_at)
    indexed = index_text(
        turn,
        previous=draft.previous,
        previous_is_memory=draft.previous_is_memory,
        category=draft.category or None,
        topics=draft.topics,
        aliases=draft.aliases,
    )
    return index_note_or_reply(indexed, turn) if draft.kind in CUT_OUT else indexed


def embed_pairs(indexed: Sequence[IndexedText], embedders: Embedders) -> list[VectorPair | None]:
    """Return one pair per text from the first embedder that knows its language; None where none answers.

    Rows of another dimension are refused as a whole, rows that are not finite one by one.
    """
    pairs: list[VectorPair | None] = [None] * len(indexed)
    for embedder in embedders:
        known = [i for i, item in enumerate(indexed) if find_embedder_for(item.language, embedders) is embedder]
        for i, pair in zip(known, _embed_by_one_model(embedder, [indexed[i] for i in known]), strict=False):
            pairs[i] = pair
    return pairs


def _embed_by_one_model(embedder: Embedder, indexed: Sequence[IndexedText]) -> list[VectorPair | None]:
    """Return one pair per text of one embedder; none at all when it does not answer."""
    if not indexed:
        return []
    try:
        rows = embedder.embed([text for item in indexed for text in (item.dated, item.continued)])
    except EmbeddingRefused:
        return _embed_by_halves(embedder, indexed)
    except EmbeddingUnavailable:
        return []
    if rows.shape != (2 * len(indexed), embedder.dimensions):
        log(Event.PROVIDER_FAILED, provider=embedder.name, rows=len(indexed), error="wrong_dimension")
        return []
    both = zip(rows[::2], rows[1::2], strict=True)
    return [VectorPair(embedder, *pair) if np.isfinite(pair).all() else None for pair in both]


def _embed_by_halves(embedder: Embedder, indexed: Sequence[IndexedText]) -> list[VectorPair | None]:
    """Return the pairs of texts that were refused together, without texts that are refused alone.

    A model that also refuses a harmless text is not asked again: it would refuse every half.
    """
    half = len(indexed) // 2
    if not half:
        return [None]
    try:
        embedder.embed([f"{utc_now():%A %d %B %Y %H:%M:%S.%f}"])  # a text that no cache holds
    except EmbeddingUnavailable:
        return []
    parts = (indexed[:half], indexed[half:])
    return [pair for part in parts for pair in _embed_by_one_model(embedder, part) or [None] * len(part)]

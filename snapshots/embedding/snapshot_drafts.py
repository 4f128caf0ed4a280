"""Index and embed drafts of snapshots, new or stored ones, before any transaction is open."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

import numpy as np
import numpy.typing as npt
from django.db.models import Q

from memory_platform.kernel.clock import utc_now
from memory_platform.observability.logs import Event, log
from memory_platform.providers.contracts import Embedder, EmbeddingRefused, EmbeddingUnavailable
from memory_platform.providers.registry import find_embedder_for
from snapshots.embedding.embedding_spaces import Embedders
from snapshots.embedding.index_row_packing import pack_postings
from snapshots.embedding.indexed_text import IndexedText, SpokenTurn, index_note_or_reply, index_text
from snapshots.embedding.near_duplicates import REPEATS_NOTHING
from snapshots.models import Message, Snapshot
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
    """Return one pair per text from the first embedder that knows its language; None if no embedder answers. Rows of
    another dimension are refused as a whole, rows that are not finite one by one."""
    pairs: list[VectorPair | None] = [None] * len(indexed)
    for embedder in embedders:
        known = [i for i, item in enumerate(indexed) if find_embedder_for(item.language, embedders) is embedder]
        for i, pair in zip(known, _embed_by_one_model(embedder, [indexed[i] for i in known]), strict=False):
            pairs[i] = pair
    return pairs


def _embed_by_one_model(embedder: Embedder, indexed: Sequence[IndexedText]) -> list[VectorPair | None]:
    """Return one pair per text of one embedder; an empty list if it does not answer."""
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
    """Return the pairs of texts that were refused together, without texts that are refused alone. A model that also
    refuses a harmless text is not asked again: it would refuse every half."""
    half = len(indexed) // 2
    if not half:
        return [None]
    try:
        embedder.embed([f"{utc_now():%A %d %B %Y %H:%M:%S.%f}"])  # a text that no cache holds
    except EmbeddingUnavailable:
        return []
    parts = (indexed[:half], indexed[half:])
    return [pair for part in parts for pair in _embed_by_one_model(embedder, part) or [None] * len(part)]


# A conversation, and a number in it.
ConversationPlace = tuple[UUID, int]

# Returns a text without card and identity numbers and secrets, and how many there were.
MaskText = Callable[[str], tuple[str, int]]


@dataclass(frozen=True, slots=True)
class PreviousTurn:
    """The turn before, and whether it is a snapshot of its own."""

    turn: SpokenTurn | None = None
    is_memory: bool = True


def load_reindexing_drafts(snapshots: Sequence[Snapshot], mask: MaskText) -> list[SnapshotToStore]:
    """Return the drafts of these snapshots as they are now, without their sources. In the open scope."""
    before = load_previous_turns(snapshots, mask)
    return [_draft_stored_snapshot(snapshot, before.get(snapshot.id, PreviousTurn())) for snapshot in snapshots]


def load_previous_turns(snapshots: Sequence[Snapshot], mask: MaskText) -> Mapping[UUID, PreviousTurn]:
    """Return the message before each statement, masked; nothing for one that opened its conversation. Each query reads
    one table, for the reason in :mod:`snapshots.embedding.upkeep.index_entry_walk`."""
    places = {
        snapshot: (snapshot.conversation_id, snapshot.seq - 1)
        for snapshot in snapshots
        if snapshot.conversation_id is not None and snapshot.seq is not None
    }
    if not places:
        return {}
    wanted = set(places.values())
    messages, kinds = _load_messages_at(wanted), _load_kinds_at(wanted)
    return {
        snapshot.id: PreviousTurn(
            SpokenTurn(
                mask(messages[place].content)[0], mask_name(messages[place].name, mask), messages[place].said_locally
            ),
            snapshot.kind in kinds[place],
        )
        for snapshot, place in places.items()
        if place in messages
    }


def mask_name(name: str | None, mask: MaskText) -> str | None:
    """Return a speaker's name with secrets masked: a product may send a card number as a name."""
    return mask(name)[0][: Message._meta.get_field("name").max_length] if name else name


def _load_messages_at(places: Set[ConversationPlace]) -> Mapping[ConversationPlace, Message]:
    near = (
        Message.objects.filter(_build_places_condition(places)).order_by().values_list("id", "conversation_id", "seq")
    )
    ids = [found for found, *place in near if tuple(place) in places]
    messages = Message.objects.filter(id__in=ids).exclude(content="").order_by()
    return {(message.conversation_id, message.seq): message for message in messages}


def _load_kinds_at(places: Set[ConversationPlace]) -> Mapping[tuple[UUID | None, int | None], Set[str]]:
    kinds: dict[tuple[UUID | None, int | None], set[str]] = defaultdict(set)
    rows = (
        Snapshot.objects.filter(_build_places_condition(places))
        .order_by()
        .values_list("conversation_id", "seq", "kind")
    )
    for conversation_id, seq, kind in rows:
        kinds[conversation_id, seq].add(kind)
    return kinds


def _build_places_condition(places: Set[ConversationPlace]) -> Q:
    """Return the condition for ``places``, and for some others of their conversations."""
    return Q(conversation_id__in={place[0] for place in places}, seq__in={place[1] for place in places})


def _draft_stored_snapshot(snapshot: Snapshot, before: PreviousTurn) -> SnapshotToStore:
    return SnapshotToStore(
        id=snapshot.id,
        subject_id=snapshot.subject_id,
        kind=snapshot.kind,
        text=snapshot.text,
        said_at=snapshot.said_locally,
        valid_at=snapshot.valid_at,
        expires_at=snapshot.expires_at,
        name=snapshot.name,
        conversation_id=snapshot.conversation_id,
        seq=snapshot.seq,
        previous=before.turn,
        previous_is_memory=before.is_memory,
        category=snapshot.category,
        topics=tuple(snapshot.topics),
        aliases=tuple(snapshot.aliases),
        importance=snapshot.importance,
        confidence=snapshot.confidence,
        provenance=snapshot.provenance,
        metadata=snapshot.metadata,
        masked=snapshot.masked,
        raw_fallback=snapshot.raw_fallback,
    )

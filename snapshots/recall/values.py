"""The typed values of recall: the query, the rows of an index, and the hits."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from enum import StrEnum
from typing import Any, Literal, NamedTuple, get_args
from uuid import UUID

from memory_platform.kernel.clock import at_offset, in_zone
from snapshots.recall.filtering.filter_grammar import FilterNode


class DegradedReason(StrEnum):
    """From the most to the least serious. The values are public; the last two are reserved."""

    EMBEDDING_UNAVAILABLE = "embedding_unavailable"
    PGVECTOR_UNAVAILABLE = "pgvector_unavailable"
    REDIS_UNAVAILABLE = "redis_unavailable"
    DOCUMENTS_UNAVAILABLE = "documents_unavailable"
    RERANK_TIMEOUT = "rerank_timeout"
    REWRITE_TIMEOUT = "rewrite_timeout"
    JUDGE_TIMEOUT = "judge_timeout"
    GROUNDING_TIMEOUT = "grounding_timeout"
    RERANK_UNCONFIGURED = "rerank_unconfigured"
    REWRITE_UNCONFIGURED = "rewrite_unconfigured"
    JUDGE_UNCONFIGURED = "judge_unconfigured"
    UNDERSTANDING_TIMEOUT = "understanding_timeout"
    REPLICA_LAG = "replica_lag"
    ANN_TRUNCATED = "ann_truncated"


def join_reasons(reasons: Iterable[DegradedReason]) -> str | None:
    """Return the reasons once each, joined by commas, the most serious first; None when nothing was missing."""
    present = set(reasons)
    return ",".join(reason for reason in DegradedReason if reason in present) or None


MemoryKind = Literal["conversation", "segment", "statement", "episode", "consolidated", "manual", "note", "reply"]
MEMORY_KINDS: tuple[MemoryKind, ...] = get_args(MemoryKind)
LANES = ("snapshots", "preferences", "tags", "profile", "notes", "replies", "documents")
SNAPSHOTS = "snapshots"
NOTES = "notes"
REPLIES = "replies"
# Lanes with an index of their own: their memories are of one kind, which no other lane finds.
OWN_INDEX_LANES: Mapping[str, MemoryKind] = {NOTES: "note", REPLIES: "reply"}
# The kinds that the lane of snapshots finds.
SNAPSHOT_KINDS: tuple[MemoryKind, ...] = tuple(kind for kind in MEMORY_KINDS if kind not in OWN_INDEX_LANES.values())
# Lanes that rank an index by the question; the others read what is held.
SEARCHED_LANES = frozenset({SNAPSHOTS, *OWN_INDEX_LANES})
# Documents of the tenant: :mod:`snapshots.knowledge.search.documents_beside_memory` answers for them.
DOCUMENTS = "documents"


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """One question to one subject's memory. Empty sets mean "all"; times are aware; ``asked_at`` is now.

    ``kinds`` narrows snapshots alone. ``notes_top_k`` bounds notes and replies each, None means ``top_k``. With
    ``replies_named`` replies come whatever is asked. ``left_out``: how many memories to report for each reason to leave
    one out. ``sources_within``: the conversation whose memories come with sources; "": no conversation, None: all.

    Below ``min_relevance`` a memory is no answer; ``strict``: nor is one that the question neither names nor very
    probably needs. ``whole``: memories that neither a word nor nearness speaks for come last instead of not at all.
    ``by_relevance``: snapshots are ranked by how probably they help, not by their scores. ``clock``: the moment that
    "yesterday" is read at, None means ``at``.
    """

    text: str
    asked_at: datetime
    top_k: int = 8
    kinds: frozenset[str] = frozenset()
    topics: frozenset[str] = frozenset()
    filter: FilterNode | None = None
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None
    lanes: frozenset[str] = frozenset({SNAPSHOTS, "preferences", "tags", "profile"})
    explain: bool = False
    rerank: bool = False
    rewrite: bool = False
    left_out: int = 0
    sources_within: str | None = None
    notes_top_k: int | None = None
    replies_named: bool = False
    min_relevance: float = 0.0
    strict: bool = False
    whole: bool = False
    by_relevance: bool = False
    clock: datetime | None = None

    @property
    def searches_index(self) -> bool:
        return not SEARCHED_LANES.isdisjoint(self.lanes)

    @property
    def at(self) -> datetime:
        """The moment whose truth is asked for: ``as_of``, else now."""
        return self.as_of or self.asked_at

    @property
    def read_at(self) -> datetime:
        """The moment that times in the question are read at."""
        return self.clock or self.at

    def apply_time_zone(self, zone: tzinfo | None) -> "RecallQuery":
        """Return the question as read in a time zone; itself where it tells its own, or for None."""
        moment = in_zone(self.read_at, zone)
        return self if moment is self.read_at else replace(self, clock=moment)


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """One memory as an index is built from it: the columns that recall reads, and its packed words.

    ``seq`` orders the memories of one conversation, None outside one. ``lex`` and ``dense`` are packed by
    :mod:`snapshots.embedding.index_row_packing`, ``saying`` is :func:`snapshots.embedding.near_duplicates.hash_saying`.
    """

    id: UUID
    kind: str
    lex: bytes
    created_at: datetime
    dense: bytes | None = None
    space: str = ""
    conversation_id: str | None = None
    seq: int | None = None
    name: str | None = None
    said_at: datetime | None = None
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    retired_at: datetime | None = None
    expires_at: datetime | None = None
    last_validated_at: datetime | None = None
    confidence: float = 0.6
    importance: float = 0.5
    provenance: str = "observation"
    injected: int = 0
    positive: int = 0
    topics: tuple[str, ...] = ()
    saying: int = 0
    vital: bool = False


@dataclass(frozen=True, slots=True)
class LaneHit:
    """The place of one memory in one lane: ``rank`` counts from 1, ``score`` is the lane's own (BM25, cosine).

    ``view`` is the view that ranks it higher: ``own`` is the memory alone, ``window`` its words with those around it
    (keyword), ``continued`` the turn before it with it (dense).
    """

    rank: int
    score: float
    view: str = "own"


@dataclass(frozen=True, slots=True)
class ScoreFactors:
    """The multipliers of the final score; 1.0 where the policy switches a factor off."""

    recency: float = 1.0
    confidence_effective: float = 1.0
    provenance: float = 1.0
    frequency: float = 1.0

    @property
    def product(self) -> float:
        return self.recency * self.confidence_effective * self.provenance * self.frequency


class Explanation(NamedTuple):
    """The scores behind a memory's rank, rounded and flat, as receipts keep them.

    Of ``fused``, ``smoothed`` came from its neighbours, ``conversation`` from its session, ``preferred`` from who said
    it, when and how. ``semantic``, 0..1, or ``reranked`` where a reranker gave one, times the factors is the score.
    ``need`` and the fields after it are the parts of the relevance, None if not applicable: see
    :class:`snapshots.recall.ranking.memory_relevance.JudgedMemories`, and for the last three
    :mod:`snapshots.context.choosing.adjusted_relevance`.
    """

    dense_rank: int | None
    dense_score: float
    dense_view: str
    keyword_rank: int | None
    keyword_score: float
    keyword_view: str
    fused: float
    smoothed: float
    conversation: float
    preferred: float
    semantic: float
    reranked: float | None
    recency: float
    confidence_effective: float
    provenance: float
    frequency: float
    need: float | None = None
    named: float | None = None
    as_note: float | None = None
    as_statement: float | None = None
    as_message: float | None = None
    asks_reply: float | None = None
    in_time: float | None = None
    as_tag: float | None = None
    as_older: float | None = None
    as_slot: float | None = None
    share: float | None = None

    @property
    def dense(self) -> LaneHit | None:
        """Its place by vectors; None when they did not find it. Both lanes are None where only the time matched."""
        return None if self.dense_rank is None else LaneHit(self.dense_rank, self.dense_score, self.dense_view)

    @property
    def keyword(self) -> LaneHit | None:
        """Its place by keywords; None when they did not find it."""
        return None if self.keyword_rank is None else LaneHit(self.keyword_rank, self.keyword_score, self.keyword_view)

    @property
    def factors(self) -> ScoreFactors:
        return ScoreFactors(self.recency, self.confidence_effective, self.provenance, self.frequency)


WhyLeftOut = Literal["said_again", "expired", "below_floor"]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Why a near memory is not in the answer, and its kind."""

    why: WhyLeftOut
    kind: MemoryKind


@dataclass(frozen=True, slots=True)
class RankedHit:
    """One ranked memory before its text is read: ``score`` is ``semantic`` times the factors. With ``left_out`` it is
    not in the answer, and ``score`` is the cosine of its nearer view."""

    id: UUID
    score: float
    semantic: float
    explain: Explanation | None = None
    relevance: float = 0.0
    left_out: LeftOut | None = None


@dataclass(frozen=True, slots=True)
class MessageSource:
    """The message behind a memory."""

    conversation_id: str | None
    message_id: str | None


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """A memory with its text, without any index prefix. ``relevance``, 0..1, is how probably it helps.

    ``name`` is the named speaker, None for the subject. ``said_offset`` is in minutes east of UTC. ``grade`` is that of
    all notes made from it; None if they differ, or no note was made from it.
    """

    id: UUID
    lane: str
    kind: str
    text: str
    score: float
    confidence: float
    provenance: str
    name: str | None = None
    category: str | None = None
    topics: tuple[str, ...] = ()
    said_at: datetime | None = None
    said_offset: int | None = None
    valid_at: datetime | None = None
    expires_at: datetime | None = None
    sources: tuple[MessageSource, ...] = ()
    explain: Explanation | None = None
    tokens: int | None = None
    relevance: float = 0.0
    aliases: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    grade: str | None = None

    @property
    def said_locally(self) -> datetime | None:
        """``said_at`` in the speaker's time zone, as far as it is known: it is indexed under that day."""
        return self.said_at and at_offset(self.said_at, self.said_offset)


@dataclass(frozen=True, slots=True)
class NoteSubject:
    """The person or thing that a note is about, if not the subject; ``id`` is the contact's tag, if any."""

    kind: str
    id: UUID | None
    label: str
    relation: str


@dataclass(frozen=True, slots=True)
class RecalledNote:
    """A note: its words and times as a memory, and its details.

    ``about`` is None for a note about the subject, ``vital_class`` empty for one that is not vital. ``context`` is the
    turn before it where the note needs it; ``statement_id`` is the snapshot of its message.
    """

    memory: RecalledMemory
    grade: str
    about: NoteSubject | None = None
    vital_class: str = ""
    possibly_outdated: bool = False
    context: str = ""
    statement_id: UUID | None = None

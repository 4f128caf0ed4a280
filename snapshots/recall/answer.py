"""The answer of one recall, before it is rendered."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from uuid import UUID

from memory_platform.kernel.linear_model import Float32
from memory_platform.postgres.prepared_statements import Rows
from profiles.belief_queries import BeliefRows
from profiles.models import Tag
from profiles.services.tags.lookup import TagMatch
from snapshots.recall.degraded_reasons import DegradedReason
from snapshots.recall.loading.stored_memory import MemoryState
from snapshots.recall.values import RankedHit, RecalledMemory, RecalledNote


@dataclass(frozen=True, slots=True)
class LaneAnswers:
    """The lanes that are read without a search, empty where not asked for.

    ``tags`` are all tags of the subject, ``meant`` those that the question means, the best first.
    """

    beliefs: BeliefRows = field(default_factory=BeliefRows)
    tags: tuple[Tag, ...] = ()
    meant_tags: tuple[TagMatch, ...] = ()


@dataclass(frozen=True, slots=True)
class RecallAnswer:
    """Snapshots, notes and replies best first, the other lanes, degraded reasons, and milliseconds by stage.

    ``subject_id`` is None for an unknown subject. ``state`` is that of the memory when the texts were read, ``more``
    are the rows of the caller's own statements, ``vectors`` the question's by embedding space. ``zone`` is the
    subject's time zone, None where it is unknown. ``holds_any``: whether any memory is held, found or not.
    """

    memories: tuple[RecalledMemory, ...] = ()
    lanes: LaneAnswers = field(default_factory=LaneAnswers)
    degraded: frozenset[DegradedReason] = frozenset()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    subject_id: UUID | None = None
    state: MemoryState = field(default_factory=MemoryState)
    more: tuple[Rows, ...] = ()
    vectors: Mapping[str, Float32] = field(default_factory=dict)
    left_out: tuple[RankedHit, ...] = ()
    notes: tuple[RecalledNote, ...] = ()
    replies: tuple[RecalledMemory, ...] = ()
    needs: float = 1.0
    zone: tzinfo | None = None
    holds_any: bool = False

"""What one recall answers, before it is shown."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from snapshots.recall.degraded import DegradedReason
from snapshots.recall.lanes import RecalledLanes
from snapshots.recall.values import RecalledMemory


@dataclass(frozen=True, slots=True)
class Recalled:
    """What the memory answers: snapshots best first, the other lanes, what was missing, and milliseconds by stage."""

    memories: tuple[RecalledMemory, ...] = ()
    lanes: RecalledLanes = field(default_factory=RecalledLanes)
    degraded: frozenset[DegradedReason] = frozenset()
    timings_ms: Mapping[str, float] = field(default_factory=dict)

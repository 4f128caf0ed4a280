"""What every job of scheduled care can say before it does anything."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CarePreview:
    """What a job would do now in one tenant: how much of each kind, and some of it by id, without content."""

    counts: Mapping[str, int]
    examples: Sequence[str] = field(default=())

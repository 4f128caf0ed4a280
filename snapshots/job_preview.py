"""The preview of a scheduled job."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CarePreview:
    """The effect that a job would have now in one tenant: counts by kind, and some examples by id, without content."""

    counts: Mapping[str, int]
    examples: Sequence[str] = field(default=())

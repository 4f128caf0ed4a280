"""Limits on asking."""

from dataclasses import dataclass
from datetime import timedelta

from memory_platform.kernel.number_sources import assumed, promised


@dataclass(frozen=True, slots=True)
class AskConfig:
    """Limits on asking: one question at a time, and no question that would be a nuisance."""

    per_conversation: int = promised(2)
    same_kind_every: timedelta = promised(timedelta(days=1))
    refused_rests: timedelta = assumed(
        timedelta(days=30), owner="elicitation", settle_by="share of asks accepted, by days since the same was refused"
    )


ASKS = AskConfig()

"""Fixed numbers of the window."""

from dataclasses import dataclass
from datetime import timedelta

from memory_platform.kernel.number_sources import assumed, promised


@dataclass(frozen=True, slots=True)
class WindowConfig:
    """How much of a conversation is kept in Redis, and for how long."""

    messages: int = promised(20)
    tokens: int = promised(5_000)
    kept_for: timedelta = promised(timedelta(hours=24))
    grave_for: timedelta = assumed(timedelta(hours=1), owner="window", settle_by="longest request ever served")


WINDOW_CONFIG = WindowConfig()

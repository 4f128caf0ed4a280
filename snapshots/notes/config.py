"""Tunable numbers of inferred habits."""

from dataclasses import dataclass
from datetime import timedelta

from memory_platform.kernel.number_sources import assumed, promised


@dataclass(frozen=True, slots=True)
class HabitConfig:
    """The confidence of an inferred habit: at first, with each further day, and at most; and when to review it."""

    first: float = promised(0.5)
    step: float = promised(0.1)
    ceiling: float = promised(0.8)
    looked_at_after: timedelta = assumed(
        timedelta(days=60), owner="notes", settle_by="how long habits of products' users last"
    )


HABITS = HabitConfig()

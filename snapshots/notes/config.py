"""Tunable numbers of inferred habits and of questions about notes."""

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


@dataclass(frozen=True, slots=True)
class NoteAskConfig:
    """How many notes one question chooses among, and how many characters of a note it cites."""

    asked_among: int = assumed(5, owner="notes", settle_by="doubts that are still open when somebody is asked")
    asked_chars: int = assumed(120, owner="notes", settle_by="length of notes that are asked about")


HABITS = HabitConfig()
NOTE_ASKS = NoteAskConfig()

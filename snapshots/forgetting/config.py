"""Fixed numbers of orders to forget."""

from dataclasses import dataclass
from datetime import timedelta

from memory_platform.kernel.number_sources import assumed, promised


@dataclass(frozen=True, slots=True)
class ForgettingConfig:
    """How far back an order reaches, and how long it can be undone."""

    turns: int = promised(3)
    withheld: timedelta = promised(timedelta(hours=24))
    erase_every: timedelta = assumed(
        timedelta(minutes=10), owner="forgetting", settle_by="orders that wait beyond their day"
    )
    notes_compared: int = assumed(2_000, owner="forgetting", settle_by="notes of the largest subjects")
    turns_searched: int = assumed(
        60, owner="forgetting", settle_by="turns between a secret and the order that means it"
    )
    told_elsewhere: int = assumed(
        150, owner="forgetting", settle_by="turns between a secret and the order that means it"
    )
    answers_after: int = assumed(2, owner="forgetting", settle_by="answers after an order that repeat what it hid")
    erased_at_once: int = assumed(100, owner="forgetting", settle_by="orders of a day in the largest tenant")


FORGETTING = ForgettingConfig()

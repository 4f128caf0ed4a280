"""Tunable numbers of receipts."""

from dataclasses import dataclass
from datetime import timedelta

from memory_platform.kernel.number_sources import assumed, measured


@dataclass(frozen=True, slots=True)
class ReceiptConfig:
    """How a receipt is packed, and when each memory in it gets a row of its own."""

    compression_level: int = measured(
        1, source="85 rendered memories of locomo-dev, 26 kB: 0.08 ms to 6.5 kB at 1, 0.25 ms to 5.8 kB at 6"
    )
    score_digits: int = assumed(6, owner="receipts", settle_by="calibration from receipts")
    # Until then a look-up by memory reads every receipt of the tenant that has no rows yet.
    spread_every: timedelta = assumed(timedelta(minutes=1), owner="receipts", settle_by="contexts a minute of a tenant")
    spread_batch: int = assumed(50, owner="receipts", settle_by="how long a transaction that writes 5,000 rows lasts")


RECEIPTS = ReceiptConfig()

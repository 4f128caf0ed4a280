"""The numbers of receipts."""

from dataclasses import dataclass

from memory_platform.kernel.policy import assumed, measured


@dataclass(frozen=True, slots=True)
class ReceiptPolicy:
    """How a receipt is packed."""

    compression_level: int = measured(
        1, source="85 rendered memories of locomo-dev, 26 kB: 0.08 ms to 6.5 kB at 1, 0.25 ms to 5.8 kB at 6"
    )
    score_digits: int = assumed(6, owner="receipts", settle_by="calibration from receipts")


RECEIPTS = ReceiptPolicy()

"""Fixed numbers of erasure."""

from dataclasses import dataclass
from datetime import timedelta

from memory_platform.kernel.number_sources import assumed, promised


@dataclass(frozen=True, slots=True)
class ErasureConfig:
    """How much is erased while the caller waits, and in which portions the rest is."""

    at_once_rows: int = promised(50_000)
    batch: int = assumed(5_000, owner="erasure", settle_by="how long a batch holds its locks in production")
    tries: int = assumed(3, owner="erasure", settle_by="deadlocks seen while writers were busy with the subject")
    left_behind: timedelta = assumed(
        timedelta(minutes=2), owner="erasure", settle_by="the longest time that forgetting one memory took"
    )


ERASURE_CONFIG = ErasureConfig()

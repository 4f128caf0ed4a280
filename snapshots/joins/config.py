"""Fixed numbers of joins."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import promised
from snapshots.erasure.config import ERASURE_CONFIG


@dataclass(frozen=True, slots=True)
class JoinConfig:
    """How many rows one transaction moves at most, and how often it is tried while writers are in the way."""

    max_rows: int = promised(50_000)
    tries: int = ERASURE_CONFIG.tries


JOINS = JoinConfig()

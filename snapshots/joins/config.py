"""Fixed numbers of joins."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import promised


@dataclass(frozen=True, slots=True)
class JoinConfig:
    """How many rows one transaction moves at most."""

    max_rows: int = promised(50_000)


JOINS = JoinConfig()

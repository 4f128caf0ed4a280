"""Limits of threads, and when they are pruned."""

from dataclasses import dataclass
from datetime import timedelta

from memory_platform.kernel.number_sources import measured, promised
from tenants.services.job_due_times import Daily


@dataclass(frozen=True, slots=True)
class ThreadConfig:
    """Bytes of names together fit into one row of an index; ``page_bytes`` bounds an answer of many checkpoints."""

    thread_id_bytes: int = promised(1_000)
    namespace_bytes: int = promised(1_000)
    channel_bytes: int = promised(500)
    name_bytes: int = promised(200)
    path_bytes: int = promised(4_000)
    metadata_bytes: int = promised(64 * 1024)
    body_bytes: int = promised(16 * 1024 * 1024)
    page: int = promised(50)
    page_bytes: int = promised(8 * 1024 * 1024)
    ids: int = promised(1_000)
    clock_ahead: timedelta = promised(timedelta(minutes=5))
    history: int = measured(
        5_000, source="LangGraph 1.2.24 stores a value of a channel after so many steps at the latest"
    )


@dataclass(frozen=True, slots=True)
class PruningConfig:
    daily: Daily = promised(Daily(4, 30))


THREADS = ThreadConfig()
PRUNING = PruningConfig()

"""Limits and waiting times of the door for mem0's clients."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import promised


@dataclass(frozen=True, slots=True)
class Mem0Config:
    """Limits that docs/clients/mem0.md promises. ``wait_s``: how long ``add`` waits for memories before it answers
    PENDING; ``looks``: how often it looks meanwhile."""

    wait_s: float = promised(3.0)
    looks: int = promised(60)
    top_k: int = promised(10)  # mem0's own default, as the next two
    threshold: float = promised(0.1)
    page_size: int = promised(100)
    page_size_most: int = promised(1_000)
    page_most: int = promised(1_000_000)
    holders_most: int = promised(10_000)
    subjects_searched: int = promised(20)
    batch_most: int = promised(1_000)  # mem0's own limit
    deleted_most: int = promised(1_000)
    events_listed: int = promised(100)
    summary_memories: int = promised(50)
    query_object_chars: int = promised(8_192)


MEM0 = Mem0Config()

"""Limits of store items."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import promised


@dataclass(frozen=True, slots=True)
class StoreConfig:
    """Bytes of a namespace and a key together fit into one row of an index."""

    labels: int = promised(20)
    namespace_bytes: int = promised(1_000)
    key_bytes: int = promised(1_000)
    value_bytes: int = promised(8 * 1024 * 1024)
    ops: int = promised(1_000)
    results: int = promised(10_000)
    conditions: int = promised(100)
    texts: int = promised(200)
    text_chars: int = promised(8_000)
    query_bytes: int = promised(16 * 1024)
    ttl_minutes: float = promised(60 * 24 * 3_650)


STORE = StoreConfig()

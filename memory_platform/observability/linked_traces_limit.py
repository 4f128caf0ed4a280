"""Limits of traces."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import promised


@dataclass(frozen=True, slots=True)
class TracingConfig:
    """``parents``: how many requests' traces one batch of work shows up in."""

    parents: int = promised(20)


TRACING = TracingConfig()

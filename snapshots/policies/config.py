"""Limits of the policy cache."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import assumed


@dataclass(frozen=True, slots=True)
class PolicyCacheConfig:
    """Limits of the policy cache of a process."""

    # The least recently read go first; a few kB each.
    tenants: int = assumed(1_000, owner="policies", settle_by="tenants that one web process serves between two changes")


HOLDING = PolicyCacheConfig()

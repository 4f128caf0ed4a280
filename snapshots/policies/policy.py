"""The numbers of the room that reads what is in force."""

from dataclasses import dataclass

from memory_platform.kernel.policy import assumed


@dataclass(frozen=True, slots=True)
class HoldingPolicy:
    """How much of what steers tenants a process keeps."""

    tenants: int = assumed(1_000, owner="policies", settle_by="tenants that one web process serves between two changes")
    """The least recently read out first; a few kB each."""


HOLDING = HoldingPolicy()

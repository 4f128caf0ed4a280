"""Numbers of the tenants room."""

from dataclasses import dataclass
from datetime import timedelta

from memory_platform.kernel.policy import assumed, promised


@dataclass(frozen=True, slots=True)
class KeyPolicy:
    """How API keys age."""

    rotation_overlap: timedelta = assumed(
        timedelta(hours=24), owner="tenants", settle_by="asking the first tenants how long a roll-out takes"
    )
    last_used_resolution: timedelta = promised(timedelta(minutes=1), row="T2: last used, written at most once a minute")


KEY_POLICY = KeyPolicy()


@dataclass(frozen=True, slots=True)
class ScopePolicy:
    """What a tenant's transaction may take."""

    idle: timedelta = assumed(
        timedelta(seconds=30),
        owner="tenants",
        settle_by="half a lease: a stopped worker's locks are gone before its work passes on",
    )


SCOPE_POLICY = ScopePolicy()


@dataclass(frozen=True, slots=True)
class ModelUsePolicy:
    """What a tenant's chat models may use."""

    daily_tokens: int = assumed(
        1_000_000, owner="tenants", settle_by="tokens of a day of a real tenant's conversations, by purpose"
    )
    """Read and written together, for each purpose in a UTC day, unless the tenant's route says otherwise."""


MODEL_USE_POLICY = ModelUsePolicy()

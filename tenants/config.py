"""Tunable numbers of tenants."""

from dataclasses import dataclass
from datetime import timedelta

from memory_platform.kernel.number_sources import assumed, measured, promised


@dataclass(frozen=True, slots=True)
class KeyConfig:
    """How API keys age."""

    rotation_overlap: timedelta = assumed(
        timedelta(hours=24), owner="tenants", settle_by="asking the first tenants how long a roll-out takes"
    )
    last_used_resolution: timedelta = promised(timedelta(minutes=1))


KEY_CONFIG = KeyConfig()


@dataclass(frozen=True, slots=True)
class LimitConfig:
    """The default limits of a key and a tenant."""

    requests_per_second: int = promised(100)
    burst: int = promised(300)
    messages_per_day: int = assumed(5_000_000, owner="tenants", settle_by="messages of a day of the largest tenant")
    stored_snapshots: int = assumed(50_000_000, owner="tenants", settle_by="what one database of a tenant is sized for")
    stored_documents: int = assumed(100_000, owner="tenants", settle_by="documents of the largest tenant")
    document_bytes: int = assumed(10 * 1024**3, owner="tenants", settle_by="what one database of a tenant is sized for")
    stored_chunks: int = promised(1_000_000)
    trusted_for: timedelta = assumed(
        timedelta(seconds=5),
        owner="tenants",
        settle_by="what a count costs beside what may go beyond a limit meanwhile",
    )
    stock_trusted_for: timedelta = assumed(
        timedelta(seconds=60), owner="tenants", settle_by="time of one count of a large tenant's snapshots"
    )
    near: float = assumed(0.9, owner="tenants", settle_by="share of a limit from which every request counts anew")
    recount_after: float = assumed(
        10.0, owner="tenants", settle_by="share of a large tenant's time that counting its snapshots takes at its limit"
    )


LIMIT_CONFIG = LimitConfig()


@dataclass(frozen=True, slots=True)
class LedgerConfig:
    every: timedelta = assumed(
        timedelta(minutes=1), owner="tenants", settle_by="events of a busy tenant that a look at its messages adds up"
    )
    batch: int = assumed(5_000, owner="tenants", settle_by="time of one transaction that adds events to their days")
    tier: str = assumed("middle", owner="tenants", settle_by="what products send contexts to: receipts with a route")


LEDGER_CONFIG = LedgerConfig()


@dataclass(frozen=True, slots=True)
class ScopeConfig:
    idle: timedelta = assumed(
        timedelta(seconds=30),
        owner="tenants",
        settle_by="half a lease: a stopped worker's locks are gone before its work passes on",
    )


SCOPE_CONFIG = ScopeConfig()


@dataclass(frozen=True, slots=True)
class ModelUseConfig:
    """The limits of a tenant's chat models."""

    # Read and written together, for each purpose in a UTC day, unless the tenant's route says otherwise.
    daily_tokens: int = assumed(
        1_000_000, owner="tenants", settle_by="tokens of a day of a real tenant's conversations, by purpose"
    )


MODEL_USE_CONFIG = ModelUseConfig()


@dataclass(frozen=True, slots=True)
class RunConfig:
    """How runs of scheduled jobs are told apart, taken over and made up for."""

    beat_tolerance: float = assumed(
        0.9, owner="tenants", settle_by="how unevenly queues deliver: share of an interval after which a run is due"
    )
    least_gap: float = assumed(
        0.5, owner="tenants", settle_by="operators' changes: share of a period between two runs, at the least"
    )
    late: timedelta = assumed(
        timedelta(hours=12), owner="tenants", settle_by="outages of beat: how late a missed time of the day is made up"
    )
    lease: timedelta = assumed(
        timedelta(seconds=90), owner="tenants", settle_by="the longest stretch of one job between two marks"
    )
    mark_every: timedelta = assumed(
        timedelta(seconds=1), owner="tenants", settle_by="cost of a mark against work done twice after a kill"
    )
    deaths: int = assumed(3, owner="tenants", settle_by="why workers die: a tenant's share of them is passed over")
    time: timedelta = assumed(timedelta(seconds=150), owner="tenants", settle_by="Celery's soft time limit of 240 s")
    # Celery ends a task that takes longer.
    longest: timedelta = measured(timedelta(seconds=300), source="tenants/job_decorators.py: time_limit")
    continue_every: timedelta = assumed(
        timedelta(seconds=30), owner="tenants", settle_by="time from a worker's death to its job's going on"
    )


RUN_CONFIG = RunConfig()


@dataclass(frozen=True, slots=True)
class AuditConfig:
    """How the audit trail is sealed and exported, and how many refusals it takes."""

    seal_every: timedelta = promised(timedelta(hours=1))
    records_per_seal: int = measured(10_000, source="a million records: 1 s and 4 MB a seal, on two busy cores")
    # Behind the newest sealed record, records that committed late are still looked for.
    lateness: timedelta = promised(timedelta(days=1))
    sealing_before_export: timedelta = measured(
        timedelta(seconds=5), source="a million records: 50,000 in 5 s, more than an hour brings"
    )
    export_days: tuple[int, ...] = promised((7, 30, 90, 365))
    # Of one person or key in a tenant in an hour, recorded one by one; then each hundredth with its number.
    refusals_per_hour: int = promised(1_000)
    refusals_per_record: int = promised(100)


AUDIT_CONFIG = AuditConfig()


@dataclass(frozen=True, slots=True)
class SupportConfig:
    lasts: timedelta = promised(timedelta(minutes=30))
    longest: timedelta = promised(timedelta(hours=8))


SUPPORT_CONFIG = SupportConfig()


@dataclass(frozen=True, slots=True)
class InvitationConfig:
    """How long the link of an invitation works."""

    lasts: timedelta = promised(timedelta(days=7))


INVITATION_CONFIG = InvitationConfig()

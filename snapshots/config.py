from dataclasses import dataclass
from datetime import datetime, timedelta

from memory_platform.kernel.number_sources import assumed, promised
from profiles.provenance_and_verdict import Provenance
from snapshots.models import SnapshotKind
from tenants.policies.policy_documents import Section
from tenants.policies.value_kinds import Days, DaysOrNever
from tenants.services.policies import load_active_section


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """How long a snapshot is kept, by kind. None, like a missing kind, means until it is retired."""

    conversation: timedelta = promised(timedelta(days=7))
    segment: timedelta = promised(timedelta(days=7))
    statement: timedelta = promised(timedelta(days=180))
    episode: timedelta = promised(timedelta(days=180))
    note: timedelta | None = promised(None)
    reply: timedelta | None = promised(timedelta(days=90))


RETENTION = RetentionPolicy()
_KEPT = Days(1, 3_650)
# A tenant's settings: whole days; for notes and replies also null, which is never.
RETENTION_SECTION = Section(
    "retention",
    RETENTION,
    {
        **dict.fromkeys(("conversation", "segment", "statement", "episode"), _KEPT),
        **dict.fromkeys(("note", "reply"), DaysOrNever(1, 3_650)),
    },
)


def load_retention_policy() -> RetentionPolicy:
    """Return the open tenant's retention of snapshots; one query."""
    return RETENTION_SECTION.apply_values(load_active_section(RETENTION_SECTION.name))


def compute_expiry(kind: str, recorded_at: datetime, policy: RetentionPolicy = RETENTION) -> datetime | None:
    """Return when a snapshot recorded at ``recorded_at`` expires, None for never.

    Counted from recording, not from ``said_at``: imported history is not born expired.
    """
    kept: timedelta | None = getattr(policy, kind, None)
    return None if kept is None else recorded_at + kept


def choose_default_provenance(kind: str) -> Provenance:
    """Return the default provenance of a posted snapshot of this kind.

    A manual one and a note are the product's own word, as its preferences are; the others repeat observations.
    """
    own_word = kind in {SnapshotKind.MANUAL, SnapshotKind.NOTE}
    return Provenance.CONFIRMED_BY_USER if own_word else Provenance.OBSERVATION


@dataclass(frozen=True, slots=True)
class JobConfig:
    """How requested jobs are claimed, retried and given up, and how long a preview may take."""

    lease: timedelta = assumed(
        timedelta(seconds=60), owner="queue", settle_by="the longest part of an import with a slow embedding service"
    )
    attempts: int = assumed(8, owner="queue", settle_by="why jobs fail in production")
    backoff: timedelta = assumed(timedelta(seconds=5), owner="queue", settle_by="how long outages last")
    backoff_cap: timedelta = assumed(timedelta(hours=1), owner="queue", settle_by="how long outages last")
    sweep_every: timedelta = assumed(
        timedelta(seconds=30), owner="queue", settle_by="time from a worker's death to its job's end, in production"
    )
    run: timedelta = assumed(timedelta(seconds=120), owner="queue", settle_by="Celery's soft time limit, halved")
    # Of the walk through a tenant's people or memories; a browser waits for it.
    preview: timedelta = promised(timedelta(seconds=3))


JOB_CONFIG = JobConfig()

"""How long things are kept, and how gently they leave."""

from dataclasses import dataclass
from datetime import timedelta

from memory_platform.kernel.policy import assumed, promised


@dataclass(frozen=True, slots=True)
class IdlePolicy:
    """When a conversation has ended without anybody saying so."""

    after: timedelta = promised(timedelta(minutes=30), row="C5")
    every: timedelta = promised(timedelta(minutes=1), row="C5")
    batch: int = assumed(100, owner="lifecycle", settle_by="time of one batch under load")


@dataclass(frozen=True, slots=True)
class PurgePolicy:
    """What leaves, after how long, how often, how many rows at a time."""

    messages: timedelta = promised(timedelta(days=365), row="C1")
    idempotent_replies: timedelta = promised(timedelta(hours=24), row="E6")
    receipt_texts: timedelta = promised(timedelta(days=7), row="E6")
    done_work: timedelta = assumed(
        timedelta(days=30), owner="lifecycle", settle_by="how far back operators look at finished work"
    )
    job_runs: timedelta = assumed(
        timedelta(days=30), owner="lifecycle", settle_by="how far back operators look at finished jobs"
    )
    every: timedelta = promised(timedelta(hours=1), row="E6")
    batch: int = assumed(200, owner="lifecycle", settle_by="how long a batch holds its locks in production")
    time: timedelta = assumed(timedelta(seconds=120), owner="lifecycle", settle_by="rows that one hour brings")


@dataclass(frozen=True, slots=True)
class BackfillRunPolicy:
    """How often missing vectors are added, and to how many memories of one tenant per run."""

    every: timedelta = assumed(timedelta(minutes=10), owner="lifecycle", settle_by="outages of embedding services")
    limit: int = assumed(1_000, owner="lifecycle", settle_by="time of one run with the slowest embedding service")


@dataclass(frozen=True, slots=True)
class CountRunPolicy:
    """How often the embedding spaces are counted for the console."""

    every: timedelta = assumed(timedelta(hours=1), owner="lifecycle", settle_by="time of one count of a large tenant")


BACKFILL_RUN_POLICY = BackfillRunPolicy()
COUNT_RUN_POLICY = CountRunPolicy()
IDLE_POLICY = IdlePolicy()
PURGE_POLICY = PurgePolicy()

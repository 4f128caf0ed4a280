"""Fixed numbers of keeping, ageing and removing. Tenants may change some of them in their policy."""

from dataclasses import dataclass
from datetime import timedelta

from memory_platform.kernel.number_sources import assumed, measured, promised
from tenants.services.job_due_times import Daily


@dataclass(frozen=True, slots=True)
class IdleConfig:
    """When a conversation has ended without anybody saying so."""

    after: timedelta = promised(timedelta(minutes=30))
    every: timedelta = promised(timedelta(minutes=1))
    batch: int = assumed(100, owner="lifecycle", settle_by="time of one batch under load")


@dataclass(frozen=True, slots=True)
class PurgePolicy:
    """The age at which rows are removed, how often, and how many at a time."""

    messages: timedelta = promised(timedelta(days=365))
    idempotent_replies: timedelta = promised(timedelta(hours=24))
    receipt_texts: timedelta = promised(timedelta(days=7))
    done_work: timedelta = assumed(
        timedelta(days=30), owner="lifecycle", settle_by="how far back operators look at finished work"
    )
    job_runs: timedelta = assumed(
        timedelta(days=30), owner="lifecycle", settle_by="how far back operators look at finished jobs"
    )
    receipts: timedelta = assumed(
        timedelta(days=365), owner="lifecycle", settle_by="how far back answers are asked about: as long as messages"
    )
    # Decided ones; candidates that wait for a person are kept.
    candidates: timedelta = assumed(
        timedelta(days=180), owner="lifecycle", settle_by="how far back reviewers look at what was decided"
    )
    fast_lane: timedelta = assumed(timedelta(days=30), owner="lifecycle", settle_by="days that indicators are made of")
    # Since the last change; a task whose episode is held stays as long as that.
    tasks: timedelta = promised(timedelta(days=180))
    asks: timedelta = assumed(
        timedelta(days=365),
        owner="lifecycle",
        settle_by="how far back products ask what was asked: as long as messages",
    )
    tool_saves: timedelta = assumed(
        timedelta(days=30), owner="lifecycle", settle_by="how long conversations go on in which tools save"
    )
    acts: timedelta = assumed(
        timedelta(days=30), owner="lifecycle", settle_by="how late staff take back what they did to a memory"
    )
    ended_jobs: timedelta = assumed(
        timedelta(days=30), owner="lifecycle", settle_by="how late products ask for a result"
    )
    model_usage: timedelta = assumed(timedelta(days=400), owner="lifecycle", settle_by="yearly bills")
    keys: timedelta = assumed(
        timedelta(days=365), owner="lifecycle", settle_by="how long an audit asks whose key it was, after its end"
    )
    # Since an agent last saved something in the thread.
    threads: timedelta = promised(timedelta(days=365))
    # The newest ones that each namespace of a thread keeps.
    checkpoints: int = promised(1_000)
    thread_tombstones: timedelta = promised(timedelta(days=30))
    # Of webhooks, whatever became of them.
    webhook_deliveries: timedelta = promised(timedelta(days=14))
    # After the life of an item has ended, in which nobody reads it any more.
    ended_items: timedelta = promised(timedelta(0))
    every: timedelta = promised(timedelta(hours=1))
    # Rows in the first transaction; later ones follow the time that the last one took.
    batch: int = assumed(200, owner="lifecycle", settle_by="how long a batch holds its locks in production")
    batch_most: int = assumed(2_000, owner="lifecycle", settle_by="how long a batch holds its locks in production")
    batch_s: float = measured(
        0.03,
        source="docs/operations/care.md: aiming at 50 ms, the longest of 225,500 rows' transactions took 104; "
        "promised 100",
    )
    rest: float = assumed(1.0, owner="lifecycle", settle_by="p95 of recall while it purges: pause, in times of a batch")


@dataclass(frozen=True, slots=True)
class BackfillRunConfig:
    """How often missing vectors are added, and to how many memories of one tenant per run."""

    every: timedelta = assumed(timedelta(minutes=10), owner="lifecycle", settle_by="outages of embedding services")
    limit: int = assumed(1_000, owner="lifecycle", settle_by="time of one run with the slowest embedding service")


@dataclass(frozen=True, slots=True)
class CountRunConfig:
    """How often the embedding spaces are counted for the console."""

    every: timedelta = assumed(timedelta(hours=1), owner="lifecycle", settle_by="time of one count of a large tenant")


@dataclass(frozen=True, slots=True)
class CalibrationConfig:
    """How confidence follows the reception of injections since the last calibration. Shares are of judgements.

    Of several rules that hold the first counts, in the order disliked, corrected, liked.
    """

    disliked_injected: int = promised(5)
    disliked_below: float = promised(0.3)
    disliked: float = promised(-0.2)
    # Vital notes do not need it: they are reviewed whenever they were corrected often enough.
    corrected_injected: int = promised(5)
    corrected_times: int = promised(2)
    corrected: float = promised(-0.15)
    liked_injected: int = promised(10)
    liked_above: float = promised(0.8)
    liked: float = promised(0.1)
    # Fewer judgements make no share: one turn that went badly says little about a memory.
    judged_least: int = assumed(
        3, owner="lifecycle", settle_by="how often what few judgements moved was moved back by the later ones"
    )
    floor: float = promised(0.1)
    retire_below: float = promised(0.2)
    daily: Daily = assumed(Daily(2, 40), owner="lifecycle", settle_by="hours in which tenants are quiet")
    batch: int = assumed(200, owner="lifecycle", settle_by="how long a batch holds its subjects in production")


@dataclass(frozen=True, slots=True)
class ReviewConfig:
    """Which memories a person should review. The decay is that of ranking: a share by days since validated."""

    days: tuple[float, ...] = promised((30, 90, 180))
    shares: tuple[float, ...] = promised((1.0, 0.85, 0.6, 0.3))
    # Effective confidence.
    unsure_below: float = promised(0.2)
    stale_after: timedelta = promised(timedelta(days=180))
    kept_for: timedelta = assumed(
        timedelta(days=180), owner="lifecycle", settle_by="how often people decide the same again: asked no sooner"
    )
    open_most: int = assumed(
        1_000, owner="lifecycle", settle_by="how many a team looks at in a month: open rows of one tenant at the most"
    )
    daily: Daily = assumed(Daily(3, 0), owner="lifecycle", settle_by="hours in which tenants are quiet")
    batch: int = assumed(500, owner="lifecycle", settle_by="how long a batch takes in production")


@dataclass(frozen=True, slots=True)
class EvictionConfig:
    """How many memories there is room for. The worth of one is importance x ``decay`` ^ days since it was said."""

    subject: int = assumed(
        100_000, owner="lifecycle", settle_by="largest memories that recall answers from in its time: ten such subjects"
    )
    tenant: int = assumed(50_000_000, owner="lifecycle", settle_by="what one database of a tenant is sized for")
    decay: float = promised(0.95)
    daily: Daily = assumed(Daily(4, 0), owner="lifecycle", settle_by="hours in which tenants are quiet")


@dataclass(frozen=True, slots=True)
class ArchiveConfig:
    """When the words of a conversation's messages move to the archive, and how many in one transaction."""

    after: timedelta = assumed(
        timedelta(days=90), owner="lifecycle", settle_by="age of conversations that products read or go on with"
    )
    stretch: int = assumed(500, owner="lifecycle", settle_by="how long a stretch holds its rows in production")
    batch: int = assumed(100, owner="lifecycle", settle_by="time of one look for aged conversations in production")
    level: int = assumed(6, owner="lifecycle", settle_by="bytes against time, on messages of production")
    daily: Daily = assumed(Daily(3, 30), owner="lifecycle", settle_by="hours in which tenants are quiet")


ARCHIVE = ArchiveConfig()
BACKFILL_RUN_CONFIG = BackfillRunConfig()
CALIBRATION = CalibrationConfig()
COUNT_RUN_CONFIG = CountRunConfig()
EVICTION = EvictionConfig()
IDLE_CONFIG = IdleConfig()
REVIEW = ReviewConfig()
PURGE_POLICY = PurgePolicy()

"""Fixed numbers of the queue. Durations are timedeltas, sizes are items."""

from dataclasses import dataclass
from datetime import timedelta

from memory_platform.kernel.number_sources import assumed, measured, promised
from snapshots.models import WorkKind


@dataclass(frozen=True, slots=True)
class QueueConfig:
    """How work is claimed, retried and given up."""

    lease: timedelta = assumed(
        timedelta(seconds=60), owner="queue", settle_by="time from a worker's death to its work's end, in production"
    )
    renew_every: timedelta = assumed(
        timedelta(seconds=20), owner="queue", settle_by="a third of the lease: two renewals may fail before it is lost"
    )
    batch: int = measured(
        200,
        source="4,000 no-op items, one process, 2 busy cores: 100 -> 2,700/s, 200 -> 3,400/s, 400 -> 4,900/s",
    )
    # Text of a batch's messages; the item that passes the limit is the last. A batch must end well within a turn.
    batch_bytes: int = measured(
        131_072,
        source="60 KB of English or Chinese in one message, embedded models, 2 busy cores: 0.25 s of statements and "
        "0.02 s of extraction",
    )
    conversation_batch: int = assumed(20, owner="queue", settle_by="time of a batch of conversations' ends")
    summary_batch: int = assumed(4, owner="queue", settle_by="time of one running summary with a model configured")
    # User messages of a conversation between two running summaries.
    summary_turns: int = promised(10)
    subject_batch: int = assumed(100, owner="queue", settle_by="time of one extraction batch with a model configured")
    subjects_visited: int = assumed(1_000, owner="queue", settle_by="a tenant with more subjects in backlog at once")
    attempts: int = promised(8)
    extract_attempts: int = promised(3)
    backoff: timedelta = promised(timedelta(seconds=5))
    backoff_cap: timedelta = promised(timedelta(hours=1))
    outage_pause: timedelta = assumed(
        timedelta(seconds=15), owner="queue", settle_by="how long outages of configured providers last"
    )
    # How long one tenant is served while others wait.
    turn: timedelta = assumed(
        timedelta(seconds=1), owner="queue", settle_by="how long tenants wait for each other in production"
    )
    # After its first turn, a tenant for whom nobody waited checks this often whether somebody does.
    look_every: timedelta = assumed(
        timedelta(milliseconds=250), owner="queue", settle_by="how long tenants wait for each other in production"
    )
    # How long the seat of a worker that died stays taken.
    seat: timedelta = assumed(
        timedelta(seconds=15),
        owner="queue",
        settle_by="half as long again as a drain lasts",
    )
    seat_renewed_every: timedelta = assumed(
        timedelta(seconds=5), owner="queue", settle_by="a third of the seat: two renewals may fail before it is lost"
    )
    drain_budget: timedelta = promised(timedelta(seconds=10))

    sweep_every: timedelta = promised(timedelta(seconds=2))
    tenants_swept: int = promised(100)

    def get_batch_size(self, kind: WorkKind) -> int:
        """Return how many items of this kind a batch may have: a conversation has many messages, a model is slow."""
        most = {WorkKind.CONVERSATION: self.conversation_batch, WorkKind.SUMMARY: self.summary_batch}
        return min(self.batch, most.get(kind, self.batch))

    def get_attempt_limit(self, kind: WorkKind) -> int:
        return self.extract_attempts if kind == WorkKind.EXTRACT else self.attempts


QUEUE_CONFIG = QueueConfig()


@dataclass(frozen=True, slots=True)
class WakeUpConfig:
    """How workers learn that there is work. A lost wake-up costs the sweep's interval, not the work."""

    quiet: timedelta = assumed(
        timedelta(milliseconds=50), owner="queue", settle_by="share of wake-ups that find nothing, under real traffic"
    )
    life: timedelta = assumed(
        timedelta(seconds=60), owner="queue", settle_by="clocks of the machines: an older wake-up is dropped unread"
    )
    farewell: timedelta = promised(timedelta(milliseconds=300))


WAKE_UP_CONFIG = WakeUpConfig()

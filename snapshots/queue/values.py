"""Values and errors that the queue hands to its callers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory_platform.kernel.errors import Conflict
from snapshots.models import WorkKind


class LeaseLost(Conflict):
    code = "lease_lost"

    def __init__(self) -> None:
        super().__init__("the lease on this work has passed to somebody else")


@dataclass(frozen=True, slots=True)
class ClaimedWork:
    """One item under our lease. Every later write requires its ``lease_token``.

    ``attempts`` counts the failures so far. ``message_id`` is None for a conversation's end. ``trace_parent`` names the
    span that left it, if there was one.
    """

    id: UUID
    kind: WorkKind
    subject_id: UUID
    conversation_id: UUID
    message_id: UUID | None
    generation: int
    attempts: int
    position: int
    trace_parent: str | None
    lease_token: UUID


# Takes ``(tenant_id, items)``: reads in a ``tenant_tx`` of its own, computes with no transaction open, writes in one:
# lock the items, write, complete them. Items come ordered by position. What it raises is retried; ``retryable``
# platform errors cost no attempt.
Handler = Callable[[UUID, Sequence[ClaimedWork]], None]

Handlers = Mapping[WorkKind, Handler]


@dataclass(frozen=True, slots=True)
class PendingWork:
    """A subject's unfinished work. ``oldest_seconds``: the age of the oldest open item; None without open items."""

    pending: int
    dead: int
    oldest_seconds: float | None


@dataclass(frozen=True, slots=True)
class TenantBacklog:
    """One tenant's backlog. ``oldest_seconds``: the age of the item that is due longest, None when nothing is due."""

    tenant_id: UUID
    waiting: int
    dead: int
    oldest_seconds: float | None


@dataclass(frozen=True, slots=True)
class WorkCounts:
    """All items that a tenant ever accepted, by state."""

    ready: int
    leased: int
    done: int
    dead: int
    removed: int

    @property
    def accepted_total(self) -> int:
        return self.ready + self.leased + self.done + self.dead + self.removed


@dataclass(frozen=True, slots=True)
class DrainReport:
    """The result of one drain. ``more``: its time ran out before the work did."""

    done: int
    failed: int
    more: bool

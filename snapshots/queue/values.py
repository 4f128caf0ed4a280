"""What the queue hands to its callers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from snapshots.models import WorkKind


@dataclass(frozen=True, slots=True)
class ClaimedWork:
    """One item under a lease of ours. ``lease_token`` proves it: every later write requires it.

    ``attempts`` counts the failures so far. ``message_id`` is None for a conversation's end.
    """

    id: UUID
    kind: WorkKind
    subject_id: UUID
    conversation_id: UUID
    message_id: UUID | None
    generation: int
    attempts: int
    position: int
    lease_token: UUID


Handler = Callable[[UUID, Sequence[ClaimedWork]], None]
"""``(tenant_id, items)``: reads in a ``tenant_tx`` of its own, computes with none open, writes in one: hold, write,
complete. Items come ordered by position. What it raises is retried; ``retryable`` platform errors cost no attempt."""

Handlers = Mapping[WorkKind, Handler]


@dataclass(frozen=True, slots=True)
class Pending:
    """A subject's unfinished work. ``oldest_seconds`` is the age of the oldest open item, None when there is none."""

    pending: int
    dead: int
    oldest_seconds: float | None


@dataclass(frozen=True, slots=True)
class TenantWork:
    """One tenant's backlog; ``oldest_seconds`` is the age of what is due longest, None when nothing is."""

    tenant_id: UUID
    waiting: int
    dead: int
    oldest_seconds: float | None


@dataclass(frozen=True, slots=True)
class WorkCounts:
    """Where a tenant's items stand, of all that were ever accepted."""

    ready: int
    leased: int
    done: int
    dead: int
    removed: int

    @property
    def accepted(self) -> int:
        """The conservation law's left side: what was ever enqueued."""
        return self.ready + self.leased + self.done + self.dead + self.removed


@dataclass(frozen=True, slots=True)
class DrainReport:
    """What one drain did. ``more`` says that its time ran out before the work did."""

    done: int
    failed: int
    more: bool

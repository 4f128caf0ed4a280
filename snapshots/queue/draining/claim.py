"""Claiming work, inside the open ``tenant_tx``, which must commit before the work is begun.

``statement`` and ``conversation`` items have no order. ``extract`` items go by position within a subject: a claim takes
the earliest open items of subjects of which no worker holds any. Dead items step aside.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from memory_platform.observability.logs import Event, log
from snapshots.models import WorkKind
from snapshots.queue import sql
from snapshots.queue.config import QUEUE_POLICY, QueueConfig
from snapshots.queue.sql_execution import run_sql
from snapshots.queue.values import ClaimedWork

ORDERED_KINDS = frozenset({WorkKind.EXTRACT})
FIRST_SUBJECT = UUID(int=0)


@dataclass(frozen=True, slots=True)
class DueKind:
    """One kind with something to do. ``subject_id``: whose item waits longest, None when all of it is abandoned."""

    kind: WorkKind
    subject_id: UUID | None
    abandoned: bool


def find_due_kinds(kinds: Iterable[WorkKind]) -> list[DueKind]:
    found = run_sql(sql.DUE, kinds=[kind.value for kind in kinds])
    return [DueKind(WorkKind(kind), subject_id, lost) for kind, subject_id, lost in found if subject_id or lost]


def claim_items(
    kind: WorkKind, *, begin_at: UUID = FIRST_SUBJECT, config: QueueConfig = QUEUE_POLICY
) -> list[ClaimedWork]:
    """Lease a batch of due items, ordered by position; empty when there are none or other workers have them.

    A batch ends with the item whose text makes it ``batch_bytes``, however few these are. For an ordered kind the
    search begins at the subject ``begin_at``, and starts over at the first subject if it finds nothing.
    """
    if kind not in ORDERED_KINDS:
        return _build_claimed_items(
            run_sql(sql.CLAIM_ANY_ORDER, **_lease_parameters(kind, config), limit=config.batch_of(kind))
        )
    return _claim_in_order(kind, begin_at, config) or (
        _claim_in_order(kind, FIRST_SUBJECT, config) if begin_at != FIRST_SUBJECT else []
    )


def take_over_items(kind: WorkKind, *, config: QueueConfig = QUEUE_POLICY) -> list[ClaimedWork]:
    """Lease items whose lease has run out; empty when there are none.

    The lost lease counts as an attempt. Items that lost one for the first time go in a batch: most were with a worker
    that died. Items that lost it again go one at a time: an item that kills its worker must not take harmless ones with
    it until all of them are dead.
    """
    return _take_over_batch(kind, config, alone=False) or _take_over_batch(kind, config, alone=True)


def _take_over_batch(kind: WorkKind, config: QueueConfig, *, alone: bool) -> list[ClaimedWork]:
    terms = {"most": config.attempts_of(kind), "in_order": kind in ORDERED_KINDS}
    size = {"alone": alone, "limit": 1 if alone else config.batch_of(kind)}
    while found := run_sql(sql.TAKE_OVER, **_lease_parameters(kind, config), **terms, **size):
        if items := _build_claimed_items(found):
            return items
        log(Event.WORK_DIED, work=found[0][0], kind=kind, code="lease_expired")
    return []


def _claim_in_order(kind: WorkKind, begin_at: UUID, config: QueueConfig) -> list[ClaimedWork]:
    sizes = {"limit": config.batch, "per_subject": config.subject_batch, "subjects": config.subjects_visited}
    return _build_claimed_items(
        run_sql(sql.CLAIM_IN_ORDER, **_lease_parameters(kind, config), begin_at=begin_at, **sizes)
    )


def _lease_parameters(kind: WorkKind, config: QueueConfig) -> dict[str, object]:
    return {"kind": kind.value, "token": uuid4(), "lease": config.lease, "bytes": config.batch_bytes}


def _build_claimed_items(found: Sequence[tuple[Any, ...]]) -> list[ClaimedWork]:
    items = [ClaimedWork(row[0], WorkKind(row[1]), *row[2:]) for row in found if row[-1] is not None]
    return sorted(items, key=lambda item: item.position)

"""Delete expired rows, in small transactions with a rest after each, tenant by tenant.

The preview and the forecast count the same rows that the purge removes. Snapshots are purged by subject, so that each
memory begins one new epoch, not one for every batch.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from datetime import timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Count, Exists, Model, OuterRef, Q, QuerySet
from django.db.models.functions import Now, TruncDate

from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import ROWS_PURGED
from profiles.models import Ask, Candidate, IdempotentReply, ToolSave
from profiles.provenance_and_verdict import Verdict
from snapshots.embedding.snapshot_store import begin_memory_epoch
from snapshots.lifecycle.config import PURGE_POLICY, PurgePolicy
from snapshots.models import (
    AgentThread,
    Episode,
    FastLaneChange,
    Job,
    MemoryAct,
    Message,
    Receipt,
    ReceiptDocument,
    Snapshot,
    StoreItem,
    Task,
    ThreadTombstone,
    WebhookDelivery,
    Work,
    WorkKind,
    WorkState,
)
from snapshots.queue.metrics import remove_work, remove_work_of_messages
from tenants.isolation import tenant_tx
from tenants.models import ApiKey, ModelUsage

Remove = Callable[[Sequence[UUID]], int]


@dataclass(frozen=True, slots=True)
class ExpiringRows:
    """One kind of row that expires: ``rows`` finds the expired ones, ``remove`` removes some by id and counts them."""

    name: str
    rows: Callable[[PurgePolicy], QuerySet[Any]]
    remove: Remove


def count_rows(rows: Mapping[str, QuerySet[Any]]) -> dict[str, int]:
    counts: list[str] = []
    params: list[Any] = []
    for found in rows.values():
        text, given = found.order_by().values("pk").query.sql_with_params()
        counts.append(f"(SELECT count(*) FROM ({text}) AS one)")  # noqa: S608 - the purge's own queries
        params += given
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(counts)}", params)
        return dict(zip(rows, cursor.fetchone(), strict=True))


def delete_rows(rows: QuerySet[Any]) -> int:
    """Delete rows with their dependent rows; return how many of the rows themselves left."""
    return rows.delete()[1].get(rows.model._meta.label, 0)


def expired_snapshots() -> QuerySet[Snapshot]:
    return Snapshot.objects.filter(expires_at__lte=Now())


def _build_removal_by_id(model: type[Model]) -> Remove:
    return lambda ids: delete_rows(model._default_manager.filter(pk__in=ids))


def _build_expiry_by_age(
    name: str, model: type[Model], column: str, age: Callable[[PurgePolicy], timedelta]
) -> ExpiringRows:
    def rows(policy: PurgePolicy) -> QuerySet[Any]:
        return model._default_manager.filter(**{f"{column}__lte": Now() - age(policy)})

    return ExpiringRows(name, rows, _build_removal_by_id(model))


def _old_messages(policy: PurgePolicy) -> QuerySet[Message]:
    return Message.objects.filter(accepted_at__lte=Now() - policy.messages)


def _remove_messages(ids: Sequence[UUID]) -> int:
    remove_work_of_messages(ids)
    return delete_rows(Message.objects.filter(pk__in=ids))


def _done_work(policy: PurgePolicy) -> QuerySet[Work]:
    done = Work.objects.filter(state=WorkState.DONE, done_at__lte=Now() - policy.done_work)
    return done.exclude(kind=WorkKind.CONVERSATION)  # ending an ended conversation again answers with its work


def _old_receipt_texts(policy: PurgePolicy) -> QuerySet[Receipt]:
    return Receipt.objects.filter(rendered__isnull=False, created_at__lte=Now() - policy.receipt_texts)


def _remove_receipt_texts(ids: Sequence[UUID]) -> int:
    ReceiptDocument.objects.filter(receipt_id__in=ids).delete()  # which found the prompt of a deleted document
    return Receipt.objects.filter(pk__in=ids, rendered__isnull=False).update(rendered=None)


def _decided_candidates(policy: PurgePolicy) -> QuerySet[Candidate]:
    return Candidate.objects.filter(created_at__lte=Now() - policy.candidates).exclude(verdict=Verdict.PENDING)


def _old_tasks(policy: PurgePolicy) -> QuerySet[Task]:
    episodes = Episode.objects.filter(subject=OuterRef("subject"), task=OuterRef("id"))
    return Task.objects.filter(~Exists(episodes), updated_at__lte=Now() - policy.tasks)


def _old_usage(policy: PurgePolicy) -> QuerySet[ModelUsage]:
    return ModelUsage.objects.filter(day__lte=TruncDate(Now() - policy.model_usage))


def _ended_keys(policy: PurgePolicy) -> QuerySet[ApiKey]:
    long_ago = Now() - policy.keys
    # An audit still follows a key that another one was rotated to.
    followed = ApiKey.objects.filter(rotated_to__isnull=False).values("rotated_to")
    return ApiKey.objects.filter(Q(expires_at__lte=long_ago) | Q(revoked_at__lte=long_ago)).exclude(id__in=followed)


# What expires besides snapshots, in the order of removal.
EXPIRING_ROWS = (
    ExpiringRows("messages", _old_messages, _remove_messages),
    ExpiringRows("work", _done_work, remove_work),
    _build_expiry_by_age("idempotent_replies", IdempotentReply, "created_at", lambda policy: policy.idempotent_replies),
    ExpiringRows("receipt_texts", _old_receipt_texts, _remove_receipt_texts),
    _build_expiry_by_age("receipts", Receipt, "created_at", lambda policy: policy.receipts),
    ExpiringRows("candidates", _decided_candidates, _build_removal_by_id(Candidate)),
    _build_expiry_by_age("fast_lane_changes", FastLaneChange, "created_at", lambda policy: policy.fast_lane),
    ExpiringRows("tasks", _old_tasks, _build_removal_by_id(Task)),
    _build_expiry_by_age("asks", Ask, "asked_at", lambda policy: policy.asks),
    _build_expiry_by_age("tool_saves", ToolSave, "saved_at", lambda policy: policy.tool_saves),
    _build_expiry_by_age("memory_acts", MemoryAct, "created_at", lambda policy: policy.acts),
    _build_expiry_by_age("ended_jobs", Job, "ended_at", lambda policy: policy.ended_jobs),
    _build_expiry_by_age("threads", AgentThread, "updated_at", lambda policy: policy.threads),
    _build_expiry_by_age("thread_tombstones", ThreadTombstone, "created_at", lambda policy: policy.thread_tombstones),
    _build_expiry_by_age("webhook_deliveries", WebhookDelivery, "created_at", lambda policy: policy.webhook_deliveries),
    _build_expiry_by_age("ended_items", StoreItem, "expires_at", lambda policy: policy.ended_items),
    ExpiringRows("model_usage", _old_usage, _build_removal_by_id(ModelUsage)),
    ExpiringRows("ended_keys", _ended_keys, _build_removal_by_id(ApiKey)),
)


SNAPSHOTS = "snapshots"
# A batch grows to this many times its size at the most, from one transaction to the next.
MOST_GROWTH = 2.0
MayGoOn = Callable[[], bool]


@dataclass(slots=True)
class BatchPace:
    """The size of the next batch, in rows, such that its transaction takes about ``batch_s``."""

    policy: PurgePolicy
    rows: int = field(init=False)

    def __post_init__(self) -> None:
        self.rows = self.policy.batch

    @contextmanager
    def time_batch(self) -> Iterator[None]:
        """Time one transaction that removes a batch, fit the size of the next one, and rest."""
        began = time.monotonic()
        yield
        took = max(time.monotonic() - began, 1e-6)
        fitting = int(self.rows * min(self.policy.batch_s / took, MOST_GROWTH))
        self.rows = min(max(fitting, 1), self.policy.batch_most)
        time.sleep(took * self.policy.rest)


def preview_purge(policy: PurgePolicy = PURGE_POLICY) -> dict[str, int]:
    """Return how many rows of each kind the next purge removes from the tenant of the open scope."""
    return count_rows({SNAPSHOTS: expired_snapshots(), **{one.name: one.rows(policy) for one in EXPIRING_ROWS}})


def forecast_purge(days: int, policy: PurgePolicy = PURGE_POLICY) -> Mapping[str, list[int]]:
    """Return, by kind, how many rows leave now and within each of the ``days`` after, if nothing changes until then.

    In the open scope; one statement a day. The first number equals the preview.
    """
    sums = [_count_expired(policy, timedelta(days=ahead)) for ahead in range(days + 1)]
    return {
        kind: [now, *(max(0, later[kind] - sooner[kind]) for sooner, later in pairwise(sums))]
        for kind, now in sums[0].items()
    }


def purge_tenant(tenant_id: UUID, *, may_go_on: MayGoOn = lambda: True, policy: PurgePolicy = PURGE_POLICY) -> int:
    """Delete expired rows, while ``may_go_on`` allows; return their number.

    Runs outside any ``tenant_tx``. Safe to run twice, also concurrently, and to kill: the next run deletes the rest.
    """
    removed = {SNAPSHOTS: _purge_snapshots(tenant_id, may_go_on, policy)}
    for expiring in EXPIRING_ROWS:
        removed[expiring.name] = _purge_rows(tenant_id, expiring, may_go_on, policy)
    for kind, count in removed.items():
        ROWS_PURGED.labels(kind=kind).inc(count)
    if any(removed.values()):
        log(Event.ROWS_PURGED, tenant=tenant_id, **removed)
    return sum(removed.values())


def remove_snapshots(subject_id: UUID, ids: Sequence[UUID], positions: Sequence[int]) -> int:
    """Delete snapshots of one subject with their words, vectors and sources; its memory begins a new epoch."""
    begin_memory_epoch(
        subject_id, changed=positions
    )  # the memory's lock comes before its snapshots, as for every writer
    return delete_rows(Snapshot.objects.filter(subject_id=subject_id, pk__in=ids))


def _count_expired(policy: PurgePolicy, ahead: timedelta) -> dict[str, int]:
    """Return by kind how many of today's rows have outlived their time ``ahead`` from now."""
    ages: dict[str, Any] = {one.name: getattr(policy, one.name) for one in fields(policy)}
    shorter: dict[str, Any] = {name: age - ahead for name, age in ages.items() if isinstance(age, timedelta)}
    then = replace(policy, **shorter)
    snapshots = Snapshot.objects.filter(expires_at__lte=Now() + ahead)
    return count_rows({SNAPSHOTS: snapshots, **{one.name: one.rows(then) for one in EXPIRING_ROWS}})


def _purge_snapshots(tenant_id: UUID, may_go_on: MayGoOn, policy: PurgePolicy) -> int:
    with tenant_tx(tenant_id):
        counted = expired_snapshots().order_by("subject_id").values_list("subject_id").annotate(Count("id"))
        left: list[tuple[UUID, int]] = list(counted)
    total, pace = 0, BatchPace(policy)
    while left and may_go_on():
        taken = dict(_next_subjects(left, pace.rows))
        with pace.time_batch(), tenant_tx(tenant_id):
            total += sum(_remove_expired(subject_id, most) for subject_id, most in taken.items())
        cut = [(one, count - taken[one]) for one, count in left[: len(taken)] if count > taken[one]]
        left = cut + left[len(taken) :]
    return total


def _next_subjects(left: Sequence[tuple[UUID, int]], rows: int) -> Iterator[tuple[UUID, int]]:
    for subject_id, count in left:
        if rows <= 0:
            return
        yield subject_id, min(count, rows)
        rows -= count


def _remove_expired(subject_id: UUID, most: int) -> int:
    rows = expired_snapshots().filter(subject_id=subject_id).order_by("position")
    found: Mapping[UUID, int] = dict(rows.values_list("id", "position")[:most])
    return remove_snapshots(subject_id, list(found), list(found.values())) if found else 0


def _purge_rows(tenant_id: UUID, expiring: ExpiringRows, may_go_on: MayGoOn, policy: PurgePolicy) -> int:
    total, pace = 0, BatchPace(policy)
    while may_go_on():
        asked = pace.rows
        with pace.time_batch(), tenant_tx(tenant_id):
            ids: list[Any] = list(expiring.rows(policy).order_by().values_list("pk", flat=True)[:asked])
            total += expiring.remove(ids) if ids else 0
        if len(ids) < asked:
            break
    return total

"""Which rows have outlived their time, and how they are removed. Inside an open scope."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.db.models.functions import Now, TruncDate

from profiles.models import Ask, Candidate, IdempotentReply, ToolSave
from profiles.values import Verdict
from snapshots.lifecycle.config import PurgePolicy
from snapshots.models import (
    Episode,
    FastLaneChange,
    Job,
    MemoryAct,
    Message,
    Receipt,
    Snapshot,
    Task,
    Work,
    WorkKind,
    WorkState,
)
from snapshots.queue.metrics.work_counts import remove_work, remove_work_of_messages
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
    """Return rows that leave when the time in ``column`` is ``age`` ago."""

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
    ExpiringRows("model_usage", _old_usage, _build_removal_by_id(ModelUsage)),
    ExpiringRows("ended_keys", _ended_keys, _build_removal_by_id(ApiKey)),
)

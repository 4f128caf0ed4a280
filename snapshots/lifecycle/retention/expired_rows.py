"""Which rows have outlived their time, and how they leave. Inside an open scope (row E6)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.db.models.functions import Now, TruncDate

from profiles.models import Ask, Candidate, IdempotentReply, ToolSave
from profiles.values import Verdict
from snapshots.lifecycle.policy import PurgePolicy
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
from snapshots.queue.figures.counts import remove_work, remove_work_of_messages
from tenants.models import ApiKey, ModelUsage


@dataclass(frozen=True, slots=True)
class Leaving:
    """One kind of row that leaves. ``rows`` selects them, ``remove`` removes some by id and returns how many it did."""

    kind: str
    rows: Callable[[PurgePolicy], QuerySet[Any]]
    remove: Callable[[Sequence[UUID]], int]


def counted(rows: Mapping[str, QuerySet[Any]]) -> dict[str, int]:
    """Return how many rows each of the queries finds, in one statement; in the open scope."""
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
    """Delete rows with what hangs on them; return how many of the rows themselves left."""
    return rows.delete()[1].get(rows.model._meta.label, 0)


def expired_snapshots() -> QuerySet[Snapshot]:
    """Return the snapshots whose time is over."""
    return Snapshot.objects.filter(expires_at__lte=Now())


def _removed(model: type[Model]) -> Callable[[Sequence[UUID]], int]:
    return lambda ids: delete_rows(model._default_manager.filter(pk__in=ids))


def _old_messages(policy: PurgePolicy) -> QuerySet[Message]:
    return Message.objects.filter(accepted_at__lte=Now() - policy.messages)


def _remove_messages(ids: Sequence[UUID]) -> int:
    remove_work_of_messages(ids)
    return delete_rows(Message.objects.filter(pk__in=ids))


def _done_work(policy: PurgePolicy) -> QuerySet[Work]:
    done = Work.objects.filter(state=WorkState.DONE, done_at__lte=Now() - policy.done_work)
    return done.exclude(kind=WorkKind.CONVERSATION)  # ending an ended conversation again answers with its work


def _old_replies(policy: PurgePolicy) -> QuerySet[IdempotentReply]:
    return IdempotentReply.objects.filter(created_at__lte=Now() - policy.idempotent_replies)


def _old_receipt_texts(policy: PurgePolicy) -> QuerySet[Receipt]:
    return Receipt.objects.filter(rendered__isnull=False, created_at__lte=Now() - policy.receipt_texts)


def _remove_receipt_texts(ids: Sequence[UUID]) -> int:
    return Receipt.objects.filter(pk__in=ids, rendered__isnull=False).update(rendered=None)


def _old_receipts(policy: PurgePolicy) -> QuerySet[Receipt]:
    return Receipt.objects.filter(created_at__lte=Now() - policy.receipts)


def _decided_candidates(policy: PurgePolicy) -> QuerySet[Candidate]:
    return Candidate.objects.filter(created_at__lte=Now() - policy.candidates).exclude(verdict=Verdict.PENDING)


def _old_corrections(policy: PurgePolicy) -> QuerySet[FastLaneChange]:
    return FastLaneChange.objects.filter(created_at__lte=Now() - policy.fast_lane)


def _old_tasks(policy: PurgePolicy) -> QuerySet[Task]:
    told = Episode.objects.filter(subject=OuterRef("subject"), task=OuterRef("id"))
    return Task.objects.filter(~Exists(told), updated_at__lte=Now() - policy.tasks)


def _old_asks(policy: PurgePolicy) -> QuerySet[Ask]:
    return Ask.objects.filter(asked_at__lte=Now() - policy.asks)


def _old_tool_saves(policy: PurgePolicy) -> QuerySet[ToolSave]:
    return ToolSave.objects.filter(saved_at__lte=Now() - policy.tool_saves)


def _old_acts(policy: PurgePolicy) -> QuerySet[MemoryAct]:
    return MemoryAct.objects.filter(created_at__lte=Now() - policy.acts)


def _ended_jobs(policy: PurgePolicy) -> QuerySet[Job]:
    return Job.objects.filter(ended_at__lte=Now() - policy.ended_jobs)


def _old_usage(policy: PurgePolicy) -> QuerySet[ModelUsage]:
    return ModelUsage.objects.filter(day__lte=TruncDate(Now() - policy.model_usage))


def _ended_keys(policy: PurgePolicy) -> QuerySet[ApiKey]:
    """Keys that let nobody in for long, and that no key was rotated to: an audit still follows those."""
    long_ago = Now() - policy.keys
    followed = ApiKey.objects.filter(rotated_to__isnull=False).values("rotated_to")
    return ApiKey.objects.filter(Q(expires_at__lte=long_ago) | Q(revoked_at__lte=long_ago)).exclude(id__in=followed)


WHAT_LEAVES = (
    Leaving("messages", _old_messages, _remove_messages),
    Leaving("work", _done_work, remove_work),
    Leaving("idempotent_replies", _old_replies, _removed(IdempotentReply)),
    Leaving("receipt_texts", _old_receipt_texts, _remove_receipt_texts),
    Leaving("receipts", _old_receipts, _removed(Receipt)),
    Leaving("candidates", _decided_candidates, _removed(Candidate)),
    Leaving("fast_lane_changes", _old_corrections, _removed(FastLaneChange)),
    Leaving("tasks", _old_tasks, _removed(Task)),
    Leaving("asks", _old_asks, _removed(Ask)),
    Leaving("tool_saves", _old_tool_saves, _removed(ToolSave)),
    Leaving("memory_acts", _old_acts, _removed(MemoryAct)),
    Leaving("ended_jobs", _ended_jobs, _removed(Job)),
    Leaving("model_usage", _old_usage, _removed(ModelUsage)),
    Leaving("ended_keys", _ended_keys, _removed(ApiKey)),
)
"""What leaves besides snapshots, in this order."""

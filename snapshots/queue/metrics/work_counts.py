"""How much work there is, and how much was removed.

For every tenant: accepted = ready + leased + done + dead + removed.
"""

from collections.abc import Sequence
from uuid import UUID

from django.db import connection
from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import Now

from memory_platform.kernel.ids import new_id
from profiles.models import Subject
from snapshots.models import Conversation, Work, WorkRemoved, WorkState
from snapshots.queue import sql
from snapshots.queue.sql_execution import run_sql
from snapshots.queue.values import PendingWork, TenantBacklog, WorkCounts


def count_pending_work(subject: Subject) -> PendingWork:
    ((open_items, dead, oldest),) = run_sql(sql.PENDING, subject=subject.pk)
    return PendingWork(open_items, dead, oldest)


def count_work() -> WorkCounts:
    states = dict(Work.objects.order_by().values_list("state").annotate(Count("id")))
    removed = WorkRemoved.objects.aggregate(total=Sum("count"))["total"] or 0
    counted = {state: states.get(state, 0) for state in ("ready", "leased", "done", "dead")}
    return WorkCounts(**counted, removed=removed)


def find_tenants_with_due_work(at_most: int) -> list[UUID]:
    """Return tenants with due or abandoned work. Runs outside any tenant's scope."""
    with connection.cursor() as cursor:
        cursor.execute(sql.TENANTS_WITH_DUE_WORK, {"at_most": at_most})
        return [row[0] for row in cursor.fetchall()]


def count_due_work() -> dict[str, int]:
    """Return how many items of the open tenant are due, and how many were abandoned by dead workers."""
    due = Work.objects.filter(state=WorkState.READY, due_at__lte=Now())
    abandoned = Work.objects.filter(state=WorkState.LEASED, lease_until__lte=Now())
    return {"due": due.count(), "abandoned": abandoned.count()}


def count_work_by_tenant() -> list[TenantBacklog]:
    """Return every tenant's waiting and dead items, each at most 1,000. Runs outside any tenant's scope."""
    with connection.cursor() as cursor:
        cursor.execute(sql.BY_TENANT)
        return [TenantBacklog(*row) for row in cursor.fetchall()]


def remove_work(work_ids: Sequence[UUID]) -> int:
    """Delete items and count them as removed, in the open transaction; return how many."""
    return _remove_items(Work.objects.filter(pk__in=work_ids))


def remove_work_of_messages(message_ids: Sequence[UUID]) -> int:
    return _remove_items(Work.objects.filter(message_id__in=message_ids))


def remove_work_of_conversation(conversation: Conversation) -> int:
    return _remove_items(Work.objects.filter(subject_id=conversation.subject_id, conversation_id=conversation.pk))


def remove_work_of_subject(subject_id: UUID) -> int:
    return _remove_items(Work.objects.filter(subject_id=subject_id))


def _remove_items(items: QuerySet[Work]) -> int:
    # By position, as workers lock them: two who lock in different orders wait for each other in a circle.
    list(items.order_by("position").select_for_update().values_list("pk"))
    removed, _ = items.delete()
    if removed:
        run_sql(sql.COUNT_REMOVED, id=new_id(), count=removed)
    return removed

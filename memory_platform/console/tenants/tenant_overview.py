"""The numbers of one tenant, for its page: members, keys, traffic, work and the active policy, with links to their
lists."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import Max, QuerySet, Sum

from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.status_badges import StatusBadge, get_key_badge
from memory_platform.console.shared.value_rendering import build_change_address
from memory_platform.kernel.clock import utc_now
from snapshots.models import Message, Receipt, Work, WorkState
from snapshots.queue.metrics import count_work_by_tenant
from tenants.models import ApiKey, Member, PolicyVersion, UsageDay
from tenants.services.invitations import count_open_invitations
from tenants.services.policies import active_number

# Rows of each part; the linked list has all of them.
MAX_ROWS = 10
TRAFFIC_DAYS = 7
MAX_COUNTED = 1_000


@dataclass(frozen=True, slots=True)
class KeyLine:
    """One API key with its page and its state."""

    row: ApiKey
    address: str
    badge: StatusBadge


@dataclass(frozen=True, slots=True)
class TenantOverview:
    """``members`` and ``keys`` are the first of ``member_count`` and ``key_count``. ``traffic``: sums of the last days
    by the field of :class:`UsageDay`. ``last_...``: how long ago, as HTML. ``waiting`` and ``dead``: work items,
    counted up to a bound."""

    members: Sequence[Member]
    member_count: int
    open_invitations: int
    keys: Sequence[KeyLine]
    key_count: int
    traffic: dict[str, Any]
    last_message_at: str
    last_context_at: str
    waiting: str
    dead: str
    policy: int
    policy_address: str


def load_tenant_overview() -> TenantOverview:
    """Return the overview of the open tenant. It reads numbers and staff, no personal data."""
    since = utc_now().date() - timedelta(days=TRAFFIC_DAYS - 1)
    sums = {name: Sum(name) for name in ("requests", "refused", "messages", "contexts")}
    number = active_number()
    keys = ApiKey.objects.order_by("-created_at", "-id")
    return TenantOverview(
        members=list(Member.objects.select_related("user").order_by("created_at", "id")[:MAX_ROWS]),
        member_count=Member.objects.count(),
        open_invitations=count_open_invitations(),
        keys=[KeyLine(key, build_change_address(ApiKey, key.pk), get_key_badge(key)) for key in keys[:MAX_ROWS]],
        key_count=keys.count(),
        traffic=_add_counts_of_today(UsageDay.objects.filter(day__gte=since).aggregate(**sums)),
        last_message_at=render_time_ago(Message.objects.aggregate(at=Max("accepted_at"))["at"]),
        last_context_at=render_time_ago(Receipt.objects.aggregate(at=Max("created_at"))["at"]),
        waiting=_count(Work.objects.filter(state__in=(WorkState.READY, WorkState.LEASED))),
        dead=_count(Work.objects.filter(state=WorkState.DEAD)),
        policy=number,
        policy_address=build_change_address(PolicyVersion, PolicyVersion.objects.get(number=number).pk),
    )


def load_backlogs() -> dict[UUID, tuple[int, int]]:
    """Return how many items wait and failed, by tenant, of the tenants that have any. One query, and no tenant's data
    but counts."""
    return {row.tenant_id: (row.waiting, row.dead) for row in count_work_by_tenant()}


def _add_counts_of_today(traffic: dict[str, Any]) -> dict[str, Any]:
    """Return the sums with at least the messages and contexts that are stored today: the days are counted only every
    minute, and a new tenant looks at its first call."""
    midnight = utc_now().replace(hour=0, minute=0, second=0, microsecond=0)
    stored = {
        "messages": Message.objects.filter(accepted_at__gte=midnight),
        "contexts": Receipt.objects.filter(created_at__gte=midnight),
    }
    live: dict[str, int] = {name: rows.order_by()[:MAX_COUNTED].count() for name, rows in stored.items()}
    told = {name: max(traffic[name] or 0, count) for name, count in live.items()}
    return {**traffic, **told, "requests": max(traffic["requests"] or 0, told["contexts"])}


def _count(rows: QuerySet[Any]) -> str:
    count = rows.order_by()[: MAX_COUNTED + 1].count()
    return f"{count:,}" if count <= MAX_COUNTED else f"{MAX_COUNTED:,}+"

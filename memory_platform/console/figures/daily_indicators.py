"""Daily indicators for managers, from the rolled-up tables: how well memory served, and how much it saved."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db.models import Max, Sum

from memory_platform.console.shared.config import DASHBOARD
from memory_platform.kernel.clock import utc_now
from snapshots.feedback.tallies.arm_figures import COUNTS, ShareEstimate, estimate_share
from snapshots.models import Indicator, QueueDay
from tenants.models import UsageDay
from tenants.services.usage.ledger import PricedDay, price_days

# What the days can be told apart by, and the columns that do it.
GROUP_COLUMNS: Mapping[str, tuple[str, ...]] = {"all": (), "version": ("policy_version",), "arm": ("experiment", "arm")}
# Sums of an indicator's counts, and ``p95``: the longest of the days' 95th percentiles (ms), None for none.
IndicatorCounts = dict[str, Any]
GroupKey = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IndicatorPeriod:
    """One tenant's days. ``by_group``: counts by group and day, the group with the most contexts first."""

    days: Sequence[date]
    by_group: Mapping[GroupKey, Mapping[date, IndicatorCounts]]
    hidden_groups: int
    waits: Mapping[date, QueueDay]
    costs: Mapping[date, PricedDay]


def load_indicator_period(period: int, group: str) -> IndicatorPeriod:
    """Return the last ``period`` days up to today (UTC) in the open scope, by a group of ``GROUP_COLUMNS``."""
    today = utc_now().date()
    days = [today - timedelta(days=back) for back in reversed(range(period))]
    found = _load_groups(days[0], GROUP_COLUMNS[group])
    # More lines than these cannot be told apart in a chart.
    shown = dict(list(found.items())[: DASHBOARD.max_lines])
    waits = {row.day: row for row in QueueDay.objects.filter(day__gte=days[0])}
    money = {row.used.day: row for row in price_days(UsageDay.objects.filter(day__gte=days[0]).order_by("day"))}
    return IndicatorPeriod(days, shown, len(found) - len(shown), waits, money)


def _load_groups(since: date, columns: tuple[str, ...]) -> dict[GroupKey, dict[date, IndicatorCounts]]:
    rows: Any = (
        Indicator.objects.filter(day__gte=since)
        .order_by()
        .values("day", *columns)
        .annotate(**{name: Sum(name) for name in COUNTS}, p95=Max("fast_lane_p95_ms"))
    )
    found: dict[GroupKey, dict[date, IndicatorCounts]] = defaultdict(dict)
    for row in rows:
        found[tuple(row[name] for name in columns)][row["day"]] = row
    return dict(sorted(found.items(), key=lambda item: (-sum_counts(item[1].values())["contexts"], item[0])))


def sum_counts(rows: Iterable[IndicatorCounts]) -> IndicatorCounts:
    """Return the sums of several days or groups, and the highest p95."""
    held = list(rows)
    told = [row["p95"] for row in held if row["p95"] is not None]
    return {**{name: sum(row[name] or 0 for row in held) for name in COUNTS}, "p95": max(told, default=None)}


# Each share: which count of which.
SHARE_COUNTS: Mapping[str, tuple[str, str]] = {
    "precision": ("positive", "judged"),
    "utilisation": ("utilised", "replied"),
    "correction": ("corrected", "judged"),
    "staleness": ("stale", "injected"),
    "degraded": ("degraded", "contexts"),
}


def compute_share(name: str, counts: IndicatorCounts) -> ShareEstimate:
    count, of = SHARE_COUNTS[name]
    return estimate_share(int(counts[count]), int(counts[of]))


def compute_saved_share(counts: IndicatorCounts) -> float | None:
    """Return the share of the full histories' tokens that was not sent; None without any."""
    full = counts["tokens_full_history"]
    return max(0.0, 1 - counts["tokens"] / full) if full else None

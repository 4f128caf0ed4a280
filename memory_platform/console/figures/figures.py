"""Daily indicators for managers, from the rolled-up tables: how well memory served, and how much it saved."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db.models import Max, Sum

from memory_platform.console.shared.policy import FIGURES
from memory_platform.kernel.clock import utc_now
from snapshots.feedback.tallies.shares import COUNTS, Share, wilson
from snapshots.models import Indicator, QueueDay
from tenants.models import UsageDay
from tenants.services.usage.ledger import PricedDay, price_days

# What the days can be told apart by, and the columns that do it.
GROUPS: Mapping[str, tuple[str, ...]] = {"all": (), "version": ("policy_version",), "arm": ("experiment", "arm")}
# Sums of an indicator's counts, and ``p95``: the longest of the days' 95th percentiles (ms), None for none.
Counts = dict[str, Any]
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """One tenant's days. ``by_group``: counts by group and day, the group with the most contexts first."""

    days: Sequence[date]
    by_group: Mapping[Key, Mapping[date, Counts]]
    left_out: int
    waits: Mapping[date, QueueDay]
    money: Mapping[date, PricedDay]


def figures_of(period: int, group: str) -> Figures:
    """Return the last ``period`` days up to today (UTC) in the open scope, by a group of ``GROUPS``."""
    today = utc_now().date()
    days = [today - timedelta(days=back) for back in reversed(range(period))]
    found = _by_group(days[0], GROUPS[group])
    # More lines than these cannot be told apart in a chart.
    shown = dict(list(found.items())[: FIGURES.series])
    waits = {row.day: row for row in QueueDay.objects.filter(day__gte=days[0])}
    money = {row.used.day: row for row in price_days(UsageDay.objects.filter(day__gte=days[0]).order_by("day"))}
    return Figures(days, shown, len(found) - len(shown), waits, money)


def _by_group(since: date, columns: tuple[str, ...]) -> dict[Key, dict[date, Counts]]:
    rows: Any = (
        Indicator.objects.filter(day__gte=since)
        .order_by()
        .values("day", *columns)
        .annotate(**{name: Sum(name) for name in COUNTS}, p95=Max("fast_lane_p95_ms"))
    )
    found: dict[Key, dict[date, Counts]] = defaultdict(dict)
    for row in rows:
        found[tuple(row[name] for name in columns)][row["day"]] = row
    return dict(sorted(found.items(), key=lambda item: (-total(item[1].values())["contexts"], item[0])))


def total(rows: Iterable[Counts]) -> Counts:
    """Return the sums of several days or groups, and the highest p95."""
    held = list(rows)
    told = [row["p95"] for row in held if row["p95"] is not None]
    return {**{name: sum(row[name] or 0 for row in held) for name in COUNTS}, "p95": max(told, default=None)}


# Each share: which count of which.
SHARES: Mapping[str, tuple[str, str]] = {
    "precision": ("positive", "judged"),
    "utilisation": ("utilised", "replied"),
    "correction": ("corrected", "judged"),
    "staleness": ("stale", "injected"),
    "degraded": ("degraded", "contexts"),
}


def share_of(name: str, counts: Counts) -> Share:
    """Return one share with its confidence interval."""
    count, of = SHARES[name]
    return wilson(int(counts[count]), int(counts[of]))


def saved_share(counts: Counts) -> float | None:
    """Return the share of the full histories' tokens that was not sent; None without any."""
    full = counts["tokens_full_history"]
    return max(0.0, 1 - counts["tokens"] / full) if full else None

"""Daily indicators of memory, and their charts: lines for the browser, the same figures as a table."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db.models import Max, Sum
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.shared.config import DASHBOARD
from memory_platform.console.shared.value_rendering import EMPTY_VALUE
from memory_platform.kernel.clock import utc_now
from snapshots.feedback.tallies.arm_figures import COUNTS, ShareEstimate, estimate_share
from snapshots.models import Indicator, QueueDay
from tenants.models import UsageDay
from tenants.services.usage.daily_costs import PricedDay, price_days

# What the days can be told apart by, and the columns that do it.
GROUP_COLUMNS: Mapping[str, tuple[str, ...]] = {"all": (), "version": ("policy_version",), "arm": ("experiment", "arm")}
# Sums of an indicator's counts, and ``p95``: the longest of the days' 95th percentiles (ms), None without any.
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


def load_indicator_period(period: int, group: str, *, periods_ago: int = 0) -> IndicatorPeriod:
    """Return the last ``period`` days up to today (UTC), or as many before them, by a group of ``GROUP_COLUMNS``."""
    last = utc_now().date() - timedelta(days=period * periods_ago)
    days = [last - timedelta(days=back) for back in reversed(range(period))]
    found = _load_groups(days, GROUP_COLUMNS[group])
    # More lines than these cannot be told apart in a chart.
    shown = dict(list(found.items())[: DASHBOARD.max_lines])
    within = (days[0], last)
    waits = {row.day: row for row in QueueDay.objects.filter(day__range=within)}
    money = {row.used.day: row for row in price_days(UsageDay.objects.filter(day__range=within).order_by("day"))}
    return IndicatorPeriod(days, shown, len(found) - len(shown), waits, money)


def _load_groups(days: Sequence[date], columns: tuple[str, ...]) -> dict[GroupKey, dict[date, IndicatorCounts]]:
    rows: Any = (
        Indicator.objects.filter(day__range=(days[0], days[-1]))
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
    """Return the share of the full histories' tokens that was not sent, negative if more was sent; None without any."""
    full = counts["tokens_full_history"]
    return 1 - counts["tokens"] / full if full else None


# What is drawn, None for a gap, and what the table says.
Point = tuple[float | None, str]
PointOf = Callable[[IndicatorCounts], Point]


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart. ``lines``: points by day, by the name of each line. ``target``: the area that meets it is marked."""

    key: str
    title: Any
    meaning: Any
    unit: str
    lines: Mapping[str, Mapping[date, Point]]
    target: float | None = None
    is_higher_better: bool = False

    def to_json(self, days: list[date]) -> dict[str, Any]:
        lines = [
            {"name": name, "values": [points.get(day, (None, ""))[0] for day in days]}
            for name, points in self.lines.items()
        ]
        band = None
        if self.target is not None:
            band = {"name": _("target"), "value": self.target, "is_above": self.is_higher_better}
        return {"key": self.key, "unit": self.unit, "lines": lines, "band": band}

    def rows(self, days: list[date]) -> list[tuple[str, list[str]]]:
        """Return the rows of the table: the days with any value, the newest first."""
        told = [day for day in reversed(days) if any(day in points for points in self.lines.values())]
        return [
            (date_format(day, "Y-m-d"), [points.get(day, (None, EMPTY_VALUE))[1] for points in self.lines.values()])
            for day in told
        ]


SHARE_TITLES: Mapping[str, tuple[Any, Any, float | None]] = {
    "precision": (
        gettext_lazy("Precision of included memories"),
        gettext_lazy("Share of memories with positive feedback, of those with any feedback."),
        None,
    ),
    "utilisation": (
        gettext_lazy("Utilisation"),
        gettext_lazy("Share of memories that the reply used, of those in prompts with a known reply."),
        DASHBOARD.min_utilisation,
    ),
    "correction": (
        gettext_lazy("Correction rate"),
        gettext_lazy("Share of memories that the user corrected, of those with any feedback."),
        DASHBOARD.max_correction,
    ),
    "staleness": (
        gettext_lazy("Staleness"),
        gettext_lazy("Share of memories not validated for 30 days, of those in prompts."),
        DASHBOARD.max_staleness,
    ),
    "degraded": (
        gettext_lazy("Degraded answers"),
        gettext_lazy("Share of contexts that were built while a part of the platform was unavailable."),
        None,
    ),
}


# Of the figures of the dashboard; of the others, lower ones are.
HIGHER_IS_BETTER = frozenset({"precision", "utilisation", "saved", "money"})


def build_charts(figures: IndicatorPeriod, group: str) -> list[Chart]:
    return [*_build_quality_charts(figures, group), *_build_cost_charts(figures, group)]


def group_name(key: GroupKey, group: str) -> str:
    if group == "version":
        return _("version %s") % key[0]
    if group == "arm":
        return f"{key[0]}: {key[1]}" if key[0] else _("no experiment")
    return _("all contexts")


def format_percent(value: float | None) -> str:
    return EMPTY_VALUE if value is None else f"{value:.1%}"


def format_milliseconds(value: float | None) -> str:
    return EMPTY_VALUE if value is None else f"{value:,.0f} ms"


def _build_quality_charts(figures: IndicatorPeriod, group: str) -> Iterator[Chart]:
    for name in SHARE_COUNTS:
        title, meaning, bound = SHARE_TITLES[name]
        yield Chart(
            name,
            title,
            meaning,
            "percent",
            _build_lines(figures, group, _make_share_point(name)),
            bound,
            name in HIGHER_IS_BETTER,
        )
    yield Chart(
        "fast_lane",
        gettext_lazy("Correction delay (p95)"),
        gettext_lazy("Time from accepting a correction to applying it, for 95 of 100 corrections."),
        "ms",
        _build_lines(figures, group, lambda counts: (counts["p95"], format_milliseconds(counts["p95"]))),
        DASHBOARD.max_fast_lane_ms,
    )


def _build_cost_charts(figures: IndicatorPeriod, group: str) -> Iterator[Chart]:
    waits = figures.waits.items()
    yield Chart(
        "wait",
        gettext_lazy("Queue wait (p95)"),
        gettext_lazy("Waiting time of the work completed on that day, for the whole tenant."),
        "ms",
        {
            _("p95"): {day: (row.waited_p95_ms, format_milliseconds(row.waited_p95_ms)) for day, row in waits},
            _("longest"): {
                day: (row.waited_longest_ms, format_milliseconds(row.waited_longest_ms)) for day, row in waits
            },
        },
    )
    yield Chart(
        "saved",
        gettext_lazy("Tokens saved"),
        gettext_lazy("Share of the full histories' tokens that was not sent."),
        "percent",
        _build_lines(
            figures, group, lambda counts: (compute_saved_share(counts), format_percent(compute_saved_share(counts)))
        ),
    )
    money = figures.costs.items()
    yield Chart(
        "money",
        gettext_lazy("Cost"),
        gettext_lazy(
            "Cost of contexts and the memory's own models, and of full histories instead, for the whole tenant."
        ),
        "money",
        {
            _("with memory"): {day: _make_amount_point(row.cost, row.currency) for day, row in money},
            _("with full histories"): {
                day: _make_amount_point(row.cost_full_history, row.currency) for day, row in money
            },
        },
    )


def _build_lines(figures: IndicatorPeriod, group: str, point_of: PointOf) -> dict[str, dict[date, Point]]:
    return {
        group_name(key, group): {day: point_of(counts) for day, counts in days.items()}
        for key, days in figures.by_group.items()
    }


def _make_share_point(name: str) -> PointOf:
    def to_point(counts: IndicatorCounts) -> Point:
        share = compute_share(name, counts)
        return share.value, EMPTY_VALUE if share.value is None else f"{share.value:.1%} ({share.count:,}/{share.of:,})"

    return to_point


def _make_amount_point(amount: Any, currency: str | None) -> Point:
    return (None, EMPTY_VALUE) if amount is None else (float(amount), f"{amount:,.4f} {currency}")

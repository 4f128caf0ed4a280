"""The figures of a period, each beside its target and the period before it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memory_platform.console.figures.daily_indicators import (
    HIGHER_IS_BETTER,
    SHARE_TITLES,
    IndicatorCounts,
    IndicatorPeriod,
    compute_saved_share,
    compute_share,
    format_milliseconds,
    format_percent,
    load_indicator_period,
    sum_counts,
)
from memory_platform.console.figures.outcome_filter import OUTCOMES_BY_FIGURE, OutcomeFilter
from memory_platform.console.shared.config import DASHBOARD
from memory_platform.console.shared.status_badges import BAD, GOOD, QUIET
from memory_platform.console.shared.value_rendering import build_list_address
from snapshots.models import Receipt, Work
from tenants.models import UsageDay

# Amounts below one unit of the currency need more digits: a loss of 0.0009 is not nothing.
CENT_DIGITS, SMALL_AMOUNT_DIGITS = 2, 4
NOTHING = Decimal(0)
UNCHANGED = frozenset({"+0%", "-0%", "+0.0", "-0.0"})
# Of these, the change is a difference in percentage points.
SHARES = frozenset({*SHARE_TITLES, "saved"})


@dataclass(frozen=True, slots=True)
class FigureReading:
    """A figure of one period. ``low`` and ``high``: its 95 % confidence interval, where it is an estimate. ``events``:
    of how many it is a percentile, where it is one."""

    title: Any
    value: float | None
    text: str
    note: str = ""
    low: float | None = None
    high: float | None = None
    events: int | None = None


@dataclass(frozen=True, slots=True)
class PeriodChange:
    """The difference from the period before, and whether that is good or bad."""

    text: str
    tone: str = QUIET


@dataclass(frozen=True, slots=True)
class PeriodFigure:
    """A reading beside its target. ``is_on_target``: None without one; ``answers``: the list of those behind it; or
    ``items``, its words and address, of what else is."""

    key: str
    reading: FigureReading
    is_on_target: bool | None
    target: str
    change: PeriodChange
    answers: str
    items: tuple[Any, str] | None = None


def load_period_figures(period: int) -> Sequence[PeriodFigure]:
    """Return the figures of the last days of the open scope, each against as many days before."""
    now = load_indicator_period(period, "all")
    before = _read_figures(load_indicator_period(period, "all", periods_ago=1))
    return [
        PeriodFigure(
            key,
            reading,
            _is_on_target(key, reading),
            describe_target(key, _is_on_target(key, reading)),
            compare_readings(key, reading, before[key], period),
            _build_answers_address(key, now),
            _link_items(key),
        )
        for key, reading in _read_figures(now).items()
    ]


@dataclass(frozen=True, slots=True)
class MissedTarget:
    """A reading that misses its target, and the target in words."""

    reading: FigureReading
    target: str


def find_missed_target(period: int) -> MissedTarget | None:
    """Return the first figure of the last days that misses its target; None if all meet theirs."""
    readings = _read_figures(load_indicator_period(period, "all"))
    missed = (
        MissedTarget(reading, describe_target(key, False))
        for key, reading in readings.items()
        if _is_on_target(key, reading) is False
    )
    return next(missed, None)


def compare_readings(key: str, now: FigureReading, before: FigureReading, period: int) -> PeriodChange:
    """Say how a figure changed; a difference of estimates whose intervals overlap is neither good nor bad."""
    days = ngettext("%(days)s day", "%(days)s days", period) % {"days": period}
    if now.value is None or before.value is None:
        return PeriodChange(_("nothing to compare with: no data in the %(days)s before") % {"days": days})
    difference = now.value - before.value
    if key in SHARES:
        points = f"{difference:+.1%}"[:-1]
        if points in UNCHANGED:
            return PeriodChange(_("unchanged against the %(days)s before") % {"days": days})
        text = _("%(change)s points against the %(days)s before") % {"change": points, "days": days}
    elif before.value:
        change = f"{difference / abs(before.value):+.0%}"
        if change in UNCHANGED:
            return PeriodChange(_("unchanged against the %(days)s before") % {"days": days})
        text = _("%(change)s against the %(days)s before") % {"change": change, "days": days}
    else:
        text = _("was zero in the %(days)s before") % {"days": days}
    if _do_intervals_overlap(now, before) or _rests_on_few_events(now, before):
        return PeriodChange(_("%(change)s, within chance") % {"change": text})
    return PeriodChange(text, GOOD if (difference > 0) == (key in HIGHER_IS_BETTER) else BAD)


def _do_intervals_overlap(one: FigureReading, other: FigureReading) -> bool:
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return False
    return one.low <= other.high and other.low <= one.high


def _rests_on_few_events(now: FigureReading, before: FigureReading) -> bool:
    """Return whether one of two percentiles is of so few events that a single one sets it."""
    return any(one.events is not None and one.events < DASHBOARD.min_events for one in (now, before))


def _find_target(key: str) -> float | None:
    return DASHBOARD.max_fast_lane_ms if key == "fast_lane" else SHARE_TITLES[key][2] if key in SHARE_TITLES else None


def _is_on_target(key: str, reading: FigureReading) -> bool | None:
    target = _find_target(key)
    if target is None or reading.value is None:
        return None
    return reading.value >= target if key in HIGHER_IS_BETTER else reading.value <= target


def describe_target(key: str, is_on_target: bool | None) -> str:
    target = _find_target(key)
    if target is None or is_on_target is None:
        return ""
    bound = format_milliseconds(target) if key == "fast_lane" else f"{target:.0%}"
    if is_on_target:
        text = _("on target (at least %s)") if key in HIGHER_IS_BETTER else _("on target (at most %s)")
    else:
        text = _("below target (%s)") if key in HIGHER_IS_BETTER else _("above target (%s)")
    return text % bound


def _build_answers_address(key: str, period: IndicatorPeriod) -> str:
    outcome = OUTCOMES_BY_FIGURE.get(key)
    if outcome is None:
        return ""
    since = {"created_at__gte": f"{period.days[0].isoformat()}T00:00Z"}
    return build_list_address(Receipt, **{OutcomeFilter.parameter_name: outcome}, **since)


def _link_items(key: str) -> tuple[Any, str] | None:
    """Return words and address of the list behind a figure that is of no answers; None for any other."""
    if key == "wait":
        return _("Show work items"), build_list_address(Work)
    if key == "fast_lane":
        return _("Show corrected answers"), build_list_address(Receipt, **{OutcomeFilter.parameter_name: "corrected"})
    return (_("Show the usage by day"), build_list_address(UsageDay)) if key == "money" else None


def _read_figures(period: IndicatorPeriod) -> Mapping[str, FigureReading]:
    counts = sum_counts(row for days in period.by_group.values() for row in days.values())
    return {
        **{name: _read_share(name, counts) for name in SHARE_TITLES},
        "fast_lane": _read_correction_delay(counts),
        "wait": _read_wait(period),
        "saved": _read_saving(counts),
        "money": _read_cost(period),
    }


def _read_share(name: str, counts: IndicatorCounts) -> FigureReading:
    share = compute_share(name, counts)
    title = SHARE_TITLES[name][0]
    if share.value is None:
        return FigureReading(title, None, format_percent(None))
    between = _("between %(low)s and %(high)s (95%%), of %(number)s") % {
        "low": format_percent(share.low),
        "high": format_percent(share.high),
        "number": f"{share.of:,}",
    }
    return FigureReading(title, share.value, format_percent(share.value), between, share.low, share.high)


def _read_correction_delay(counts: IndicatorCounts) -> FigureReading:
    p95, number = counts["p95"], int(counts["fast_lane_changes"])
    note = ngettext("the worst day, of %s correction", "the worst day, of %s corrections", number) % f"{number:,}"
    return FigureReading(_("Correction delay (p95)"), p95, format_milliseconds(p95), note, events=number)


def _read_wait(period: IndicatorPeriod) -> FigureReading:
    worst = max((row.waited_p95_ms for row in period.waits.values()), default=None)
    done = sum(row.done for row in period.waits.values())
    note = ngettext("the worst day, of %s work item", "the worst day, of %s work items", done) % f"{done:,}"
    return FigureReading(_("Queue wait (p95)"), worst, format_milliseconds(worst), note, events=done)


def _read_saving(counts: IndicatorCounts) -> FigureReading:
    saved = counts["tokens_full_history"] - counts["tokens"]
    note = _("%s tokens were not sent") if saved >= 0 else _("%s tokens more than the full history")
    share = compute_saved_share(counts)
    return FigureReading(_("Tokens saved"), share, format_percent(share), note % f"{abs(saved):,}")


def _read_cost(period: IndicatorPeriod) -> FigureReading:
    priced = [row for row in period.costs.values() if row.cost is not None and row.cost_full_history is not None]
    currencies = {row.currency for row in priced}
    # Amounts in different currencies cannot be added.
    if len(currencies) != 1:
        return FigureReading(_("Money saved"), None, "-", _("no valid price, or several currencies"))
    spent = sum((row.cost or NOTHING for row in priced), NOTHING)
    without = sum((row.cost_full_history or NOTHING for row in priced), NOTHING)
    digits = CENT_DIGITS if max(spent, without) >= 1 else SMALL_AMOUNT_DIGITS
    saved = f"{without - spent:z,.{digits}f} {currencies.pop()}"
    return FigureReading(_("Money saved"), float(without - spent), saved, _("cost %s") % f"{spent:,.{digits}f}")

"""The managers' dashboard: tiles, charts and tables of a period. The start page shows a figure that is off target."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from memory_platform.console.figures.daily_indicators import (
    GROUP_COLUMNS,
    SHARE_TITLES,
    IndicatorCounts,
    IndicatorPeriod,
    build_charts,
    compute_saved_share,
    compute_share,
    format_milliseconds,
    format_percent,
    load_indicator_period,
    sum_counts,
)
from memory_platform.console.shared.config import DASHBOARD
from memory_platform.console.shared.custom_pages import is_manager, render_console_page, require_permission
from memory_platform.console.shared.support_sessions import mark_impersonal

GROUP_TITLES = {
    "all": gettext_lazy("Together"),
    "version": gettext_lazy("By policy version"),
    "arm": gettext_lazy("By arm of experiments"),
}
# Amounts below one unit of the currency need more digits: a loss of 0.0009 is not nothing.
CENT_DIGITS, SMALL_AMOUNT_DIGITS = 2, 4
NOTHING = Decimal(0)


@dataclass(frozen=True, slots=True)
class Tile:
    """One number with a note. ``kept``: whether it meets its target, if it has one."""

    title: Any
    value: str
    note: str = ""
    kept: bool | None = None


@mark_impersonal
@require_safe
def show_dashboard(request: HttpRequest) -> HttpResponse:
    """Show how well memory served and how much it saved in the chosen days."""
    require_permission(is_manager, request)
    period, group = _parse_choice(request)
    figures = load_indicator_period(period, group)
    days, charts = list(figures.days), build_charts(figures, group)
    return render_console_page(
        request,
        "console/figures/dashboard.html",
        _("Quality"),
        tiles=build_tiles(figures),
        charts=[{"chart": chart, "rows": chart.rows(days)} for chart in charts],
        drawn={"days": [day.isoformat() for day in days], "charts": [chart.to_json(days) for chart in charts]},
        periods=[(each, each == period) for each in DASHBOARD.periods],
        groups=[(name, title, name == group) for name, title in GROUP_TITLES.items()],
        period=period,
        group=group,
        left_out=figures.hidden_groups,
    )


def build_tiles(figures: IndicatorPeriod) -> Sequence[Tile]:
    counts = sum_counts(row for days in figures.by_group.values() for row in days.values())
    return [
        *_share_tiles(counts),
        _fast_lane_tile(counts),
        _wait_tile(figures),
        _saving_tile(counts),
        _cost_tile(figures),
    ]


def find_missed_target(period: int) -> Tile | None:
    """Return the first figure of the last days that misses its target; None if all meet theirs."""
    return next((tile for tile in build_tiles(load_indicator_period(period, "all")) if tile.kept is False), None)


def _parse_choice(request: HttpRequest) -> tuple[int, str]:
    """Return the period and the group from the address, or the defaults."""
    asked = request.GET.get("days", "")
    period = int(asked) if asked in {str(each) for each in DASHBOARD.periods} else DASHBOARD.periods[0]
    group = request.GET.get("by", "")
    return period, group if group in GROUP_COLUMNS else "all"


def _share_tiles(counts: IndicatorCounts) -> list[Tile]:
    tiles = []
    for name, (title, _meaning, bound) in SHARE_TITLES.items():
        share = compute_share(name, counts)
        kept = None
        if bound is not None and share.value is not None:
            # Utilisation has a lower bound, every other share an upper one.
            kept = share.value >= bound if name == "utilisation" else share.value <= bound
        between = (
            ""
            if share.value is None
            else f"{format_percent(share.low)} - {format_percent(share.high)}, n = {share.of:,}"
        )
        tiles.append(Tile(title, format_percent(share.value), between, kept))
    return tiles


def _fast_lane_tile(counts: IndicatorCounts) -> Tile:
    p95 = counts["p95"]
    note = _("the worst day; n = %s") % f"{counts['fast_lane_changes']:,}"
    return Tile(
        _("Corrections at once, p95"),
        format_milliseconds(p95),
        note,
        None if p95 is None else p95 <= DASHBOARD.max_fast_lane_ms,
    )


def _wait_tile(figures: IndicatorPeriod) -> Tile:
    worst = max((row.waited_p95_ms for row in figures.waits.values()), default=None)
    done = sum(row.done for row in figures.waits.values())
    return Tile(_("Age of the queue"), format_milliseconds(worst), _("p95 of the worst day; n = %s") % f"{done:,}")


def _saving_tile(counts: IndicatorCounts) -> Tile:
    saved = counts["tokens_full_history"] - counts["tokens"]
    note = _("%s tokens were not sent") if saved >= 0 else _("%s tokens more than the full history")
    return Tile(_("Tokens saved"), format_percent(compute_saved_share(counts)), note % f"{abs(saved):,}")


def _cost_tile(figures: IndicatorPeriod) -> Tile:
    priced = [row for row in figures.costs.values() if row.cost is not None and row.cost_full_history is not None]
    currencies = {row.currency for row in priced}
    # Amounts in different currencies cannot be added.
    if len(currencies) != 1:
        return Tile(_("Money saved"), "-", _("no valid price, or several currencies"))
    spent = sum((row.cost or NOTHING for row in priced), NOTHING)
    without = sum((row.cost_full_history or NOTHING for row in priced), NOTHING)
    digits = CENT_DIGITS if max(spent, without) >= 1 else SMALL_AMOUNT_DIGITS
    note = _("cost %s") % f"{spent:,.{digits}f}"
    return Tile(_("Money saved"), f"{without - spent:z,.{digits}f} {currencies.pop()}", note)

"""The managers' dashboard: each figure of a period with its target, its change, its chart and its answers."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from memory_platform.console.figures.daily_indicators import (
    GROUP_COLUMNS,
    IndicatorPeriod,
    build_charts,
    group_name,
    load_indicator_period,
)
from memory_platform.console.figures.period_figures import load_period_figures
from memory_platform.console.shared.config import DASHBOARD
from memory_platform.console.shared.custom_pages import is_manager, render_console_page, require_permission
from memory_platform.console.shared.support_session_guard import mark_impersonal

GROUP_TITLES = {
    "all": gettext_lazy("Total"),
    "version": gettext_lazy("By policy version"),
    "arm": gettext_lazy("By arm of experiments"),
}


@mark_impersonal
@require_safe
def show_dashboard(request: HttpRequest) -> HttpResponse:
    """Show how well memory served and how much it saved in the chosen days."""
    require_permission(is_manager, request)
    period, group = _parse_choice(request)
    shown = load_indicator_period(period, group)
    days, charts = list(shown.days), {chart.key: chart for chart in build_charts(shown, group)}
    figures = load_period_figures(period)
    return render_console_page(
        request,
        "console/figures/dashboard.html",
        _("Quality"),
        figures=[{"figure": each, "chart": charts[each.key], "rows": charts[each.key].rows(days)} for each in figures],
        drawn={
            "days": [day.isoformat() for day in days],
            "grouped": group != "all",
            "charts": [each.to_json(days) for each in charts.values()],
        },
        periods=[(each, each == period) for each in DASHBOARD.periods],
        groups=[(name, title, name == group) for name, title in GROUP_TITLES.items()],
        period=period,
        group=group,
        left_out=shown.hidden_groups,
        only_group=_name_only_group(shown, group),
    )


def _name_only_group(shown: IndicatorPeriod, group: str) -> str:
    """Return the name of the group if the days have one only; "" for several, and where they are not told apart."""
    names = [group_name(key, group) for key in shown.by_group]
    return names[0] if group != "all" and len(names) == 1 else ""


def _parse_choice(request: HttpRequest) -> tuple[int, str]:
    """Return the period and the group from the address, or the defaults."""
    asked = request.GET.get("days", "")
    period = int(asked) if asked in {str(each) for each in DASHBOARD.periods} else DASHBOARD.periods[0]
    group = request.GET.get("by", "")
    return period, group if group in GROUP_COLUMNS else "all"

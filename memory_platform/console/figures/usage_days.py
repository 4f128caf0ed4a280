"""The screen of a tenant's days: use, cost, and the cost that full histories would have had."""

import csv
from collections.abc import Iterator, Sequence
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from memory_platform.console.shared.base_screens import TenantAdmin
from memory_platform.console.shared.code_labels import render_counts
from memory_platform.console.shared.custom_pages import make_console_path, require_permission
from memory_platform.console.shared.lists.change_lists import SafeChangeList
from memory_platform.console.shared.value_rendering import EMPTY_VALUE, make_computed_column, make_fieldset
from tenants.models import UsageDay
from tenants.services.usage.daily_costs import RATIO_DIGITS, PricedDay, price_days

# Days of which the page gives the sums and the chart: the newest of those that the filter leaves.
MAX_SUMMED_DAYS = 400
TITLES = {field.name: field.verbose_name for field in UsageDay._meta.fields}


class PricedChangeList(SafeChangeList):
    """A list of days with their costs, priced together so that no row needs a query."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        rows = list(self.result_list)
        for row, money in zip(rows, price_days(rows), strict=True):
            row.money = money
        self.result_list = rows
        days = price_days(self.queryset.order_by("-day")[:MAX_SUMMED_DAYS])
        self.totals, self.drawn = list(sum_days(days)), build_token_chart(days[::-1])


def _find_costs(row: UsageDay) -> PricedDay:
    """Return the day's costs, as the list priced them or priced now."""
    found: PricedDay = getattr(row, "money", None) or price_days([row])[0]
    return found


def _format_amount(amount: object, currency: str | None) -> str:
    return "-" if amount is None else f"{amount:,.4f} {currency}"


def _compute_saved_ratio(day: UsageDay) -> float | None:
    """Return the share of the full history's tokens that was not sent; negative if more was sent, None without any."""
    full = day.tokens_full_history
    return round(1 - day.tokens_in_context / full, RATIO_DIGITS) if full else None


def _format_saved(ratio: float | None) -> str:
    return EMPTY_VALUE if ratio is None else f"{ratio:.1%}"


def _format_day_amount(day: UsageDay, amount: object) -> str:
    """Return an amount of a day; nothing for one on which nothing was asked and no model called."""
    return EMPTY_VALUE if not (day.contexts or amount) else _format_amount(amount, _find_costs(day).currency)


saved_share_column = make_computed_column(
    "saved_share", lambda day: _format_saved(_compute_saved_ratio(day)), _("saved"), is_number=True
)
cost_column = make_computed_column(
    "cost", lambda day: _format_day_amount(day, _find_costs(day).cost), _("cost"), is_number=True
)
cost_without_memory_column = make_computed_column(
    "cost_without",
    lambda day: _format_day_amount(day, _find_costs(day).cost_full_history),
    _("cost without memory"),
    is_number=True,
)

sections_column = make_computed_column("by_section", lambda day: render_counts(day.sections), _("tokens by section"))

CSV_COLUMNS = ("day", "requests", "refused", "messages", "contexts", "tokens_in_context", "tokens_full_history")
CSV_COST_COLUMNS = ("model_tokens", "cost", "cost_full_history", "currency")


def sum_days(days: Sequence[PricedDay]) -> Iterator[tuple[Any, str]]:
    """Yield the title and the sum of each use and cost of the days. Costs in several currencies have no sum."""
    for name in ("requests", "messages", "contexts"):
        yield TITLES[name], f"{sum(getattr(day.used, name) for day in days):,}"
    sent, full = (sum(getattr(day.used, name) for day in days) for name in ("tokens_in_context", "tokens_full_history"))
    yield _("tokens saved"), _format_saved(1 - sent / full if full else None)
    currencies = {day.currency for day in days if day.cost is not None}
    if len(currencies) == 1:
        currency = currencies.pop()
        yield _("cost"), _format_amount(sum(day.cost or 0 for day in days), currency)
        yield _("cost without memory"), _format_amount(sum(day.cost_full_history or 0 for day in days), currency)


def build_token_chart(days: Sequence[PricedDay]) -> dict[str, Any]:
    """Return the chart of tokens by day, the oldest first, as the page's script draws it."""
    columns = {_("in contexts"): "tokens_in_context", _("of the full history"): "tokens_full_history"}
    lines = [
        {"name": str(name), "values": [getattr(day.used, column) for day in days]} for name, column in columns.items()
    ]
    charts = [{"key": "tokens", "unit": "count", "lines": lines, "band": None}]
    return {"days": [day.used.day.isoformat() for day in days], "charts": charts}


@admin.register(UsageDay)
class UsageDayScreen(TenantAdmin):
    """Daily usage and costs, as of the last roll-up, at most a minute ago."""

    personal_data = False
    list_display = (*CSV_COLUMNS, saved_share_column, cost_column, cost_without_memory_column)
    fieldsets = (
        make_fieldset(_("What was asked"), "requests", "refused", "messages", "contexts"),
        make_fieldset(_("Tokens"), "tokens_in_context", "tokens_full_history", saved_share_column, sections_column),
        make_fieldset(_("Costs"), cost_column, cost_without_memory_column),
    )
    list_filter = ("day",)
    ordering = ("-day", "id")
    change_list_template = "console/figures/usage_days.html"
    empty_text = _("No use yet: the first request of a product starts the count.")

    def title_of(self, obj: UsageDay) -> str:
        return f"{obj.day:%Y-%m-%d}"

    def get_urls(self) -> list[URLPattern]:
        return [make_console_path("csv/", self.csv_view, "tenants_usageday_csv"), *super().get_urls()]

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[SafeChangeList]:
        return PricedChangeList

    @method_decorator(require_safe)
    def csv_view(self, request: HttpRequest) -> HttpResponse:
        """Return the days of the list, as its filter has them, as a table."""
        require_permission(self.has_view_permission, request)
        answer = HttpResponse(content_type="text/csv; charset=utf-8")
        answer["Content-Disposition"] = 'attachment; filename="usage.csv"'
        table = csv.writer(answer)
        table.writerow((*CSV_COLUMNS, "saved_ratio", *CSV_COST_COLUMNS))
        shown = self.get_changelist_instance(request).get_queryset(request)
        for day in price_days(shown.order_by("day")):
            own = [getattr(day.used, name) for name in CSV_COLUMNS]
            costs = [getattr(day, name) for name in CSV_COST_COLUMNS]
            table.writerow([*own, _compute_saved_ratio(day.used) or 0.0, *costs])
        return answer

"""Screens of a tenant's limits, usage, costs, and chat models: the endpoint for each purpose."""

import csv
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.action_reasons import ReasonField, read_reason
from memory_platform.console.shared.base_screens import OperatorAdmin, SafeChangeList, TenantAdmin
from memory_platform.console.shared.custom_pages import is_operator
from memory_platform.console.shared.rendering import make_column, make_computed_column, render_word
from memory_platform.console.shared.tenant_access import make_actor
from memory_platform.providers.registry import chat_endpoints
from tenants.models import ApiKey, ModelPrice, ModelRoute, ModelUsage, Role, UsageDay, UsageLimit
from tenants.services.usage.ledger import RATIO_DIGITS, PricedDay, price_days
from tenants.services.usage.quotas import NAMES, REQUESTS, set_limits

NO_MODEL_CHOICE = ("", _("no model: rules are used"))
WHOLE_TENANT = _("the whole tenant")


def name_key(key: ApiKey | None) -> str:
    """Return the name of an API key with its public id, or that a limit is for the whole tenant."""
    return f"{key.name} ({key.key_id})" if key else str(WHOLE_TENANT)


key_column = make_column("api_key", lambda key: render_word(name_key(key)), _("for"), order="api_key__name")


class UsageLimitForm(forms.ModelForm[UsageLimit]):
    """The limits of one key or of the whole tenant, and a reason."""

    reason = ReasonField()

    class Meta:
        model = UsageLimit
        fields = ("api_key", *NAMES)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "api_key" in self.fields:  # it is fixed once the limit exists
            keys: Any = self.fields["api_key"]
            keys.label_from_instance, keys.empty_label = name_key, WHOLE_TENANT


@admin.register(UsageLimit)
class UsageLimitScreen(TenantAdmin):
    """Limits that differ from the platform's. The operator sets them; all staff of the tenant see them."""

    form = UsageLimitForm
    personal_data = False
    list_display = (key_column, *NAMES)
    list_select_related = ("api_key",)
    search_fields = ("api_key__key_id", "api_key__name")
    ordering = ("api_key", "id")

    def title_of(self, obj: UsageLimit) -> str:
        return name_key(obj.api_key)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_operator(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_add_permission(request)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return (key_column,) if obj else ()

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = super().get_fields(request, obj)
        return [key_column, *(name for name in fields if name not in ("api_key", key_column))] if obj else fields

    def save_model(self, request: HttpRequest, obj: UsageLimit, form: UsageLimitForm, change: bool) -> None:
        names = REQUESTS if obj.api_key_id else NAMES
        values = {name: form.cleaned_data[name] for name in names}
        obj.pk = set_limits(values, by=make_actor(request), api_key=obj.api_key, reason=read_reason(request)).pk


class PricedChangeList(SafeChangeList):
    """A list of days with their costs, priced together so that no row needs a query."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        rows = list(self.result_list)
        for row, money in zip(rows, price_days(rows), strict=True):
            row.money = money
        self.result_list = rows


def _find_costs(row: UsageDay) -> PricedDay:
    """Return the day's costs, as the list priced them or priced now."""
    found: PricedDay = getattr(row, "money", None) or price_days([row])[0]
    return found


def _format_amount(amount: object, currency: str | None) -> str:
    return "-" if amount is None else f"{amount:,.4f} {currency}"


def _compute_saved_ratio(day: UsageDay) -> float:
    """Return the share of the full history's tokens that was not sent; negative if more was sent."""
    full = day.tokens_full_history
    return round(1 - day.tokens_in_context / full, RATIO_DIGITS) if full else 0.0


saved_share_column = make_computed_column("saved_share", lambda day: f"{_compute_saved_ratio(day):.1%}", _("saved"))
cost_column = make_computed_column(
    "cost", lambda day: _format_amount(_find_costs(day).cost, _find_costs(day).currency), _("cost")
)
cost_without_memory_column = make_computed_column(
    "cost_without",
    lambda day: _format_amount(_find_costs(day).cost_full_history, _find_costs(day).currency),
    _("cost without memory"),
)

CSV_COLUMNS = ("day", "requests", "refused", "messages", "contexts", "tokens_in_context", "tokens_full_history")
CSV_COST_COLUMNS = ("model_tokens", "cost", "cost_full_history", "currency")


@admin.register(UsageDay)
class UsageDayScreen(TenantAdmin):
    """Daily usage and costs, as of the last roll-up, at most a minute ago."""

    personal_data = False
    list_display = (*CSV_COLUMNS, saved_share_column, cost_column, cost_without_memory_column)
    list_filter = ("day",)
    date_hierarchy = "day"
    search_fields = ("day",)
    ordering = ("-day", "id")
    actions = ("as_csv",)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[SafeChangeList]:
        return PricedChangeList

    @admin.action(description=_("Download as CSV"))
    def as_csv(self, request: HttpRequest, queryset: QuerySet[UsageDay]) -> HttpResponse:
        answer = HttpResponse(content_type="text/csv; charset=utf-8")
        answer["Content-Disposition"] = 'attachment; filename="usage.csv"'
        table = csv.writer(answer)
        table.writerow((*CSV_COLUMNS, "saved_ratio", *CSV_COST_COLUMNS))
        for day in price_days(queryset.order_by("day")):
            own = [getattr(day.used, name) for name in CSV_COLUMNS]
            costs = [getattr(day, name) for name in CSV_COST_COLUMNS]
            table.writerow([*own, _compute_saved_ratio(day.used), *costs])
        return answer


@admin.register(ModelPrice)
class ModelPriceScreen(OperatorAdmin):
    """Prices of models, kept by the operator. A new price is a new row with its first day."""

    staff_may_view = True
    list_display = (
        "tier",
        "model",
        "currency",
        "input",
        "cached_input",
        "output",
        "storage",
        "valid_from",
        "is_example",
        "source",
    )
    list_filter = ("tier", "currency", "is_example")
    search_fields = ("model", "source")
    ordering = ("tier", "-valid_from", "model")


class ModelRouteForm(forms.ModelForm[ModelRoute]):
    """The endpoint and daily tokens for one purpose, and a reason."""

    endpoint = forms.ChoiceField(
        label=_("Endpoint"), required=False, help_text=_("The endpoints are configured in the platform's settings.")
    )
    reason = ReasonField()

    class Meta:
        model = ModelRoute
        fields = ("purpose", "endpoint", "daily_tokens")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "endpoint" not in self.fields:
            return  # who may only look gets no form
        names = sorted({*chat_endpoints(), self.instance.endpoint} - {""})
        self.fields["endpoint"].choices = [NO_MODEL_CHOICE, *((name, name) for name in names)]  # type: ignore[attr-defined]  # a ChoiceField


@admin.register(ModelRoute)
class ModelRouteScreen(TenantAdmin):
    """The tenant's exceptions from the platform's settings; managers change them, with a reason."""

    form = ModelRouteForm
    add_role = change_role = delete_role = Role.MANAGER
    personal_data = False
    list_display = ("purpose", "endpoint", "daily_tokens")
    search_fields = ("purpose", "endpoint")
    ordering = ("purpose", "id")

    def title_of(self, obj: ModelRoute) -> str:
        return str(obj.get_purpose_display())


@admin.register(ModelUsage)
class ModelUsageScreen(TenantAdmin):
    """Daily usage of models, written by the calls themselves."""

    personal_data = False
    list_display = ("day", "purpose", "model", "calls", "failures", "input_tokens", "output_tokens", "token_hours")
    list_filter = ("purpose", "day")
    date_hierarchy = "day"
    search_fields = ("model", "purpose")
    ordering = ("-day", "purpose", "model", "id")

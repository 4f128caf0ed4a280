"""Screens of a tenant's limits and chat models: the endpoint for each purpose, and the use so far."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import RelatedFieldWidgetWrapper
from django.db.models import F, Sum
from django.http import HttpRequest, HttpResponse
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.action_reasons import ReasonField, read_reason
from memory_platform.console.shared.base_screens import OperatorAdmin, TenantAdmin
from memory_platform.console.shared.custom_pages import is_operator
from memory_platform.console.shared.tenant_access import make_actor
from memory_platform.console.shared.value_rendering import (
    format_json_value,
    make_column,
    make_computed_column,
    render_word,
)
from memory_platform.kernel.clock import utc_now
from memory_platform.providers.endpoint_list import list_routes
from memory_platform.providers.registry import chat_endpoints
from snapshots.knowledge.documents.quotas import count_stored_documents
from snapshots.models import Snapshot
from tenants.models import CACHE, ApiKey, ModelPrice, ModelPurpose, ModelRoute, ModelUsage, Role, UsageLimit
from tenants.services.usage.quotas import (
    ALL_NAMES,
    DOCUMENT_BYTES,
    MESSAGES,
    MODEL_TOKENS,
    REQUESTS,
    SNAPSHOTS,
    count_messages_today,
    find_default_limit,
    set_limits,
)

NO_MODEL_CHOICE = ("", _("no model: rules are used"))
MAX_COUNTED = 100_000
WHOLE_TENANT = _("the whole tenant")


def name_key(key: ApiKey | None) -> str:
    """Return the name of an API key with its public id, or that a limit is for the whole tenant."""
    return f"{key.name} ({key.key_id})" if key else str(WHOLE_TENANT)


key_column = make_column("api_key", lambda key: render_word(name_key(key)), _("for"), order="api_key__name")


def describe_default(name: str) -> str:
    """Return the meaning of an empty limit."""
    default = find_default_limit(name)
    return gettext("Empty: no limit.") if default is None else gettext("Empty: the default, %s.") % f"{default:,}"


@dataclass(frozen=True, slots=True)
class LimitUse:
    """One limit of the whole tenant as it applies now; ``allowed`` "" means no limit. ``used``: today, or as stored
    now; "" for rates, which no count tells.
    ``share``: the part of the limit that is used, at most 1."""

    title: Any
    allowed: str
    used: str
    is_own: bool
    share: float | None = None


def list_limit_uses() -> list[LimitUse]:
    """Return every limit of the open tenant beside its use. Five queries."""
    row = UsageLimit.objects.filter(api_key=None).first()
    values = {name: getattr(row, name, None) for name in ALL_NAMES}
    limits = {name: find_default_limit(name) if value is None else value for name, value in values.items()}
    used = {
        MESSAGES: f"{count_messages_today():,}",
        SNAPSHOTS: count_stored_snapshots(),
        MODEL_TOKENS: f"{count_tokens_today():,}",
        **{name: f"{count:,}" for name, count in count_stored_documents().items()},
    }
    titles = {field.name: field.verbose_name for field in UsageLimit._meta.fields}
    titles[DOCUMENT_BYTES] = _("size of documents")
    allowed = {name: "" if value is None else f"{value:,}" for name, value in limits.items()}
    return [
        LimitUse(
            titles[name],
            format_limited(name, allowed[name]),
            format_limited(name, used.get(name, "")),
            values[name] is not None,
            compute_used_share(used.get(name, ""), allowed[name]),
        )
        for name in ALL_NAMES
    ]


def format_limited(name: str, number: str) -> str:
    """Return a number of what is limited as the page shows it: bytes as "10.0 GB"."""
    return filesizeformat(number.replace(",", "")) if name == DOCUMENT_BYTES and number else number


def compute_used_share(used: str, allowed: str) -> float | None:
    """Return the used part of a limit, both with commas; None where either is not known."""
    if not used or not allowed or used.endswith("+"):
        return None
    most = int(allowed.replace(",", ""))
    return min(1.0, int(used.replace(",", "")) / most) if most else 1.0


def count_tokens_today() -> int:
    rows = ModelUsage.objects.filter(day=utc_now().date()).exclude(purpose=CACHE)
    return int(rows.aggregate(total=Sum(F("input_tokens") + F("output_tokens")))["total"] or 0)


def count_stored_snapshots() -> str:
    """Return how many snapshots are stored, counted up to a bound: a count of millions takes seconds."""
    count = Snapshot.objects.order_by()[: MAX_COUNTED + 1].count()
    return f"{count:,}" if count <= MAX_COUNTED else f"{MAX_COUNTED:,}+"


class UsageLimitForm(forms.ModelForm[UsageLimit]):
    """The limits of one key or of the whole tenant, and a reason."""

    reason = ReasonField()

    class Meta:
        model = UsageLimit
        fields = ("api_key", *ALL_NAMES)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ALL_NAMES:
            if name in self.fields:
                self.fields[name].help_text = describe_default(name)
        if "api_key" in self.fields:  # it is fixed once the limit exists
            keys: Any = self.fields["api_key"]
            keys.label_from_instance, keys.empty_label = name_key, WHOLE_TENANT


@admin.register(UsageLimit)
class UsageLimitScreen(TenantAdmin):
    """Limits that differ from the platform's. The operator sets them; all staff of the tenant see them."""

    form = UsageLimitForm
    changes_are_recorded = True
    personal_data = False
    list_display = (key_column, *ALL_NAMES)
    list_select_related = ("api_key",)
    search_fields = ("api_key__key_id", "api_key__name")
    ordering = ("api_key", "id")
    change_list_template = "console/access/limits.html"
    add_title, add_button, change_button = _("New limit"), _("Set the limit"), _("Change the limit")
    empty_text = _("No limit differs from the defaults.")
    hides_short_search = True

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        shown = {"uses": list_limit_uses()} if request.method == "GET" else {}
        return super().changelist_view(request, {**shown, **(extra_context or {})})

    def title_of(self, obj: UsageLimit) -> str:
        return name_key(obj.api_key)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_operator(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_add_permission(request)

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Return the field without Django's ways to other pages beside it."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if isinstance(field, forms.ModelChoiceField) and isinstance(field.widget, RelatedFieldWidgetWrapper):
            field.widget = field.widget.widget
        return field

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return (key_column,) if obj else ()

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = super().get_fields(request, obj)
        return [key_column, *(name for name in fields if name not in ("api_key", key_column))] if obj else fields

    def save_model(self, request: HttpRequest, obj: UsageLimit, form: UsageLimitForm, change: bool) -> None:
        names = REQUESTS if obj.api_key_id else ALL_NAMES
        values = {name: form.cleaned_data[name] for name in names}
        obj.pk = set_limits(values, by=make_actor(request), api_key=obj.api_key, reason=read_reason(request)).pk


CURRENCY_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£", "CNY": "¥"}


def format_price(amount: Decimal, currency: str) -> str:
    """Return a price per million tokens as people write it: "$0.05 / 1M"."""
    sign = CURRENCY_SIGNS.get(currency, f"{currency} ")
    return f"{sign}{amount.normalize():f} / 1M"


def _make_price_column(name: str, title: Any) -> Any:
    return make_computed_column(
        f"{name}_price",
        lambda price: format_price(getattr(price, name), price.currency),
        title,
        order=name,
        is_number=True,
    )


PRICES = (
    _make_price_column("input", _("input")),
    _make_price_column("cached_input", _("cached input")),
    _make_price_column("output", _("output")),
    _make_price_column("storage", _("kept for an hour")),
)


@admin.register(ModelPrice)
class ModelPriceScreen(OperatorAdmin):
    """Prices of models, kept by the operator. A new price is a new row with its first day."""

    staff_may_view = True
    add_title, add_button, change_button = _("New price"), _("Save the price"), _("Save the price")
    list_display = (
        "tier",
        "model",
        *PRICES,
        "valid_from",
        make_column("is_example", format_json_value, _("example")),
        "source",
    )
    list_filter = ("tier", "currency", "is_example")
    search_fields = ("model", "source")
    ordering = ("tier", "-valid_from", "model")

    def title_of(self, obj: ModelPrice) -> str:
        return obj.model

    def list_facts(self, obj: ModelPrice) -> Sequence[Any]:
        since = gettext("from %(day)s") % {"day": f"{obj.valid_from:%Y-%m-%d}"}
        return (
            obj.get_tier_display(),
            since,
            gettext("an example: check it with the vendor") if obj.is_example else "",
        )

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return the prices as people write them for whoever may only look."""
        return super().get_fields(request, obj) if self.has_change_permission(request, obj) else (*PRICES, "source")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return () if self.has_change_permission(request, obj) else self.get_fields(request, obj)


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
        if "purpose" in self.fields:
            purposes: Any = self.fields["purpose"]
            purposes.choices = [("", _("Choose a purpose")), *ModelPurpose.choices]
        if "endpoint" not in self.fields:
            return  # who may only look gets no form
        names = sorted({*chat_endpoints(), self.instance.endpoint} - {""})
        self.fields["endpoint"].choices = [NO_MODEL_CHOICE, *((name, name) for name in names)]  # type: ignore[attr-defined]  # a ChoiceField


endpoint_column = make_column(
    "endpoint", lambda name: render_word(name) if name else NO_MODEL_CHOICE[1], _("endpoint"), order="endpoint"
)


def list_effective_routes() -> Iterator[tuple[Any, str, bool]]:
    """Yield for each purpose its label, the endpoint that does it in the open tenant, "" for none, and whether that is
    the tenant's own choice. An endpoint that the operator has removed counts as none."""
    own = dict(ModelRoute.objects.values_list("purpose", "endpoint"))
    known = chat_endpoints()
    for purpose, route in list_routes().items():
        name = own.get(purpose, route)
        yield dict(ModelPurpose.choices)[purpose], name if name in known else "", purpose in own


@admin.register(ModelRoute)
class ModelRouteScreen(TenantAdmin):
    """The tenant's exceptions from the platform's settings; managers change them, with a reason."""

    form = ModelRouteForm
    add_role = change_role = delete_role = Role.MANAGER
    personal_data = False
    list_display = ("purpose", endpoint_column, "daily_tokens")
    search_fields = ("purpose", "endpoint")
    ordering = ("purpose", "id")
    change_list_template = "console/access/model_routes.html"
    add_title, add_button, change_button = _("New route"), _("Save the route"), _("Save the route")
    empty_text = _("No route differs from the platform’s.")
    hides_short_search = True

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        shown = {"routes": list(list_effective_routes())} if request.method == "GET" else {}
        return super().changelist_view(request, {**shown, **(extra_context or {})})

    def title_of(self, obj: ModelRoute) -> str:
        return str(obj.get_purpose_display())


@admin.register(ModelUsage)
class ModelUsageScreen(TenantAdmin):
    """Daily usage of models, written by the calls themselves."""

    personal_data = False
    list_display = ("day", "purpose", "model", "calls", "failures", "input_tokens", "output_tokens", "token_hours")
    list_filter = ("purpose", "day")
    empty_text = _("No model was called. Without a configured model, rules do the work and cost nothing.")
    search_fields = ("model", "purpose")
    ordering = ("-day", "purpose", "model", "id")

"""``/v1/usage``: use and costs of the tenant by day."""

from datetime import date, timedelta
from typing import Any

from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import MEMORY_READ
from memory_platform.api.config import API_CONFIG
from memory_platform.api.requests.fields import DayField, OneOfField
from memory_platform.api.requests.serializers import Output, QueryInput
from memory_platform.api.views.base_views import TenantView
from memory_platform.api.views.operation_description import operation
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import FieldFault, InvalidInput
from tenants.services.usage.daily_costs import PricedDay, usage_by_day


class UsageInput(QueryInput):
    """A span of UTC days, both ends included."""

    from_ = DayField(required=False, help_text="First day; by default 29 days before `to`.")
    to = DayField(required=False, help_text="Last day; today by default.")
    group_by = OneOfField(choices=["day"], default="day", help_text="Days are the only groups.")


class UsageDayOutput(Output):
    """One day of use."""

    day = serializers.DateField(source="used.day", help_text="The UTC day.")
    requests = serializers.IntegerField(source="used.requests", help_text="Requests that were answered.")
    refused = serializers.IntegerField(source="used.refused", help_text="Requests over a limit.")
    messages = serializers.IntegerField(source="used.messages", help_text="Messages that were stored.")
    contexts = serializers.IntegerField(source="used.contexts", help_text="Contexts that were made.")
    tokens_in_context = serializers.IntegerField(source="used.tokens_in_context", help_text="Tokens of these contexts.")
    tokens_full_history = serializers.IntegerField(
        source="used.tokens_full_history", help_text="Tokens if each context had been all messages of the subject."
    )
    sections = serializers.DictField(
        source="used.sections", child=serializers.IntegerField(), help_text="Tokens in contexts by section."
    )
    model_tokens = serializers.IntegerField(help_text="Tokens of the memory's own models.")
    cost = serializers.FloatField(
        allow_null=True,
        help_text="Price of the contexts for a middle-sized model, and of the memory's own models; null without a "
        "price list.",
    )
    cost_full_history = serializers.FloatField(
        allow_null=True, help_text="The same if each context had been all messages of the subject."
    )
    currency = serializers.CharField(allow_null=True, help_text="Currency of the costs.")
    saved_ratio = serializers.FloatField(help_text="Share of the tokens that the memory saved, 0 to 1.")

    @staticmethod
    def render_cost(day: PricedDay) -> float | None:
        return None if day.cost is None else float(day.cost)

    @staticmethod
    def render_cost_full_history(day: PricedDay) -> float | None:
        return None if day.cost_full_history is None else float(day.cost_full_history)


class UsageOutput(Output):
    """Days of use, the oldest first."""

    data_ = UsageDayOutput(many=True, help_text="Days without any use are left out.")


class UsageView(TenantView):
    noun = "tenant"
    required_scope = MEMORY_READ

    @operation("get_usage", query=UsageInput, answer=UsageOutput)
    def get(self, request: Request) -> Response:
        """Get requests, tokens and costs by day."""
        since, until = read_day_span(UsageInput.parse(request))
        return Response({"data": UsageDayOutput.render_many(usage_by_day(self.tenant_id, since, until))})


def read_day_span(query: dict[str, Any]) -> tuple[date, date]:
    """Return the first and the last day. Raises InvalidInput when they are in the wrong order."""
    until: date = query.get("to") or utc_now().date()
    since: date = query.get("from") or until - timedelta(days=min(API_CONFIG.usage_days, until.toordinal()) - 1)
    if since > until:
        raise InvalidInput(faults=[FieldFault("from", "after_end", "Must not be after `to`.")])
    return since, until


urlpatterns = [path("usage", UsageView.as_view(), name="usage")]

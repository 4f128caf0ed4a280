"""``/v1/usage``: what the tenant used by the day, and what memory saved."""

from datetime import date, timedelta
from typing import Any

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access.permissions import MEMORY_READ
from memory_platform.api.policy import POLICY
from memory_platform.api.requests.fields import DayField, OneOfField
from memory_platform.api.requests.serializers import Output, QueryInput
from memory_platform.api.views.base import TenantView
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import FieldFault, InvalidInput
from tenants.services.usage.ledger import PricedDay, usage_by_day


class UsageInput(QueryInput):
    """``from`` and ``to`` are UTC days, both included; without them the last 30 days."""

    from_ = DayField(required=False)
    to = DayField(required=False)
    group_by = OneOfField(choices=["day"], default="day")


class UsageDayOutput(Output):
    """One day. ``cost``: contexts at the price of a middle model, and what the memory's own models used; null without
    a price. ``cost_full_history``: all that was ever said, sent instead of each context."""

    day = serializers.DateField()
    requests = serializers.IntegerField()
    refused = serializers.IntegerField()
    messages = serializers.IntegerField()
    contexts = serializers.IntegerField()
    tokens_in_context = serializers.IntegerField()
    tokens_full_history = serializers.IntegerField()
    sections = serializers.DictField(child=serializers.IntegerField(), help_text="Tokens in contexts by section.")
    model_tokens = serializers.IntegerField(help_text="Read and written by the memory's own models.")
    cost = serializers.FloatField(allow_null=True)
    cost_full_history = serializers.FloatField(allow_null=True)
    currency = serializers.CharField(allow_null=True)
    saved_ratio = serializers.FloatField()


class UsageOutput(Output):
    """Days of use, the oldest first; days without any are left out."""

    data_ = UsageDayOutput(many=True)


class UsageView(TenantView):
    """The cost ledger of the tenant."""

    noun = "tenant"
    query_input = UsageInput
    required_scope = MEMORY_READ

    @extend_schema(parameters=[UsageInput], responses=UsageOutput)
    def get(self, request: Request) -> Response:
        """Return what was used by the day, up to now."""
        since, until = span_of(UsageInput.parse(request))
        return Response({"data": [serialize_usage_day(day) for day in usage_by_day(self.tenant_id, since, until)]})


def span_of(asked: dict[str, Any]) -> tuple[date, date]:
    """Return the first and the last day that are asked for. Raises InvalidInput for an end before the beginning."""
    until: date = asked.get("to") or utc_now().date()
    since: date = asked.get("from") or until - timedelta(days=min(POLICY.usage_days, until.toordinal()) - 1)
    if since > until:
        raise InvalidInput(faults=[FieldFault("from", "after_end", "Is not after `to`.")])
    return since, until


def serialize_usage_day(day: PricedDay) -> dict[str, Any]:
    used = day.used
    return {
        "day": used.day.isoformat(),
        "requests": used.requests,
        "refused": used.refused,
        "messages": used.messages,
        "contexts": used.contexts,
        "tokens_in_context": used.tokens_in_context,
        "tokens_full_history": used.tokens_full_history,
        "sections": used.sections,
        "model_tokens": day.model_tokens,
        "cost": None if day.cost is None else float(day.cost),
        "cost_full_history": None if day.cost_full_history is None else float(day.cost_full_history),
        "currency": day.currency,
        "saved_ratio": day.saved_ratio,
    }


urlpatterns = [path("usage", UsageView.as_view(), name="usage")]

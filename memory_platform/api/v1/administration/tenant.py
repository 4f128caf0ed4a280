"""``/v1/tenant``: the tenant of a key, its scopes and limits."""

from typing import Any

from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import ANY_KEY
from memory_platform.api.config import API_CONFIG
from memory_platform.api.requests.serializers import Output
from memory_platform.api.views.base_views import TenantView
from memory_platform.api.views.operation_description import operation
from tenants.isolation import tenant_tx
from tenants.models import Scope, Tenant
from tenants.services.keys import Caller

LIMITS = ("body_bytes", "messages_body_bytes", "bulk_body_bytes")


class LimitsOutput(Output):
    """Limits of one request, of the key and of the tenant."""

    body_bytes = serializers.IntegerField(help_text="Largest body of most requests in bytes.")
    messages_body_bytes = serializers.IntegerField(help_text="Largest body of `POST .../messages` in bytes.")
    bulk_body_bytes = serializers.IntegerField(help_text="Largest body of a bulk write or an import in bytes.")
    requests_per_second = serializers.IntegerField(help_text="Requests of this key per second in the long run.")
    burst = serializers.IntegerField(help_text="Requests of this key at once.")
    messages_per_day = serializers.IntegerField(help_text="Messages of the tenant per UTC day.")
    stored_snapshots = serializers.IntegerField(help_text="Snapshots that the tenant may store.")
    model_tokens_per_day = serializers.IntegerField(
        allow_null=True, help_text="Tokens per UTC day of the memory's own models; null: limited by purpose only."
    )


class TenantOutput(Output):
    """The tenant, scopes and limits of the key."""

    id = serializers.UUIDField(source="tenant_id", help_text="Id of the tenant.")
    name = serializers.CharField(source="tenant_name", help_text="Name of the tenant.")
    locale = serializers.CharField(
        allow_null=True, help_text="Language of prompts when neither the subject nor the system prompt has one."
    )
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=Scope.values), help_text="What the key may do."
    )
    limits = LimitsOutput(help_text="Limits that apply to the key.")
    subject_id = serializers.CharField(
        allow_null=True, help_text="The only subject that the key may reach; null: all of the tenant."
    )
    policy_version = serializers.CharField(help_text="Number of the policy version in force.")

    @staticmethod
    def render_scopes(caller: Caller) -> list[str]:
        return sorted(caller.scopes)

    @staticmethod
    def render_limits(caller: Caller) -> dict[str, Any]:
        return {name: getattr(API_CONFIG, name) for name in LIMITS} | caller.limits.to_dict()

    @staticmethod
    def render_subject_id(caller: Caller) -> str | None:
        return caller.bound_subject or None

    @staticmethod
    def render_policy_version(caller: Caller) -> str:
        return str(caller.policy_version)


class OwnTenantView(TenantView):
    noun = "tenant"
    required_scope = ANY_KEY
    serves_bound_keys = True

    @operation("get_tenant", answer=TenantOutput)
    def get(self, request: Request) -> Response:
        """Get the tenant of the key, the key's scopes and its limits."""
        with tenant_tx(self.tenant_id):
            locale = Tenant.objects.values_list("locale", flat=True).get(id=self.tenant_id)
        return Response(TenantOutput.render(self.caller, locale=locale or None))


urlpatterns = [path("tenant", OwnTenantView.as_view(), name="tenant")]

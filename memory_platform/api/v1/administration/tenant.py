"""``/v1/tenant``: what a key is, and how far it reaches."""

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access.permissions import ANY_KEY
from memory_platform.api.policy import POLICY
from memory_platform.api.requests.serializers import Output
from memory_platform.api.views.base import TenantView
from tenants.isolation import tenant_tx
from tenants.models import Tenant

LIMITS = ("body_bytes", "messages_body_bytes", "bulk_body_bytes")


class LimitsOutput(Output):
    """Limits of one request, of this key's requests, of the tenant; ``model_tokens_per_day`` null: by purpose only."""

    body_bytes = serializers.IntegerField()
    messages_body_bytes = serializers.IntegerField()
    bulk_body_bytes = serializers.IntegerField()
    requests_per_second = serializers.IntegerField()
    burst = serializers.IntegerField()
    messages_per_day = serializers.IntegerField()
    stored_snapshots = serializers.IntegerField()
    model_tokens_per_day = serializers.IntegerField(allow_null=True)


class TenantOutput(Output):
    """The tenant of the key that asks, and the scopes of that key."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    locale = serializers.CharField(
        allow_null=True, help_text="Language of prompts where neither subject nor system prompt tells one."
    )
    scopes = serializers.ListField(child=serializers.CharField())
    limits = LimitsOutput()
    policy_version = serializers.CharField()


class OwnTenantView(TenantView):
    """The tenant that the key belongs to."""

    noun = "tenant"
    required_scope = ANY_KEY

    @extend_schema(responses=TenantOutput)
    def get(self, request: Request) -> Response:
        """Return the tenant, the key's scopes and its limits."""
        with tenant_tx(self.tenant_id):
            locale = Tenant.objects.values_list("locale", flat=True).get(id=self.tenant_id)
        return Response(
            {
                "id": self.tenant_id,
                "name": self.caller.tenant_name,
                "locale": locale or None,
                "scopes": sorted(self.caller.scopes),
                "limits": {name: getattr(POLICY, name) for name in LIMITS} | self.caller.limits.to_dict(),
                "policy_version": str(self.caller.policy_version),
            }
        )


urlpatterns = [path("tenant", OwnTenantView.as_view(), name="tenant")]

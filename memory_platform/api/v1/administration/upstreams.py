"""``/v1/tenant/upstreams/openai``: the model endpoint to which the tenant's calls through the proxy go on."""

from django.http.response import HttpResponseBase
from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import ADMIN
from memory_platform.api.requests.fields import TextField
from memory_platform.api.requests.serializers import Input, Output
from memory_platform.api.views.base_views import TenantView, reply_without_content
from memory_platform.api.views.operation_description import operation
from tenants.isolation import tenant_tx
from tenants.services.upstreams.allowed_urls import BASE_URL_CHARS
from tenants.services.upstreams.secret_encryption import SealMissing
from tenants.services.upstreams.upstreams import (
    KEY_CHARS,
    UpstreamMissing,
    find_upstream,
    remove_upstream,
    set_upstream,
)


class UpstreamInput(Input):
    """A model endpoint in OpenAI's form. It takes the place of an earlier one, key and all."""

    base_url = TextField(
        max_bytes=BASE_URL_CHARS,
        help_text="The address before `/chat/completions`, such as `https://api.openai.com/v1`. It needs TLS and a "
        "public address, unless the operator of the platform allows its host.",
    )
    api_key = TextField(
        max_bytes=KEY_CHARS,
        required=False,
        help_text="The key that the endpoint takes; none for an endpoint without keys. It is stored encrypted and "
        "never shown again.",
    )


class UpstreamOutput(Output):
    """The tenant's model endpoint."""

    base_url = serializers.CharField(help_text="The address before `/chat/completions`.")
    key_end = serializers.CharField(
        allow_null=True, help_text="The last four characters of its key; null without a key, or for a short one."
    )
    updated_at = serializers.DateTimeField(help_text="When it was set.")


class OpenAiUpstreamView(TenantView):
    noun = "tenant"
    required_scope = ADMIN

    @operation("get_openai_upstream", answer=UpstreamOutput, errors=[UpstreamMissing])
    def get(self, request: Request) -> Response:
        """Get the model endpoint of the OpenAI proxy, without its key."""
        with tenant_tx(self.tenant_id):
            return Response(UpstreamOutput.render(find_upstream()))

    @operation("set_openai_upstream", request=UpstreamInput, answer=UpstreamOutput, errors=[SealMissing])
    def put(self, request: Request) -> Response:
        """Set the model endpoint of the OpenAI proxy. Send its key as well each time."""
        given = UpstreamInput.parse(request)
        with tenant_tx(self.tenant_id):
            return Response(
                UpstreamOutput.render(set_upstream(given["base_url"], given.get("api_key", ""), by=self.actor))
            )

    @operation("remove_openai_upstream", status=204, errors=[UpstreamMissing])
    def delete(self, request: Request) -> HttpResponseBase:
        """Remove the model endpoint of the OpenAI proxy, and its key."""
        with tenant_tx(self.tenant_id):
            remove_upstream(by=self.actor)
        return reply_without_content()


urlpatterns = [path("tenant/upstreams/openai", OpenAiUpstreamView.as_view(), name="openai-upstream")]

"""``/v1/keys``: API keys, also for one subject, so that a product can hand one to each of its users."""

from django.http.response import HttpResponseBase
from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import ADMIN
from memory_platform.api.requests.fields import InstantField, ListOfField, OneOfField, ProductIdField, TextField
from memory_platform.api.requests.serializers import Input, Output, page_of
from memory_platform.api.views.base_views import TenantView, reply_without_content
from memory_platform.api.views.idempotency import refuse_kept_reply
from memory_platform.api.views.operation_description import operation
from memory_platform.api.views.pagination import Page, PageInput
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import FieldFault, InvalidInput
from tenants.isolation import tenant_tx
from tenants.models import ApiKey, Scope
from tenants.services.keys import create_key, key_by_id, revoke_key

NAME_CHARS = 100
USUAL_SCOPES = (Scope.MEMORY_READ.value, Scope.MEMORY_WRITE.value)


class ApiKeyInput(Input):
    """A new key."""

    name = TextField(max_length=NAME_CHARS, help_text="What the key is for, such as the device.")
    scopes = ListOfField(
        child=OneOfField(choices=Scope.values),
        least=1,
        most=len(Scope.values),
        required=False,
        help_text="What the key may do. Default: `memory:read` and `memory:write`, all that a key of one subject may.",
    )
    subject_id = ProductIdField(
        required=False, help_text="The only subject that the key may reach. Default: all of the tenant."
    )
    expires_at = InstantField(required=False, help_text="When the key ends. Default: when it is revoked.")


class ApiKeyOutput(Output):
    """A key without its secret."""

    key_id = serializers.CharField(help_text="Id of the key: the letters between `mk_live_` and the next underscore.")
    name = serializers.CharField(help_text="What the key is for.")
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=Scope.values), help_text="What the key may do."
    )
    subject_id = serializers.CharField(
        source="bound_subject", allow_null=True, help_text="The only subject that it may reach; null: all."
    )
    created_at = serializers.DateTimeField(help_text="When it was made.")
    expires_at = serializers.DateTimeField(allow_null=True, help_text="When it ends; null: when it is revoked.")
    revoked_at = serializers.DateTimeField(allow_null=True, help_text="When it was revoked, else null.")
    last_used_at = serializers.DateTimeField(allow_null=True, help_text="When it was last used, to the minute.")


class CreatedApiKeyOutput(ApiKeyOutput):
    """A new key with its secret, which is shown this once and stored nowhere."""

    token = serializers.CharField(help_text="The key: send it as `Authorization: Bearer <token>`.")


class KeysView(TenantView):
    noun = "keys"
    required_scope = ADMIN

    @operation("list_keys", query=PageInput, answer=page_of(ApiKeyOutput))
    def get(self, request: Request) -> Response:
        """List the tenant's keys, oldest first, also those that have ended."""
        page = Page.from_request(request, PageInput.parse(request))
        with tenant_tx(self.tenant_id):
            return Response(page.answer(ApiKey.objects.all(), ApiKeyOutput.render))

    @operation("create_key", request=ApiKeyInput, answer=CreatedApiKeyOutput, status=201, keeps_reply=False)
    def post(self, request: Request) -> Response:
        """Create a key, also for one subject: it reads and changes nobody else. The secret is shown this once.

        Nobody needs to have the subject's id yet. An answer with a secret is not kept, so `Idempotency-Key` is refused.
        """
        given = ApiKeyInput.parse(request)
        refuse_kept_reply(request)
        if given.get("expires_at") and given["expires_at"] <= utc_now():
            raise InvalidInput(faults=[FieldFault("expires_at", "in_the_past", "Must be in the future.")])
        with tenant_tx(self.tenant_id):
            made = create_key(
                name=given["name"],
                scopes=given.get("scopes", USUAL_SCOPES),
                by=self.actor,
                expires_at=given.get("expires_at"),
                bound_subject=given.get("subject_id", ""),
            )
        return Response(CreatedApiKeyOutput.render(made.api_key, token=made.token), status=201)


class KeyView(TenantView):
    noun = "keys"
    required_scope = ADMIN

    @operation("revoke_key", status=204)
    def delete(self, request: Request, key_id: str) -> HttpResponseBase:
        """Revoke a key: whatever still uses it gets 401 from its next request on."""
        with tenant_tx(self.tenant_id):
            revoke_key(key_by_id(key_id), by=self.actor, reason="over the API")
        return reply_without_content()


urlpatterns = [
    path("keys", KeysView.as_view(), name="keys"),
    path("keys/<product_id:key_id>", KeyView.as_view(), name="key"),
]

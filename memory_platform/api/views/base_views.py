"""Base classes of views. They check in this order: 401, 403, 405, then 400 for path, query and body.

Only then a view's method runs, which loads objects and may answer 404, 409, 412 or 422.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from uuid import UUID

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from drf_spectacular.openapi import AutoSchema
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory_platform.api.access import (
    LIMIT,
    ApiKeyAuthentication,
    ScopePermission,
    actor_of,
    build_rate_headers,
    caller_of,
)
from memory_platform.api.config import API_CONFIG
from memory_platform.api.errors.handler import exception_handler
from memory_platform.api.requests.body_parsing import JsonParser, is_chunked
from memory_platform.api.requests.path_and_query import target_faults
from memory_platform.api.requests.serializers import NoQueryInput
from memory_platform.api.requests.wrong_url_hints import put_path_below
from memory_platform.api.views.json_rendering import AlwaysJson, JsonRenderer
from memory_platform.kernel.errors import InvalidInput, NotFound
from snapshots.models import Snapshot
from snapshots.policies.effective_policies import Policies, load_effective_policies
from tenants.services.audit import Actor
from tenants.services.keys import Caller
from tenants.services.usage.quotas import reserve_messages, reserve_snapshots
from tenants.services.usage.request_rates import BucketState, take_request

METHODS_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
SCOPE_OF_METHOD = {"HEAD": "GET", "OPTIONS": "GET"}


class ApiView(APIView):
    """A view that checks method, path, query and body.

    It sets the attributes that REST framework would take from the project's settings: another project may have an API
    of its own.
    """

    authentication_classes: Sequence[type[BaseAuthentication]] = (ApiKeyAuthentication,)
    permission_classes: Sequence[Any] = (ScopePermission,)
    throttle_classes = ()
    parser_classes: Sequence[type[BaseParser]] = (JsonParser,)
    renderer_classes: Sequence[type[BaseRenderer]] = (JsonRenderer,)
    content_negotiation_class = AlwaysJson
    metadata_class = None
    versioning_class = None
    schema: Any = AutoSchema()
    body_limit: ClassVar[int] = API_CONFIG.body_bytes
    # The kind of object in audit records, and the heading in the OpenAPI document.
    noun: ClassVar[str] = ""
    # A sentence for whoever calls another method than those of the path.
    method_hint: ClassVar[str] = ""

    def get_exception_handler(self) -> Any:
        return exception_handler

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        """Wrap Django's request. REST framework would take a chunked body, which has no length, for no body."""
        if is_chunked(request):
            request.META["CONTENT_LENGTH"] = "-1"
        return super().initialize_request(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Run the checks that need no database, in the promised order."""
        super().initial(request, *args, **kwargs)
        method = str(request.method)
        if method.lower() not in self.http_method_names or not hasattr(self, method.lower()):
            put = put_path_below(request._request) if method == "POST" else None
            hint = f" Use PUT {put} to store one object." if put else self.method_hint and f" {self.method_hint}"
            raise MethodNotAllowed("", detail=f"This path answers {', '.join(self.allowed_methods)}.{hint}")
        faults = target_faults(request._request, kwargs)
        if faults:
            raise InvalidInput(faults=faults)
        if request._request.META.get("QUERY_STRING"):
            self.check_query(request)
        if method in METHODS_WITH_BODY:
            _ = request.data  # parsed here: a malformed body is 400 whether or not the object exists

    def check_query(self, request: Request) -> None:
        facts = getattr(getattr(self, str(request.method).lower()), "facts", None)
        (facts.query if facts else NoQueryInput).parse(request)

    def options(self, request: Any, *args: Any, **kwargs: Any) -> Response:
        return Response(status=204, headers={"Allow": ", ".join(self.allowed_methods)})


class OpenView(ApiView):
    """A view that needs no key."""

    authentication_classes = ()
    permission_classes = ()

    def check_query(self, request: Request) -> None:
        """Accept any query: probes of load balancers add parameters."""


class TenantView(ApiView):
    """A view of one tenant's data. Methods open ``tenant_tx(self.tenant_id)`` or call ``write_once``."""

    # True for a single object with an ETag, whose changes honour If-Match.
    versioned: ClassVar[bool] = False
    # One scope for all methods, or one for each. HEAD and OPTIONS need the scope of GET.
    required_scope: ClassVar[str | Mapping[str, str]]
    # Whether a key that is bound to one subject may call this; if so, belongs_to_subject says which ids are its own.
    serves_bound_keys: ClassVar[bool] = False
    # What the answer says about an id that nobody has.
    absent: ClassVar[str] = "No subject with this id."
    # The key's bucket after this request; None while Redis is away.
    rate: BucketState | None = None

    @classmethod
    def scope_for(cls, method: str) -> str | None:
        """Return the scope that ``method`` needs; None for a method that this view does not have."""
        if isinstance(cls.required_scope, str):
            return cls.required_scope
        return cls.required_scope.get(SCOPE_OF_METHOD.get(method, method))

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Run the checks; a key of one subject finds nothing under the ids of others, as under those of nobody."""
        super().initial(request, *args, **kwargs)
        bound = self.caller.bound_subject
        if bound and not self.belongs_to_subject(bound):
            raise NotFound(self.absent)

    def belongs_to_subject(self, subject_id: str) -> bool:
        """Return whether the object in the path belongs to this subject. A path without ids belongs to everybody."""
        return True

    def check_throttles(self, request: Request) -> None:
        if getattr(request._request, "is_counted", False):  # made by another door for a request that counts already
            return
        caller = self.caller
        self.rate = take_request(caller.tenant_id, caller.key_id, caller.limits)

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        if self.rate is not None and LIMIT not in response:
            for name, value in build_rate_headers(self.rate).items():
                response[name] = value
        return super().finalize_response(request, response, *args, **kwargs)

    @property
    def caller(self) -> Caller:
        return caller_of(self.request)

    @property
    def tenant_id(self) -> UUID:
        """The tenant of the key. The request can reach no other."""
        return self.caller.tenant_id

    @property
    def actor(self) -> Actor:
        return actor_of(self.caller)


class SubjectView(TenantView):
    """A view below ``subjects/<product_id:subject_id>/``."""

    serves_bound_keys = True

    def belongs_to_subject(self, subject_id: str) -> bool:
        return self.subject_key == subject_id

    def reserve_quota(self, *, messages: int = 0, snapshots: int = 0) -> None:
        """Take the tenant's quota in the open transaction. Raises QuotaExceeded."""
        if messages:
            reserve_messages(self.caller.limits, messages)
        if snapshots:
            reserve_snapshots(self.caller.limits, snapshots, Snapshot.objects.count)

    @property
    def subject_key(self) -> str:
        return str(self.kwargs["subject_id"])

    def policies_for(self, subject_external_id: str) -> Policies:
        """Return the policies that apply to a subject. No transaction may be open."""
        return load_effective_policies(self.tenant_id, self.caller.policy_epoch, subject_external_id)


def reply_without_content() -> HttpResponseBase:
    return Response(status=204)

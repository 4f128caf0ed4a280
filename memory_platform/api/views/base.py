"""What every view of the API has in common: the order of its checks, and how it answers.

First 401, then 403, then 405, then 400 for path, query and body; only then does a view's method run, which looks things
up and may answer 404, 409, 412 or 422.
"""

from collections.abc import Mapping
from typing import Any, ClassVar
from uuid import UUID

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memory_platform.api.access.authentication import caller_of
from memory_platform.api.access.permissions import actor_of
from memory_platform.api.access.throttling import LIMIT, rate_headers
from memory_platform.api.policy import POLICY
from memory_platform.api.requests import converters as _path_parts  # noqa: F401  # registers the parts of paths
from memory_platform.api.requests.parsing import is_chunked
from memory_platform.api.requests.serializers import NoQueryInput, QueryInput
from memory_platform.api.requests.targets import target_faults
from memory_platform.kernel.errors import InvalidInput
from snapshots.models import Snapshot
from snapshots.policies.effective import Policies, effective
from tenants.services.audit import Actor
from tenants.services.keys import Caller
from tenants.services.usage.quotas import take_messages, take_snapshots
from tenants.services.usage.rates import Rate, take_request

METHODS_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
SCOPE_OF_METHOD = {"HEAD": "GET", "OPTIONS": "GET"}


class ApiView(APIView):
    """A view that may be called without a key when it says so; checks method, path, query and body."""

    body_limit: ClassVar[int] = POLICY.body_bytes
    query_input: ClassVar[type[QueryInput] | None] = NoQueryInput
    """What a GET's query string may say (other methods take none); None: whatever it likes."""
    noun: ClassVar[str] = ""
    """Heading in the OpenAPI document; by default the first fixed part of the path after the subject."""

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        """Wrap Django's request; a chunked body has no length, which REST framework would take for no body."""
        if is_chunked(request):
            request.META["CONTENT_LENGTH"] = "-1"
        return super().initialize_request(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Run the checks that need no look-up, in the order that the contract promises."""
        super().initial(request, *args, **kwargs)
        method = str(request.method)
        if method.lower() not in self.http_method_names or not hasattr(self, method.lower()):
            raise MethodNotAllowed("", detail=f"This path answers {', '.join(self.allowed_methods)}.")
        faults = target_faults(request._request, kwargs)
        if faults:
            raise InvalidInput(faults=faults)
        if request._request.META.get("QUERY_STRING"):
            self.check_query(request)
        if method in METHODS_WITH_BODY:
            _ = request.data  # parsed here: a malformed body is 400 whether or not the object exists

    def check_query(self, request: Request) -> None:
        """Raise ValidationError naming the parameters that this call does not know."""
        known = self.query_input if request.method == "GET" or self.query_input is None else NoQueryInput
        if known is not None:
            known.parse(request)

    def options(self, request: Any, *args: Any, **kwargs: Any) -> Response:
        """Answer which methods this path has."""
        return Response(status=204, headers={"Allow": ", ".join(self.allowed_methods)})


class OpenView(ApiView):
    """A view that anybody may call: health, schema."""

    authentication_classes = ()
    permission_classes = ()
    query_input = None  # probes of load balancers add what they like


class TenantView(ApiView):
    """A view of one tenant's data. Methods open ``tenant_tx(self.tenant_id)`` themselves, or call ``write_once``."""

    versioned: ClassVar[bool] = False
    """Whether this is a single object with an ``ETag``, whose changes honour ``If-Match``."""
    required_scope: ClassVar[str | Mapping[str, str]]
    """One scope for all methods, or one for each; ``HEAD`` and ``OPTIONS`` need what ``GET`` needs."""

    @classmethod
    def scope_for(cls, method: str) -> str | None:
        """Return the scope that ``method`` needs; None for a method that this view does not have."""
        if isinstance(cls.required_scope, str):
            return cls.required_scope
        return cls.required_scope.get(SCOPE_OF_METHOD.get(method, method))

    rate: Rate | None = None
    """How the key's bucket stands after this request; None while Redis is away."""

    def check_throttles(self, request: Request) -> None:
        """Take the request from the key's bucket, once key and scope are known to be good. Raises RateLimited."""
        caller = self.caller
        self.rate = take_request(caller.tenant_id, caller.key_id, caller.limits)

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Tell with each answer how many requests are left."""
        if self.rate is not None and LIMIT not in response:
            for name, value in rate_headers(self.rate).items():
                response[name] = value
        return super().finalize_response(request, response, *args, **kwargs)

    @property
    def caller(self) -> Caller:
        """Who calls."""
        return caller_of(self.request)

    @property
    def tenant_id(self) -> UUID:
        """The tenant of the key, the only one that this request can reach."""
        return self.caller.tenant_id

    @property
    def actor(self) -> Actor:
        """The key as the audit trail names it."""
        return actor_of(self.caller)


class SubjectView(TenantView):
    """A view below ``subjects/<product_id:subject_id>/``."""

    def make_room(self, *, messages: int = 0, snapshots: int = 0) -> None:
        """See that the tenant may store so many more, in the open scope. Raises QuotaExceeded."""
        if messages:
            take_messages(self.caller.limits, messages)
        if snapshots:
            take_snapshots(self.caller.limits, snapshots, Snapshot.objects.count)

    @property
    def subject_key(self) -> str:
        """The subject's id as the product writes it, already checked."""
        return str(self.kwargs["subject_id"])

    def policies_for(self, subject_external_id: str) -> Policies:
        """Return what steers the answers to a subject. No scope may be open."""
        return effective(self.tenant_id, self.caller.policy_epoch, subject_external_id)


def no_content() -> HttpResponseBase:
    """Return the answer to a deletion that has nothing to say."""
    return Response(status=204)

"""Keys of the API: authentication, scopes, and the headers ``X-RateLimit-*`` as GitHub writes them."""

import math
from typing import Any, cast

from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from memory_platform.api.config import API_CONFIG
from memory_platform.kernel.errors import MemoryPlatformError
from memory_platform.observability.logs import current_request_id
from tenants.errors import InvalidKey, KeyBoundToSubject, MissingKey, QuotaExceeded, ScopeMissing
from tenants.models import ActorKind
from tenants.services.audit import Actor, record_refusal
from tenants.services.keys import Caller, authenticate_key
from tenants.services.usage.request_rates import BucketState

SCHEME = "bearer"
LIMIT, REMAINING, RESET = "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"
MEMORY_READ = "memory:read"
MEMORY_WRITE = "memory:write"
KNOWLEDGE_WRITE = "knowledge:write"
ADMIN = "admin"
# Needed by a view that shows nothing but the key itself.
ANY_KEY = "any key"
# Characters of a request id that an audit record keeps; a client's own id may be longer.
REQUEST_ID_CHARS = 64
# The scopes of most views.
READS_AND_WRITES = {
    "GET": MEMORY_READ,
    "POST": MEMORY_WRITE,
    "PUT": MEMORY_WRITE,
    "PATCH": MEMORY_WRITE,
    "DELETE": MEMORY_WRITE,
}


class ApiKeyAuthentication(BaseAuthentication):
    """Makes ``request.user`` the :class:`Caller` of the key. Every wrong key gets the same answer."""

    def authenticate(self, request: Request) -> tuple[Caller, None]:
        return authenticate_key(read_bearer_token(request.headers.get("Authorization", ""))), None

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="memory-platform"'


def caller_of(request: Request) -> Caller:
    return cast(Caller, request.user)


def read_bearer_token(header: str) -> str:
    """Return the token of an ``Authorization`` header. Raises MissingKey, InvalidKey."""
    scheme, _, token = header.strip().partition(" ")
    token = token.strip()
    if scheme.lower() != SCHEME or not token:
        raise MissingKey
    if not token.isascii() or len(token) > API_CONFIG.token_chars:
        raise InvalidKey
    return token


def build_rate_headers(rate: BucketState) -> dict[str, str]:
    """Return the headers for a key's bucket; ``Reset`` is the UTC epoch second at which it is full."""
    return {
        LIMIT: str(rate.allowed),
        REMAINING: str(rate.remaining),
        RESET: str(math.ceil(rate.full_at.timestamp())),
    }


def build_refusal_headers(error: MemoryPlatformError) -> dict[str, str]:
    """Return the headers for a limit that was reached; none for any other error."""
    if not isinstance(error, QuotaExceeded):
        return {}
    reset = {RESET: str(math.ceil(error.resets_at.timestamp()))} if error.resets_at else {}
    return {LIMIT: str(error.allowed), REMAINING: str(error.remaining), **reset}


class ScopePermission(BasePermission):
    """Refuses a key without the scope of the method, and a key of one subject where the whole tenant is concerned."""

    def has_permission(self, request: Request, view: Any) -> bool:
        scope = view.scope_for(str(request.method))
        if scope not in {None, ANY_KEY}:
            require_scope(request, scope, view.noun)
        refuse_bound_key(request, view)
        return True


class EveryScopePermission(BasePermission):
    """Refuses a key without all scopes of the view."""

    def has_permission(self, request: Request, view: Any) -> bool:
        for scope in view.scopes:
            require_scope(request, scope, view.noun)
        refuse_bound_key(request, view)
        return True


def refuse_bound_key(request: Request, view: Any) -> None:
    """Raise KeyBoundToSubject for a key of one subject where the whole tenant is concerned, and record it."""
    caller = caller_of(request)
    if caller.bound_subject and not view.serves_bound_keys:
        record_refusal(caller.tenant_id, actor_of(caller), "api.whole_tenant", object_kind=view.noun)
        raise KeyBoundToSubject


def require_scope(request: Request, scope: str, noun: str) -> None:
    """Raise ScopeMissing, and record it in the key's own tenant: a key lacked a scope for a kind of object."""
    caller = caller_of(request)
    if scope not in caller.scopes:
        record_refusal(caller.tenant_id, actor_of(caller), f"api.{scope}", object_kind=noun)
        raise ScopeMissing(scope)


def actor_of(caller: Caller) -> Actor:
    return Actor(ActorKind.API_KEY, caller.key_id, current_request_id()[:REQUEST_ID_CHARS])

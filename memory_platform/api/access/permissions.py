"""Scopes of keys: every view names the scope that each method needs."""

from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from memory_platform.api.access.authentication import caller_of
from memory_platform.observability.logs import current_request_id
from tenants.errors import ScopeMissing
from tenants.models import ActorKind
from tenants.services.audit import Actor, record_refusal
from tenants.services.keys import Caller

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


class ScopePermission(BasePermission):
    """Refuses a key without the scope of the method."""

    def has_permission(self, request: Request, view: Any) -> bool:
        scope = view.scope_for(str(request.method))
        caller = caller_of(request)
        if scope not in {None, ANY_KEY} and scope not in caller.scopes:
            record_missing_scope(caller, scope, view.noun)
            raise ScopeMissing(scope)
        return True


def record_missing_scope(caller: Caller, scope: str, noun: str) -> None:
    """Record in the key's own tenant that a key lacked a scope for a kind of object."""
    record_refusal(caller.tenant_id, actor_of(caller), f"api.{scope}", object_kind=noun)


def actor_of(caller: Caller) -> Actor:
    return Actor(ActorKind.API_KEY, caller.key_id, current_request_id()[:REQUEST_ID_CHARS])

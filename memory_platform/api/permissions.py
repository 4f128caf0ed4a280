"""What a key may do: every view names the scope that each of its methods needs."""

from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from memory_platform.api.authentication import caller_of
from tenants.errors import ScopeMissing

MEMORY_READ = "memory:read"
MEMORY_WRITE = "memory:write"
KNOWLEDGE_WRITE = "knowledge:write"
ADMIN = "admin"
ANY_KEY = "any key"
"""Said by a view that shows a key nothing but what it is itself."""

READS_AND_WRITES = {
    "GET": MEMORY_READ,
    "POST": MEMORY_WRITE,
    "PUT": MEMORY_WRITE,
    "PATCH": MEMORY_WRITE,
    "DELETE": MEMORY_WRITE,
}
"""The ``required_scope`` of most nouns."""


class ScopePermission(BasePermission):
    """Refuses a key without the scope that the view names for this method."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Return True. Raises ScopeMissing."""
        scope = view.scope_for(str(request.method))
        if scope not in {None, ANY_KEY} and scope not in caller_of(request).scopes:
            raise ScopeMissing(scope)
        return True

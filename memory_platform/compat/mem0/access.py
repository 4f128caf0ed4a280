"""Keys as mem0's clients send them: ``Authorization: Token``, ``Bearer``, or ``X-API-Key``."""

from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request

from memory_platform.api.access import read_bearer_token
from tenants.errors import InvalidKey
from tenants.services.keys import Caller, authenticate_key

SCHEMES = frozenset({"token", "bearer"})
MISSING = (
    "The API key is missing. Give a key of the memory platform to the client as `api_key` (or set MEM0_API_KEY); over "
    "HTTP send `Authorization: Token <key>` or `X-API-Key: <key>`."
)
OTHER_PROJECT = "org_id and project_id are not those of this key. Leave both out, or take them from /v1/ping/."


class Mem0Authentication(BaseAuthentication):
    """Makes ``request.user`` the :class:`Caller` of the key. Other headers that name a user are never trusted."""

    def authenticate(self, request: Request) -> tuple[Caller, None]:
        scheme, _, token = request.headers.get("Authorization", "").strip().partition(" ")
        if scheme.lower() not in SCHEMES:
            token = request.headers.get("X-API-Key", "")
        if not token.strip():
            raise InvalidKey(MISSING)
        return authenticate_key(read_bearer_token(f"Bearer {token}")), None

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="memory-platform"'


def name_organisation(caller: Caller) -> str:
    """Return mem0's organisation of a key: its tenant."""
    return str(caller.tenant_id)


def name_project(caller: Caller) -> str:
    """Return mem0's project of a key: a tenant has one, under its slug."""
    return caller.tenant_slug


def check_project(caller: Caller, org_id: object, project_id: object) -> None:
    """Raise PermissionDenied for an organisation or project that is not that of the key; None is not checked."""
    if org_id not in (None, "", name_organisation(caller)) or project_id not in (None, "", name_project(caller)):
        raise PermissionDenied(OTHER_PROJECT)

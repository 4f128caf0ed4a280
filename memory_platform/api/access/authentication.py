"""Authentication: an API key in ``Authorization: Bearer``, and its tenant.

This module must not import ``rest_framework.views``: REST framework loads it while that module is being imported.
"""

from typing import cast

from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from memory_platform.api.config import POLICY
from tenants.errors import InvalidKey
from tenants.services.keys import Caller, authenticate_key

SCHEME = "bearer"


class ApiKeyAuthentication(BaseAuthentication):
    """Makes ``request.user`` the :class:`Caller` of the key. Every wrong key gets the same answer."""

    def authenticate(self, request: Request) -> tuple[Caller, None]:
        return authenticate_key(bearer_token(request.headers.get("Authorization", ""))), None

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="memory-platform"'


def caller_of(request: Request) -> Caller:
    return cast(Caller, request.user)


def bearer_token(header: str) -> str:
    """Return the token of an ``Authorization`` header. Raises InvalidKey."""
    scheme, _, token = header.strip().partition(" ")
    token = token.strip()
    if scheme.lower() != SCHEME or not token.isascii() or not 0 < len(token) <= POLICY.token_chars:
        raise InvalidKey
    return token

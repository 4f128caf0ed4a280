"""The conversation with the OpenID provider. Authlib runs it: code flow, PKCE, state, nonce, and the ID token's
signature, issuer, audience and expiry."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import urlsplit

import requests
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.django_client import OAuth
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from joserfc.errors import JoseError

TIMEOUT_S = 5
LEEWAY_S = 60
# What the platform reads of the provider's metadata; the client would take anything else for settings of its own.
METADATA = frozenset(
    {
        "_loaded_at",
        "authorization_endpoint",
        "id_token_signing_alg_values_supported",
        "issuer",
        "jwks_uri",
        "token_endpoint",
        "token_endpoint_auth_method",
        "userinfo_endpoint",
    }
)
ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint")
# Signatures with the provider's private key. Never "none", and never those that the client secret could make.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519")
MAX_CLAIM_CHARS = 255

Answer = TypeVar("Answer")


class ProviderAway(Exception):
    """The provider does not answer, or not in time."""


class ProviderAnswerInvalid(Exception):
    """The provider's answer is refused; the message is for the log and holds nothing of the answer."""


@dataclass(frozen=True, slots=True)
class ProviderPerson:
    """Whom the provider names, and the groups that its answer lists in a valid way."""

    issuer: str
    subject: str
    groups: frozenset[str]
    names: Mapping[str, str]


def is_configured() -> bool:
    return bool(settings.CONSOLE_OIDC_ISSUER)


def begin_log_in(request: HttpRequest, callback: str) -> HttpResponse:
    """Return the redirect to the provider. Raises ProviderAway and ProviderAnswerInvalid."""
    response: HttpResponse = _ask(lambda: _make_client().authorize_redirect(request, callback))
    return response


def finish_log_in(request: HttpRequest) -> ProviderPerson:
    """Return whom the provider named. Raises ProviderAway and ProviderAnswerInvalid."""
    return _ask(lambda: _read_person(request))


def _ask(conversation: Callable[[], Answer]) -> Answer:
    try:
        return conversation()
    except requests.RequestException as error:
        is_answer = error.response is not None and error.response.status_code < HTTPStatus.INTERNAL_SERVER_ERROR
        if isinstance(error, ValueError) or is_answer:
            raise ProviderAnswerInvalid(type(error).__name__) from None
        raise ProviderAway from None
    # Whatever a provider may send, JSON of another shape included, is a refused log-in and no fault of ours.
    except (AuthlibBaseError, JoseError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ProviderAnswerInvalid(type(error).__name__) from None
    except RuntimeError as error:  # Authlib's answer to metadata that lacks something
        raise ProviderAnswerInvalid(type(error).__name__) from None


def _make_client() -> Any:
    """Return a client with the provider's present metadata, as far as the platform uses them."""
    issuer = settings.CONSOLE_OIDC_ISSUER
    client = OAuth().register(
        "console",
        client_id=settings.CONSOLE_OIDC_CLIENT_ID,
        client_secret=settings.CONSOLE_OIDC_CLIENT_SECRET,
        server_metadata_url=f"{issuer.rstrip('/')}/.well-known/openid-configuration",
        client_kwargs={
            "scope": settings.CONSOLE_OIDC_SCOPES,
            "code_challenge_method": "S256",
            "default_timeout": TIMEOUT_S,
        },
    )
    metadata = client.load_server_metadata()
    if metadata.get("issuer") != issuer:
        raise ProviderAnswerInvalid("issuer")
    scheme = urlsplit(issuer).scheme
    if any(urlsplit(metadata[name]).scheme != scheme for name in ENDPOINTS if name in metadata):
        raise ProviderAnswerInvalid("endpoint")
    offered = metadata.get("id_token_signing_alg_values_supported") or ["RS256"]
    metadata["id_token_signing_alg_values_supported"] = [one for one in ALGORITHMS if one in offered]
    ways = metadata.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
    metadata["token_endpoint_auth_method"] = (
        "client_secret_basic" if "client_secret_basic" in ways else "client_secret_post"
    )
    for name in metadata.keys() - METADATA:
        del metadata[name]
    return client


def _read_person(request: HttpRequest) -> ProviderPerson:
    client = _make_client()
    expected = {"iss": settings.CONSOLE_OIDC_ISSUER, "aud": settings.CONSOLE_OIDC_CLIENT_ID}
    options = {name: {"essential": True, "value": value} for name, value in expected.items()}
    token = client.authorize_access_token(request, claims_options=options, leeway=LEEWAY_S)
    claims = token.get("userinfo")
    if not claims:
        raise ProviderAnswerInvalid("id_token")
    subject = _read_text(claims, "sub")
    if not subject:
        raise ProviderAnswerInvalid("sub")
    groups = claims.get(settings.CONSOLE_OIDC_GROUPS_CLAIM)
    if groups is None and "userinfo_endpoint" in client.server_metadata:
        more = client.userinfo(token=token)
        # An answer about somebody else is worth nothing.
        groups = more.get(settings.CONSOLE_OIDC_GROUPS_CLAIM) if more.get("sub") == subject else None
    names = {name: _read_text(claims, name) for name in ("preferred_username", "given_name", "family_name", "email")}
    return ProviderPerson(settings.CONSOLE_OIDC_ISSUER, subject, read_groups(groups), names)


def read_groups(claim: object) -> frozenset[str]:
    """Return the groups if the claim is a list of strings; otherwise none at all."""
    if not isinstance(claim, list) or not all(isinstance(group, str) for group in claim):
        return frozenset()
    return frozenset(claim)


def _read_text(claims: Mapping[str, Any], name: str) -> str:
    value = claims.get(name)
    is_text = isinstance(value, str) and len(value) <= MAX_CLAIM_CHARS and value.isprintable()
    return str(value) if is_text else ""

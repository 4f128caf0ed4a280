"""``/mcp``: the MCP server by streamable HTTP, without sessions. Each POST is one message and gets one JSON answer.

The checks are those of every address of the API: key, limits, size of the body. Then the SDK answers, in this thread.
"""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpResponse
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request

from memory_platform.api.access import ANY_KEY
from memory_platform.api.requests.body_parsing import JsonParser
from memory_platform.api.requests.fields import OneOfField, ProductIdField
from memory_platform.api.requests.serializers import QueryInput
from memory_platform.api.v1.tools.tool_definition import LANGUAGES
from memory_platform.api.views.base_views import TenantView
from memory_platform.compat.mcp.client_request import PROFILES, SUBJECT_HEADER, Visit
from memory_platform.compat.mcp.oauth_metadata import build_base_address, make_challenge
from memory_platform.kernel.errors import FieldFault, InvalidInput
from memory_platform.kernel.product_ids import find_product_id_fault
from tenants.errors import InvalidKey, MissingKey

UNAUTHENTICATED = 401


class McpQuery(QueryInput):
    """The query parameters that the address of the server may have."""

    subject = ProductIdField(required=False, help_text="Whom the connection is for.")
    profile = OneOfField(choices=PROFILES, default="memory", help_text="Which tools it has.")
    language = OneOfField(choices=LANGUAGES, default="en", help_text="Language of the tools' descriptions.")
    conversation = ProductIdField(required=False, help_text="The conversation that tools are called in.")


class BodyAsSent(JsonParser):
    """Reads a body of a bounded size. The SDK parses it, so that a fault has the answer that JSON-RPC wants."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        return self.read(stream, parser_context or {})


class McpView(TenantView):
    noun = "mcp"
    required_scope = ANY_KEY
    serves_bound_keys = True
    parser_classes = (BodyAsSent,)
    schema = None  # not in the OpenAPI document: the protocol describes itself

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse web pages of other origins first: a page may reach a server that only its reader can reach."""
        check_origin(request)
        super().initial(request, *args, **kwargs)

    def check_query(self, request: Request) -> None:
        McpQuery.parse(request)

    def belongs_to_subject(self, subject_id: str) -> bool:
        return read_named_subject(self.request) in ("", subject_id)

    def post(self, request: Request) -> HttpResponse:
        """Answer one message."""
        from memory_platform.compat.mcp.sdk_server import serve_message  # noqa: PLC0415 -- 0.5 s, for those who use it

        query = McpQuery.parse(request)
        visit = Visit(
            self.caller,
            self.caller.bound_subject or read_named_subject(request),
            query["profile"],
            query["language"],
            query.get("conversation", ""),
            build_base_address(request._request),
        )
        sent: Any = request.data  # bytes, or an empty dictionary for an empty body
        return serve_message(visit, request.headers, sent or b"")

    def handle_exception(self, exc: Exception) -> Any:
        response = super().handle_exception(exc)
        if response.status_code == UNAUTHENTICATED:
            wrong = isinstance(exc, InvalidKey) and not isinstance(exc, MissingKey)
            response["WWW-Authenticate"] = make_challenge(self.request._request, "invalid_token" if wrong else "")
        return response


def read_named_subject(request: Request) -> str:
    """Return whom the address, else the header names; empty for nobody. Raises InvalidInput for no possible id."""
    named = request.query_params.get("subject") or decode_header(request.headers.get(SUBJECT_HEADER, ""))
    fault = find_product_id_fault(named) if named else None
    if fault:
        raise InvalidInput(faults=[FieldFault(SUBJECT_HEADER, *fault)])
    return named


def decode_header(value: str) -> str:
    """Return a header as UTF-8, as clients send ids that are not ASCII; WSGI hands bytes over as Latin-1."""
    try:
        return value.encode("latin-1").decode()
    except (UnicodeEncodeError, UnicodeDecodeError):
        return value


def check_origin(request: Request) -> None:
    """Raise PermissionDenied for a web page of another origin. Programs send no ``Origin``."""
    origin = request.headers.get("Origin")
    if origin is None or origin in settings.MCP_ALLOWED_ORIGINS:
        return
    if urlsplit(origin).netloc != request._request.get_host():
        raise PermissionDenied("Pages of this origin may not call the server. Allow it in MCP_ALLOWED_ORIGINS.")

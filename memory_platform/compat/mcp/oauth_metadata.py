"""RFC 9728: where a client learns how to authorise. Keys of ours are the access tokens."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from memory_platform.api.views.json_rendering import dump_json
from tenants.models import Scope

WELL_KNOWN = "/.well-known/oauth-protected-resource"
ENDPOINT = "/mcp"
SCOPES = (Scope.MEMORY_READ.value, Scope.MEMORY_WRITE.value)


def build_base_address(request: HttpRequest) -> str:
    return request.build_absolute_uri("/").rstrip("/")


def make_challenge(request: HttpRequest, error: str = "") -> str:
    """Return the header ``WWW-Authenticate`` of a 401; ``error`` is empty where no key was sent."""
    named = f'error="{error}", ' if error else ""
    scope = " ".join(SCOPES)
    address = f"{build_base_address(request)}{WELL_KNOWN}{ENDPOINT}"
    return f'Bearer realm="memory-platform", {named}resource_metadata="{address}", scope="{scope}"'


def describe_resource(base: str) -> dict[str, Any]:
    """Return the document. Without an authorization server the only tokens are keys made in the console."""
    servers = list(settings.MCP_AUTHORIZATION_SERVERS)
    return {
        "resource": f"{base}{ENDPOINT}",
        "resource_name": "Memory platform",
        "resource_documentation": f"{base}/v1/docs",
        "scopes_supported": list(SCOPES),
        "bearer_methods_supported": ["header"],
        **(
            {"authorization_servers": servers}
            if servers
            else {"authorization": "API keys only: send `Authorization: Bearer <key>` with a key made in the console."}
        ),
    }


@require_safe
def show_resource_metadata(request: HttpRequest) -> HttpResponse:
    return HttpResponse(
        dump_json(describe_resource(build_base_address(request))),
        content_type="application/json",
        headers={"Access-Control-Allow-Origin": "*"},
    )

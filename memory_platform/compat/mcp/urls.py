"""The addresses of the MCP server."""

from django.urls import path

from memory_platform.compat.mcp.http_transport import McpView
from memory_platform.compat.mcp.oauth_metadata import WELL_KNOWN, show_resource_metadata

urlpatterns = [
    path("mcp", McpView.as_view(), name="mcp"),
    path(WELL_KNOWN.lstrip("/"), show_resource_metadata, name="mcp-resource"),
    path(f"{WELL_KNOWN.lstrip('/')}/mcp", show_resource_metadata, name="mcp-resource-of-endpoint"),
]

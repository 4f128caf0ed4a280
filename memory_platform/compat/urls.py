"""The addresses that other makers' clients call."""

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [path("", include("memory_platform.compat.mcp.urls"))]

"""The addresses that other makers' clients call."""

from django.urls import URLPattern, URLResolver, include, path

from memory_platform.compat.openai import urls as openai

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("memory_platform.compat.mcp.urls")),
    path("compat/anthropic/", include("memory_platform.compat.anthropic.urls")),
    path("compat/langgraph/", include("memory_platform.compat.langgraph.urls")),
    path("compat/mem0/", include("memory_platform.compat.mem0.urls")),
    *openai.urlpatterns,
]

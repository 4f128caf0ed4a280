"""Everything that outside programs may call."""

from django.urls import include, path

from memory_platform.api.reference.documentation_views import DocsView, RootView, SchemaView
from memory_platform.api.server.health import LiveView, ReadyView, metrics

urlpatterns = [
    path("health/live", LiveView.as_view(), name="health-live"),
    path("health/ready", ReadyView.as_view(), name="health-ready"),
    path("metrics", metrics, name="metrics"),
    path("v1", RootView.as_view(), name="api-root"),
    path("v1/schema", SchemaView.as_view(), name="api-schema"),
    path("v1/docs", DocsView.as_view(), name="api-docs"),
    path("v1/", include("memory_platform.api.v1.urls")),
]

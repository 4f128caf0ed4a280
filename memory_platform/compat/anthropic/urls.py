"""The address that the memory tool of our client calls."""

from django.urls import path

from memory_platform.compat.anthropic.views import MemoryToolView

urlpatterns = [path("memory", MemoryToolView.as_view(), name="anthropic-memory")]

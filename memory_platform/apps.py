"""The project itself as an app: it carries the management commands."""

from django.apps import AppConfig


class PlatformConfig(AppConfig):
    name = "memory_platform"
    label = "platform"

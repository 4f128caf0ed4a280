"""The project itself as an app: it carries the management commands and brings Celery into every process."""

from importlib import import_module

from django.apps import AppConfig


class PlatformConfig(AppConfig):
    name = "memory_platform"
    label = "platform"

    def ready(self) -> None:
        import_module("memory_platform.celery")  # the rooms below publish through celery.current_app

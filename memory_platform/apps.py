"""The platform as an app, in a project of ours or of somebody else."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import django_stubs_ext
import structlog
from django.apps import AppConfig
from django.core.exceptions import ImproperlyConfigured

from memory_platform.observability.logs import logging_config

# Before any model is imported: lets ModelAdmin, fields and others take type arguments at run time.
django_stubs_ext.monkeypatch()

PACKAGE_FOLDER = Path(__file__).resolve().parents[1]
NEIGHBOURS = ("tenants", "profiles", "snapshots")


class PlatformConfig(AppConfig):
    """Give any project the settings that it leaves out, the system checks and the management commands."""

    name = "memory_platform"
    label = "platform"
    default = True

    def __init__(self, app_name: str, app_module: ModuleType | None) -> None:
        super().__init__(app_name, app_module)
        refuse_other_packages()

    def ready(self) -> None:
        from memory_platform.env.host_project_settings import fill_settings  # noqa: PLC0415 - settings, read late

        fill_settings()
        if not structlog.is_configured():
            logging_config()  # lines go to Python's logger `memory_platform`, and hold ids and numbers only
        import_module("memory_platform.checks")  # registers them


class StandaloneConfig(PlatformConfig):
    """The service by itself: brings its Celery app into every process."""

    default = False

    def ready(self) -> None:
        super().ready()
        import_module("memory_platform.celery")  # the rooms below publish through celery.current_app


def refuse_other_packages() -> None:
    """Raise ImproperlyConfigured if Python finds other packages of our names: their modules would be missing later."""
    for name in NEIGHBOURS:
        spec = find_spec(name)
        if spec is None or not spec.origin or Path(spec.origin).resolve().parents[1] != PACKAGE_FOLDER:
            found = (spec and (spec.origin or list(spec.submodule_search_locations or ()))) or "nothing"
            raise ImproperlyConfigured(
                f"The package `{name}` of the memory platform is hidden: Python finds {found}. The project or another "
                f"distribution has a package of this name. Rename that one; the platform's are {', '.join(NEIGHBOURS)}."
            )

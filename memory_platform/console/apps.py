"""The console replaces Django's default admin site."""

from importlib import import_module

from django.contrib.admin.apps import AdminConfig

SCREENS = (
    "tenants",
    "keys",
    "model_use",
    "usage",
    "support",
    "policies",
    "experiments",
    "directory",
    "subjects",
    "profiles",
    "candidates",
    "asks",
    "snapshots",
    "notes",
    "tasks",
    "care",
    "forget_orders",
    "receipts",
    "prefixes",
    "work",
    "erasures",
    "platform",
    "timetable",
)


class ConsoleConfig(AdminConfig):
    default_site = "memory_platform.console.site.ConsoleSite"

    def ready(self) -> None:
        super().ready()  # discovers Django's and the libraries' screens
        for screen in SCREENS:
            import_module(f"memory_platform.console.{screen}")
        import_module("memory_platform.console.platform").replace_default_screens()
        import_module("memory_platform.console.timetable").replace_default_screens()

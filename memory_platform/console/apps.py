"""The console replaces Django's default admin site."""

from importlib import import_module

from django.contrib.admin.apps import AdminConfig

SCREENS = (
    "tenants.tenants",
    "tenants.keys",
    "tenants.model_use",
    "tenants.usage",
    "tenants.support",
    "policies.screens",
    "policies.experiments",
    "tenants.directory",
    "subjects.screen",
    "memories.profiles",
    "review.candidates",
    "review.asks",
    "memories.snapshots",
    "memories.notes",
    "memories.tasks",
    "review.maintenance",
    "review.forget_orders",
    "receipts.screen",
    "operation.prompt_caches",
    "operation.work",
    "operation.erasures",
    "operation.platform",
    "operation.timetable",
)


class ConsoleConfig(AdminConfig):
    default_site = "memory_platform.console.site.site.ConsoleSite"

    def ready(self) -> None:
        super().ready()  # discovers Django's and the libraries' screens
        for screen in SCREENS:
            import_module(f"memory_platform.console.{screen}")
        import_module("memory_platform.console.operation.platform").replace_default_screens()
        import_module("memory_platform.console.operation.timetable").replace_default_screens()

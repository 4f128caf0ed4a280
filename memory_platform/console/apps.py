"""The console replaces Django's default admin site."""

from django.contrib.admin.apps import AdminConfig


class ConsoleConfig(AdminConfig):
    default_site = "memory_platform.console.site.site.ConsoleSite"

    def ready(self) -> None:
        super().ready()  # discovers Django's and the libraries' screens
        from memory_platform.console.site.screens import replace_library_screens  # noqa: PLC0415 - needs all models

        replace_library_screens()

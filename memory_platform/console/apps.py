"""The console replaces Django's default admin site."""

from django.contrib.admin.apps import AdminConfig


class ConsoleConfig(AdminConfig):
    default_site = "memory_platform.console.site.site.ConsoleSite"

    def ready(self) -> None:
        super().ready()  # discovers Django's and the libraries' screens
        from memory_platform.console.log_in import platform_log, session_limits  # noqa: F401, PLC0415 - signal receivers
        from memory_platform.console.site.screens import replace_library_screens  # noqa: PLC0415 - needs all models

        replace_library_screens()

"""The console replaces Django's default admin site."""

from django.contrib.admin.apps import AdminConfig


class ConsoleConfig(AdminConfig):
    default_site = "memory_platform.console.site.ConsoleSite"

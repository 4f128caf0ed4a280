"""The console: Django's admin, working inside exactly one tenant at a time."""

from django.contrib.admin import AdminSite


class ConsoleSite(AdminSite):
    """The admin site of the platform."""

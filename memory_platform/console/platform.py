"""Screens of the platform itself, for the operator."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest

from memory_platform.console.base import OperatorAdmin
from snapshots.models import EmbeddingSpace
from tenants.models import JobRun


class StaffScreen(UserAdmin[User]):
    """Staff log-ins. A log-in is deactivated, not deleted: the audit trail names it."""

    ordering = ("username",)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(JobRun)
class JobRunScreen(OperatorAdmin):
    """Runs of scheduled jobs."""

    machine_written = True
    list_display = ("job", "scheduled_for", "started_at", "ended_at", "rows", "skipped", "errors")
    list_filter = ("job", "scheduled_for")
    date_hierarchy = "scheduled_for"
    ordering = ("-scheduled_for", "job")


@admin.register(EmbeddingSpace)
class EmbeddingSpaceScreen(OperatorAdmin):
    """Embedding models that vectors were made with."""

    machine_written = True
    list_display = ("name", "dimensions", "languages", "created_at")
    ordering = ("name",)


def replace_default_screens() -> None:
    """Put our staff screen in place of Django's; groups are not used, roles are per tenant."""
    admin.site.unregister(User)
    admin.site.unregister(Group)
    admin.site.register(User, StaffScreen)

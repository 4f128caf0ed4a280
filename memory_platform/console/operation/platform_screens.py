"""Screens of the platform itself, for the operator."""

from typing import Any

from admin_interface.admin import ThemeAdmin
from admin_interface.models import Theme
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.base_screens import OperatorAdmin, SafeLookupAdmin
from memory_platform.console.shared.rendering import make_column, render_value_line
from snapshots.models import EmbeddingSpace
from tenants.models import JobRun


class StaffScreen(SafeLookupAdmin, UserAdmin[User]):
    """Staff accounts; their roles are per tenant. They are deactivated, not deleted: the audit trail refers to them."""

    ordering = ("username",)
    list_display = ("username", "first_name", "last_name", "email", "is_active", "is_superuser", "last_login")
    list_filter = ("is_active", "is_superuser")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        (_("Person"), {"fields": ("first_name", "last_name", "email")}),
        (_("Access"), {"fields": ("is_active", "is_superuser")}),
        (_("Times"), {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ("last_login", "date_joined")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        obj.is_staff = True  # there is no other kind of log-in
        super().save_model(request, obj, form, change)


@admin.register(JobRun)
class JobRunScreen(OperatorAdmin):
    """Runs of scheduled jobs."""

    machine_written = True
    staff_may_view = True
    list_display = ("job", "scheduled_for", "started_at", "ended_at", "rows", "skipped", "errors")
    list_filter = ("job", "scheduled_for")
    search_fields = ("job",)
    date_hierarchy = "scheduled_for"
    ordering = ("-scheduled_for", "job", "-id")


@admin.register(EmbeddingSpace)
class EmbeddingSpaceScreen(OperatorAdmin):
    """Embedding models and the progress of each, as last counted; the page itself counts nothing."""

    machine_written = True
    list_display = (
        "name",
        "dimensions",
        make_column("languages", render_value_line, _("languages")),
        "is_listed",
        "held",
        "belonging",
        "missing",
        "oldest_missing_at",
        "counted_at",
        "created_at",
    )
    search_fields = ("name",)
    ordering = ("name",)


@admin.register(LogEntry)
class PlatformChangeScreen(OperatorAdmin):
    """Changes of platform-wide rows: staff accounts, timetable, theme. Tenants have their own audit trails."""

    machine_written = True
    list_display = ("action_time", "user", "content_type", "object_repr", "change")
    list_filter = (("content_type", admin.RelatedOnlyFieldListFilter), "action_time")
    list_select_related = ("user", "content_type")
    search_fields = ("user__username", "object_repr")
    date_hierarchy = "action_time"
    ordering = ("-action_time", "-id")

    @admin.display(description=_("change"))
    def change(self, entry: LogEntry) -> str:
        return entry.get_change_message()


class ThemeScreen(SafeLookupAdmin, ThemeAdmin):  # type: ignore[misc]  # the library carries no types
    """Colours and logo of the console."""


def replace_default_screens() -> None:
    """Replace the libraries' screens. Groups are not used: roles are per tenant."""
    admin.site.unregister((User, Group, Theme))
    admin.site.register(User, StaffScreen)
    admin.site.register(Theme, ThemeScreen)

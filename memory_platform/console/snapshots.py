"""Screens of conversations, snapshots and receipts: written by machines, read by support."""

from typing import Any

from django.contrib import admin
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from memory_platform.console.base import TenantAdmin
from snapshots.models import Conversation, Message, Receipt, ReceiptMemory, Snapshot, SnapshotSource

LINE = 90
"""Characters of a text shown in a list."""


class OfSubject(TenantAdmin):
    """A screen whose rows belong to a subject."""

    list_select_related = ("subject",)

    @admin.display(description=_("subject"), ordering="subject__external_id")
    def subject_id_shown(self, obj: Any) -> str:
        return str(obj.subject.external_id)


@admin.register(Conversation)
class ConversationScreen(OfSubject):
    """Conversations, newest first."""

    list_display = (
        "external_id",
        "subject_id_shown",
        "status",
        "remember",
        "created_at",
        "last_accepted_at",
        "ended_at",
    )
    list_filter = ("status", "remember", "created_at")
    search_fields = ("external_id", "subject__external_id")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-id")


@admin.register(Message)
class MessageScreen(OfSubject):
    """Messages as they were posted."""

    list_display = ("said_at", "subject_id_shown", "role", "name", "line", "remember", "accepted_at")
    list_filter = ("role", "remember", "accepted_at")
    search_fields = ("external_id", "subject__external_id", "content")
    date_hierarchy = "said_at"
    ordering = ("-accepted_at", "-seq")

    @admin.display(description=_("content"))
    def line(self, message: Message) -> str:
        return Truncator(message.content).chars(LINE)


class SourceInline(admin.TabularInline[Any, Any]):
    """The messages behind a snapshot."""

    model = SnapshotSource
    fk_name = "memory"
    fields = readonly_fields = ("said_at", "role", "content")
    extra = 0
    can_delete = False

    def get_queryset(self, request: Any) -> Any:
        return super().get_queryset(request).select_related("message")

    def has_add_permission(self, request: Any, obj: Any = None) -> bool:
        return False

    def has_view_permission(self, request: Any, obj: Any = None) -> bool:
        return True  # the snapshot's own screen has decided already

    def has_change_permission(self, request: Any, obj: Any = None) -> bool:
        return False

    @admin.display(description=_("said at"))
    def said_at(self, source: SnapshotSource) -> Any:
        return source.message.said_at

    @admin.display(description=_("role"))
    def role(self, source: SnapshotSource) -> str:
        return str(source.message.role)

    @admin.display(description=_("content"))
    def content(self, source: SnapshotSource) -> str:
        return str(source.message.content)


@admin.register(Snapshot)
class SnapshotScreen(OfSubject):
    """Snapshots with the messages behind them."""

    list_display = (
        "line",
        "subject_id_shown",
        "kind",
        "confidence",
        "provenance",
        "said_at",
        "expires_at",
        "retired_at",
    )
    list_filter = ("kind", "provenance", "retired_at", "said_at")
    search_fields = ("subject__external_id", "text", "name")
    date_hierarchy = "said_at"
    ordering = ("-recorded_at", "-id")
    inlines = (SourceInline,)

    @admin.display(description=_("text"))
    def line(self, snapshot: Snapshot) -> str:
        return Truncator(snapshot.text).chars(LINE)


class InjectedInline(admin.TabularInline[Any, Any]):
    """The memories that a receipt put into the prompt."""

    model = ReceiptMemory
    fields = readonly_fields = ("context_position", "lane", "memory_ref", "utilised", "signal")
    extra = 0
    can_delete = False

    def has_add_permission(self, request: Any, obj: Any = None) -> bool:
        return False

    def has_view_permission(self, request: Any, obj: Any = None) -> bool:
        return True  # the receipt's own screen has decided already

    def has_change_permission(self, request: Any, obj: Any = None) -> bool:
        return False


@admin.register(Receipt)
class ReceiptScreen(OfSubject):
    """What was put into one prompt, and why."""

    list_display = ("created_at", "subject_id_shown", "intent", "policy_version", "degraded_reason", "id")
    list_filter = ("intent", "policy_version", "degraded_reason", "created_at")
    search_fields = ("subject__external_id", "id")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-id")
    inlines = (InjectedInline,)

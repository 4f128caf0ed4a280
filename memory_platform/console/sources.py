"""Why something is known, and how surely: the messages behind a memory, its receipts, its calibrations."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from memory_platform.console.display import column, link, list_link, value_whole, whole
from snapshots.models import (
    Calibration,
    PreferenceSource,
    ProfileFactSource,
    Receipt,
    ReceiptMemory,
    SnapshotSource,
    SnapshotVersion,
    TagSource,
)


@admin.display(description=_("used in"))
def receipts_with(memory: Any) -> str:
    """Link to the receipts that put this memory into a prompt."""
    used = ReceiptMemory.objects.filter(memory_ref=memory.pk, subject=memory.subject_id)
    number = used.order_by().values("receipt_id").distinct().count()
    text = ngettext("%(count)d receipt", "%(count)d receipts", number) % {"count": number}
    return list_link(Receipt, text, memory=memory.pk)


@admin.display(description=_("changes of confidence"))
def calibrations_of(memory: Any) -> str:
    """Link to how the confidence of this memory has moved."""
    moved = Calibration.objects.filter(memory_ref=memory.pk, subject=memory.subject_id).count()
    text = ngettext("%(count)d change", "%(count)d changes", moved) % {"count": moved}
    return list_link(Calibration, text, memory_ref=memory.pk)


class ShownBelow(admin.TabularInline[Any, Any]):
    """Rows shown on the page of the row they belong to. That page has decided who may look, and recorded it."""

    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return True

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class Sources(ShownBelow):
    """The messages behind a memory."""

    fk_name = "memory"
    fields: ClassVar[Any] = (
        column("message", lambda message: link(message, f"{message.said_at:%Y-%m-%d %H:%M}"), _("said at")),
        column("message.get_role_display", lambda role: role(), _("role")),
        column("message.content", whole, _("content")),
    )
    readonly_fields = fields
    verbose_name_plural = _("sources")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("message").order_by("message__said_at", "message__seq")


class FactSources(Sources):
    """The messages behind a profile fact."""

    model = ProfileFactSource


class PreferenceSources(Sources):
    """The messages behind a preference."""

    model = PreferenceSource


class TagSources(Sources):
    """The messages behind a tag."""

    model = TagSource


class SnapshotSources(Sources):
    """The messages behind a snapshot."""

    model = SnapshotSource


class SnapshotPast(ShownBelow):
    """The snapshot as it was before each change: the earlier values, and how long they were held. The latest first."""

    model = SnapshotVersion
    fk_name = "snapshot"
    fields: ClassVar[Any] = (
        column("version", str, _("version")),
        column("fields", value_whole, _("earlier values")),
        "recorded_at",
        "retired_at",
    )
    readonly_fields = fields
    ordering = ("-version",)
    verbose_name_plural = _("earlier versions")

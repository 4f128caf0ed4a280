"""Why a memory is known, and how surely: source messages, receipts, calibrations."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from memory_platform.console.explanation.explanation_texts import render_signal
from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.rendering import (
    EMPTY_VALUE,
    MAX_LINE_CHARS,
    build_change_address,
    build_list_address,
    make_column,
    render_link,
    render_list_link,
    render_share_bar,
    render_text,
    render_value,
)
from memory_platform.console.transcript.answers import LARGE_BESIDE_QUESTION, render_question
from memory_platform.console.transcript.message_links import render_message_link
from profiles.models import TagDetail
from snapshots.models import (
    Calibration,
    Note,
    NoteSlot,
    PreferenceSource,
    ProfileFactSource,
    Receipt,
    ReceiptMemory,
    SnapshotSource,
    SnapshotVersion,
    TagSource,
)
from snapshots.notes.slot_links import KEYS
from snapshots.receipts.read import find_positions_without_rows, list_receipts

MAX_ANSWERS = 10
MAX_NOTES = 10
# Answers that are counted before the page says "more than".
MAX_COUNTED_ANSWERS = 1_000


@admin.display(description=_("used in answers"))
def render_answers_with(memory: Any) -> SafeString:
    """Return the newest answers whose prompt held this memory as HTML, each by its question, and a link to all."""
    memory_id = getattr(memory, "value_id", memory.pk)  # an image of a belief before a change was never in a prompt
    found = list_receipts(memory_id=memory_id).filter(subject_id=memory.subject_id)
    shown = found.defer(None).defer(*LARGE_BESIDE_QUESTION)
    newest = list(shown.order_by("-created_at", "-id")[:MAX_ANSWERS])
    injected = ReceiptMemory.objects.filter(memory_ref=memory_id, subject_id=memory.subject_id).order_by()
    outcomes = {row.receipt_id: row for row in injected.filter(receipt_id__in=[one.pk for one in newest])}
    due = find_positions_without_rows(memory_id, [one.pk for one in newest if one.pk not in outcomes])
    answers = [_render_answer(receipt, outcomes.get(receipt.pk), due.get(receipt.pk)) for receipt in newest]
    more = {
        "number": found[: MAX_COUNTED_ANSWERS + 1].count(),
        "address": build_list_address(Receipt, memory=memory_id),
    }
    return render_to_string(
        "console/memories/answers_using_memory.html", {"answers": answers, "all": more, "most": MAX_COUNTED_ANSWERS}
    )


def _render_answer(receipt: Receipt, outcome: ReceiptMemory | None, due: int | None) -> dict[str, Any]:
    return {
        "address": build_change_address(Receipt, receipt.pk),
        "question": render_question(receipt),
        "asked": render_time_ago(receipt.created_at),
        "conversation": receipt.conversation.external_id if receipt.conversation else "",
        "position": outcome.context_position if outcome else due,
        "utilised": outcome.utilised if outcome else None,
        "signal": render_signal(outcome.signal, outcome.signal_reason) if outcome else "",
    }


@admin.display(description=_("notes it was read from"))
def render_source_notes(slot: Any) -> str:
    """Return links to the notes from which a preference, fact or tag was read, newest first."""
    links = NoteSlot.objects.filter(**{KEYS[type(slot)]: getattr(slot, "value_id", slot.pk)}, subject=slot.subject_id)
    notes = links.select_related("snapshot").order_by("-snapshot__said_at", "-id")[:MAX_NOTES]
    shown = ((render_link(Note, one.snapshot_id, Truncator(one.snapshot.text).chars(MAX_LINE_CHARS)),) for one in notes)
    return format_html_join(mark_safe("<br>"), "{}", shown) or EMPTY_VALUE


@admin.display(description=_("changes of confidence"))
def render_calibrations_link(memory: Any) -> str:
    moved = Calibration.objects.filter(memory_ref=memory.pk, subject=memory.subject_id).count()
    text = ngettext("%(count)d change", "%(count)d changes", moved) % {"count": moved}
    return render_list_link(Calibration, text, memory_ref=memory.pk)


class ReadOnlyInline(admin.TabularInline[Any, Any]):
    """Related rows on the page of their owner, which has already checked and recorded the access."""

    template = "console/memories/sources_below.html"
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return True

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class SourcesInline(ReadOnlyInline):
    """The messages behind a memory."""

    fk_name = "memory"
    fields: ClassVar[Any] = (
        make_column("message", render_message_link, _("said at")),
        make_column("message.get_role_display", lambda role: role(), _("role")),
        make_column("message.content", render_text, _("content")),
    )
    readonly_fields = fields
    verbose_name_plural = _("sources")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("message").order_by("message__said_at", "message__seq")


class FactSourcesInline(SourcesInline):
    model = ProfileFactSource


class PreferenceSourcesInline(SourcesInline):
    model = PreferenceSource


class TagSourcesInline(SourcesInline):
    model = TagSource


class TagHistoryInline(ReadOnlyInline):
    """Past and current values of a tag's details, the latest first."""

    model = TagDetail
    fk_name = "tag"
    fields: ClassVar[Any] = (
        make_column("get_detail_display", lambda get_label: get_label(), _("detail")),
        make_column("value", render_value, _("value")),
        make_column("confidence", render_share_bar, _("confidence")),
        "provenance",
        "valid_at",
        "invalid_at",
        "recorded_at",
    )
    readonly_fields = fields
    ordering = ("-valid_at", "-recorded_at")
    verbose_name_plural = _("past")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(retired_at__isnull=True)


class TagNotesInline(ReadOnlyInline):
    """The notes about a contact or thing, the latest first."""

    model = Note
    fk_name = "about_tag"
    fields: ClassVar[Any] = (
        make_column("snapshot", lambda snapshot: render_link(Note, snapshot.pk, snapshot.text), _("text")),
        make_column("get_grade_display", lambda get_label: get_label(), _("kind")),
        make_column("snapshot.said_at", lambda at: at, _("said at")),
        make_column("snapshot.invalid_at", lambda at: at, _("invalid at")),
    )
    readonly_fields = fields
    verbose_name_plural = _("notes")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        held = super().get_queryset(request).filter(snapshot__retired_at__isnull=True)
        return held.select_related("snapshot").order_by("-snapshot__said_at", "-id")


class SnapshotSourcesInline(SourcesInline):
    model = SnapshotSource


class SnapshotHistoryInline(ReadOnlyInline):
    """The snapshot before each change, with the time it was valid, the latest first."""

    model = SnapshotVersion
    fk_name = "snapshot"
    fields: ClassVar[Any] = (
        make_column("version", str, _("version")),
        make_column("fields", render_value, _("earlier values")),
        "recorded_at",
        "retired_at",
    )
    readonly_fields = fields
    ordering = ("-version",)
    verbose_name_plural = _("earlier versions")

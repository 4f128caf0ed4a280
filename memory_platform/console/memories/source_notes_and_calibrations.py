"""The sources of a memory, its changes of confidence, and the notes about a contact."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import mark_safe
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from memory_platform.console.shared.note_and_state_labels import CURRENT, classify_state, render_state_badge
from memory_platform.console.shared.value_rendering import (
    EMPTY_VALUE,
    MAX_LINE_CHARS,
    make_column,
    render_link,
    render_list_link,
)
from snapshots.models import (
    Calibration,
    Note,
    NoteSlot,
    Snapshot,
)
from snapshots.notes.slot_links import KEYS

MAX_ANSWERS = 10
MAX_NOTES = 10
# Answers that are counted before the page says "more than".
MAX_COUNTED_ANSWERS = 1_000


@admin.display(description=_("notes it was read from"))
def render_source_notes(slot: Any) -> str:
    """Return links to the notes from which a preference, fact or tag was read, newest first, each with its state if it
    is not current."""
    links = NoteSlot.objects.filter(**{KEYS[type(slot)]: getattr(slot, "value_id", slot.pk)}, subject=slot.subject_id)
    notes = links.select_related("snapshot").order_by("-snapshot__said_at", "-id")[:MAX_NOTES]
    shown = (_render_note_with_state(one.snapshot) for one in notes)
    return format_html_join(mark_safe("<br>"), "{} {}", shown) or EMPTY_VALUE


def _render_note_with_state(note: Snapshot) -> tuple[str, str]:
    state = classify_state(note)
    link = render_link(Note, note.pk, Truncator(note.text).chars(MAX_LINE_CHARS))
    return link, "" if state == CURRENT else render_state_badge(state)


@admin.display(description=_("changes of confidence"))
def render_calibrations_link(memory: Any) -> str:
    moved = Calibration.objects.filter(memory_ref=memory.pk, subject=memory.subject_id).count()
    if not moved:
        return EMPTY_VALUE
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

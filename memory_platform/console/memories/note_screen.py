"""The screen of notes: lasting facts in the user's own words, each with its source message."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.admin.utils import display_for_value
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.html import format_html_join
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from memory_platform.console.memories.newest_rows_search import NewestRowsSearchAdmin
from memory_platform.console.memories.source_notes_and_calibrations import render_calibrations_link
from memory_platform.console.memory_actions.add_memory_pages import show_add_note
from memory_platform.console.memory_actions.memory_admin import StaffActionAdmin
from memory_platform.console.shared.base_screens import subject_column
from memory_platform.console.shared.custom_pages import make_console_path
from memory_platform.console.shared.headers.belief_names import label_belief
from memory_platform.console.shared.headers.relative_times import render_time_away
from memory_platform.console.shared.headers.shown_person import note_shown_person
from memory_platform.console.shared.list_filters import ConditionFilter, NoteStateFilter, SubjectFilter
from memory_platform.console.shared.note_and_state_labels import (
    GRADE_LABELS,
    classify_state,
    render_about,
    render_grade,
    render_grade_with_probability,
    render_state_badge,
    render_vital_class,
)
from memory_platform.console.shared.status_badges import WARNING, StatusBadge, render_badge
from memory_platform.console.shared.value_rendering import (
    EMPTY_VALUE,
    format_json_value,
    make_column,
    make_computed_column,
    make_fieldset,
    make_folded_fieldset,
    parse_uuid,
    render_line,
    render_link,
    render_row_link,
    render_share_bar,
    render_text,
    render_word,
)
from profiles.models import Tag
from snapshots.lifecycle.staff_actions.memory_actions import ActedMemory
from snapshots.models import AboutKind, Note, NoteSlot, Snapshot, VitalClass

ANY_VITAL, NOT_VITAL = "any", "none"


class NoteGradeFilter(ConditionFilter):
    title = _("kind")
    parameter_name = "grade"

    def build_choice_conditions(self) -> dict[str, tuple[Any, Q]]:
        return {grade: (label, Q(grade=grade)) for grade, label in GRADE_LABELS.items()}


class VitalClassFilter(ConditionFilter):
    """Filters notes by whether they are vital, and why."""

    title = _("vital")
    parameter_name = "vital"

    def build_choice_conditions(self) -> dict[str, tuple[Any, Q]]:
        classes = {name: (label, Q(vital_class=name)) for name, label in VitalClass.choices}
        return {ANY_VITAL: (_("vital"), ~Q(vital_class="")), **classes, NOT_VITAL: (_("not vital"), Q(vital_class=""))}


@admin.display(description=_("what was read from it"))
def render_slots(note: Note) -> str:
    links = NoteSlot.objects.filter(snapshot_id=note.snapshot_id, subject_id=note.subject_id)
    found = links.select_related("preference", "fact", "tag").order_by("id")
    shown = (
        (render_row_link(slot, slot.label if isinstance(slot, Tag) else label_belief(slot)),)
        for one in found
        for slot in (one.preference, one.fact, one.tag)
        if slot
    )
    return format_html_join(", ", "{}", shown) or EMPTY_VALUE


def make_time_column(name: str) -> Any:
    field: Any = Snapshot._meta.get_field(name)
    return make_column(f"snapshot.{name}", lambda at: display_for_value(at, EMPTY_VALUE), field.verbose_name)


def render_kind(note: Note) -> str:
    """Return the kind of a note, with whom it is about if that is another person, and whether it is vital."""
    parts = [
        render_grade(note),
        "" if note.about_kind == AboutKind.SELF else render_about(note, note.about_tag),
        render_badge(StatusBadge(render_vital_class(note), WARNING)) if note.is_vital else "",
    ]
    return format_html_join(" ", "{}", ((part,) for part in parts if part))


kind_column = make_computed_column("grade", render_kind, _("kind"), order="grade")
grade_with_probability_column = make_computed_column("grade_told", render_grade_with_probability, _("kind"))
about_column = make_computed_column("about", lambda note: render_about(note, note.about_tag), _("about"))
vital_column = make_computed_column("vital", render_vital_class, _("vital"), order="vital_class")
state_column = make_computed_column(
    "state", lambda note: render_state_badge(classify_state(note.snapshot)), _("status")
)
calibrations_column = make_computed_column(
    "calibrations", lambda note: render_calibrations_link(note.snapshot), _("changes of confidence")
)


@admin.display(description=_("statement"))
def render_statement_link(note: Note) -> str:
    """Return a link to the snapshot of the whole message, if it is still stored."""
    held = Snapshot.objects.filter(subject_id=note.subject_id, id__in=[note.statement_id] if note.statement_id else [])
    return render_link(Snapshot, held.values_list("id", flat=True).first())


class NoteSubjectFilter(SubjectFilter):
    """Filters notes by one subject, through the index of its snapshots."""

    def filter_rows(self, queryset: Any, row_id: UUID) -> Any:
        return filter_notes_of_subject(queryset, row_id)


def filter_notes_of_subject(notes: Any, subject_id: UUID) -> Any:
    """Return the notes of a subject: notes have no index of their own by subject."""
    return notes.filter(subject_id=subject_id, snapshot__subject_id=subject_id)


@admin.register(Note)
class NoteScreen(NewestRowsSearchAdmin, StaffActionAdmin):
    """Notes, newest first; only current ones unless another state is chosen. A note's page is found by its own id and
    by its snapshot's id, which the API and the audit trail use."""

    list_display = (
        make_column("snapshot.text", render_line, _("text")),
        subject_column,
        kind_column,
        make_column("snapshot.confidence", render_share_bar, _("confidence"), order="snapshot__confidence"),
        make_column("snapshot.said_at", render_time_away, _("said at"), order="snapshot__said_at"),
        state_column,
    )
    count_text = ngettext_lazy("%(count)d note", "%(count)d notes", "count")
    list_select_related = ("subject", "snapshot", "about_tag")
    list_filter = (NoteSubjectFilter, NoteStateFilter, NoteGradeFilter, VitalClassFilter, "about_kind")
    search_fields = ("subject__external_id", "snapshot__text", "about_label", "relation")
    search_help_text = _("Id of a person, words, or whom it is about")
    date_hierarchy = "snapshot__said_at"
    ordering = ("-snapshot__recorded_at", "-id")
    fieldsets = (
        make_fieldset(
            None,
            make_column("snapshot.text", render_text, _("text")),
            make_column("context", render_text, _("turn before")),
        ),
        make_fieldset(
            None,
            grade_with_probability_column,
            about_column,
            vital_column,
            make_column("possibly_outdated", format_json_value, _("possibly outdated")),
            "review_by",
            render_slots,
            make_column("snapshot.confidence", render_share_bar, _("confidence")),
            calibrations_column,
        ),
        make_folded_fieldset(
            _("Times"),
            *map(
                make_time_column,
                ("said_at", "valid_at", "invalid_at", "recorded_at", "retired_at", "expires_at", "last_validated_at"),
            ),
        ),
        make_folded_fieldset(
            _("Technical details"),
            render_statement_link,
            make_column("reader_version", render_word, _("reader")),
        ),
    )

    def get_urls(self) -> list[URLPattern]:
        return [make_console_path("add-for/<path:object_id>/", self.add_for_view, "add_note"), *super().get_urls()]

    def add_for_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Add a note for the person with this id."""
        return show_add_note(self, request, object_id)

    def title_of(self, obj: Note | Snapshot) -> str:
        return obj.text if isinstance(obj, Snapshot) else obj.snapshot.text

    describe_row = title_of

    def list_ids(self, obj: Note) -> Sequence[tuple[Any, str]]:
        # The API and the audit trail know a note by its snapshot.
        return [(_("Copy id"), str(obj.snapshot_id))]

    def get_queryset(self, request: Any) -> Any:
        # No page shows the hash.
        return super().get_queryset(request).defer("snapshot__content_hash")

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Note | None:
        """Return the note with this id, or of the snapshot with this id."""
        named = parse_uuid(object_id)
        found: Note | None = self.get_queryset(request).filter(Q(id=named) | Q(snapshot_id=named)).first()
        note_shown_person(request, found)
        return found if named else None

    def filter_rows_of_subject(self, queryset: Any, subject_id: UUID) -> Any:
        return filter_notes_of_subject(queryset, subject_id)

    def filter_rows_with_id(self, queryset: Any, row_id: UUID) -> Any:
        return queryset.filter(Q(id=row_id) | Q(snapshot_id=row_id))

    def memory_of(self, row: Note) -> ActedMemory:
        memory: Snapshot = row.snapshot
        memory.subject = row.subject
        return memory

    def load_memories(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen = queryset.order_by().values("snapshot_id")
        return Snapshot.objects.select_related("subject").filter(id__in=chosen)

    def audit_id_of(self, obj: Note) -> str:
        return str(obj.snapshot_id)

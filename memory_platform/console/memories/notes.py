"""The screen of notes: lasting facts in the user's own words, each with its source message."""

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.admin.utils import display_for_value
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from memory_platform.console.memories.note_filters import NoteStanding, OfGrade, VitalFilter
from memory_platform.console.memories.note_parts import show_messages, show_slots, show_versions
from memory_platform.console.memories.search import NewestSearched
from memory_platform.console.memories.sources import calibrations_of, receipts_with
from memory_platform.console.memory_actions.screens import ActingAdmin
from memory_platform.console.shared.base import subject_shown
from memory_platform.console.shared.display import (
    EMPTY,
    column,
    computed,
    line,
    link_to,
    parse_uuid,
    part,
    plain,
    share,
    whole,
    word,
)
from memory_platform.console.shared.filters import OfSubject
from memory_platform.console.shared.note_words import (
    STANDINGS,
    grade_name,
    standing_of,
    tell_about,
    tell_grade,
    tell_vital,
)
from snapshots.lifecycle.staff_actions.actions import Memory
from snapshots.models import Note, Snapshot
from tenants.models import AuditRecord

# What the audit trail calls a note: its acts are those of a snapshot.
RECORDED_AS = ("note", "snapshot")


def moment_column(name: str) -> Any:
    """Return a page field that shows one of the times of a note's snapshot."""
    field: Any = Snapshot._meta.get_field(name)
    return column(f"snapshot.{name}", lambda at: display_for_value(at, EMPTY), field.verbose_name)


show_grade = computed("grade", grade_name, _("kind"), order="grade")
show_grade_told = computed("grade_told", tell_grade, _("kind"))
show_about = computed("about", lambda note: tell_about(note, note.about_tag), _("about"))
show_vital = computed("vital", tell_vital, _("vital"), order="vital_class")
show_standing = computed("standing", lambda note: str(STANDINGS[standing_of(note.snapshot)]), _("standing"))
show_receipts = column("snapshot", receipts_with, _("answers whose prompt contained it"))
show_calibrations = computed("calibrations", lambda note: calibrations_of(note.snapshot), _("changes of confidence"))


@admin.display(description=_("statement"))
def show_statement(note: Note) -> str:
    """Return a link to the snapshot of the whole message, if it is still stored."""
    held = Snapshot.objects.filter(subject_id=note.subject_id, id__in=[note.statement_id] if note.statement_id else [])
    return link_to(Snapshot, held.values_list("id", flat=True).first())


class NotesOfSubject(OfSubject):
    """Filters notes by one subject, through the index of its snapshots."""

    def filter_rows(self, queryset: Any, chosen: UUID) -> Any:
        return rows_of_subject(queryset, chosen)


def rows_of_subject(notes: Any, subject_id: UUID) -> Any:
    """Return the notes of a subject: notes have no index of their own by subject."""
    return notes.filter(subject_id=subject_id, snapshot__subject_id=subject_id)


@admin.register(Note)
class NoteScreen(NewestSearched, ActingAdmin):
    """Notes, newest first; only current ones unless another state is chosen.

    A note's page is found by its own id and by its snapshot's id, which the API and the audit trail use.
    """

    list_display = (
        column("snapshot.text", line, _("text")),
        subject_shown,
        show_grade,
        show_about,
        show_vital,
        column("snapshot.confidence", share, _("confidence"), order="snapshot__confidence"),
        column("snapshot.said_at", lambda at: at, _("said at"), order="snapshot__said_at"),
        show_standing,
    )
    list_select_related = ("subject", "snapshot", "about_tag")
    list_filter = (NotesOfSubject, NoteStanding, OfGrade, VitalFilter, "about_kind")
    search_fields = ("subject__external_id", "snapshot__text", "about_label", "relation")
    search_help_text = _("Subject id, words, or whom it is about")
    date_hierarchy = "snapshot__said_at"
    ordering = ("-snapshot__recorded_at", "-id")
    fieldsets = (
        part(None, subject_shown, column("snapshot.text", whole, _("text")), show_messages),
        part(
            None,
            show_grade_told,
            show_about,
            show_vital,
            show_standing,
            column("possibly_outdated", plain, _("possibly outdated")),
            "review_by",
            show_slots,
        ),
        part(
            _("How sure it is"),
            column("snapshot.confidence", share, _("confidence")),
            column("snapshot.get_provenance_display", lambda told: told(), _("provenance")),
            show_receipts,
            show_calibrations,
        ),
        part(_("Past"), show_versions),
        part(
            _("Times"),
            *map(
                moment_column,
                ("said_at", "valid_at", "invalid_at", "recorded_at", "retired_at", "expires_at", "last_validated_at"),
            ),
        ),
        part(
            _("More"),
            column("snapshot.superseded_by_id", lambda row_id: link_to(Snapshot, row_id), _("superseded by")),
            show_statement,
            column("reader_version", word, _("reader")),
            column("snapshot_id", str, "id"),
        ),
    )

    def title_of(self, obj: Note | Snapshot) -> str:
        return obj.text if isinstance(obj, Snapshot) else obj.snapshot.text

    def get_queryset(self, request: Any) -> Any:
        # No page shows the hash.
        return super().get_queryset(request).defer("snapshot__content_hash")

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Note | None:
        """Return the note with this id, or of the snapshot with this id."""
        named = parse_uuid(object_id)
        found: Note | None = self.get_queryset(request).filter(Q(id=named) | Q(snapshot_id=named)).first()
        return found if named else None

    def rows_of_subject(self, queryset: Any, subject_id: UUID) -> Any:
        return rows_of_subject(queryset, subject_id)

    def rows_with_id(self, queryset: Any, row_id: UUID) -> Any:
        return queryset.filter(Q(id=row_id) | Q(snapshot_id=row_id))

    def memory_of(self, row: Note) -> Memory:
        memory: Snapshot = row.snapshot
        memory.subject = row.subject
        return memory

    def memories_of(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen = queryset.order_by().values("snapshot_id")
        return Snapshot.objects.select_related("subject").filter(id__in=chosen)

    def id_on_record(self, obj: Note) -> str:
        return str(obj.snapshot_id)

    def records_of(self, obj: Note) -> QuerySet[AuditRecord]:
        return AuditRecord.objects.filter(object_kind__in=RECORDED_AS, object_id=str(obj.snapshot_id))

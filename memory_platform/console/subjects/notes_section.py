"""The notes on a subject's page: vital ones first, then the newest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from memory_platform.console.shared.config import SUBJECT_PAGE
from memory_platform.console.shared.note_and_state_labels import render_about, render_grade, render_vital_class
from memory_platform.console.shared.value_rendering import render_link, render_share_bar
from memory_platform.console.subjects.page_section import render_time_unless_said
from memory_platform.console.subjects.past_moment import AS_OF, RequestedMoment
from profiles.models import Subject, Tag
from snapshots.models import AboutKind, Note, Snapshot, SnapshotKind, SnapshotVersion
from snapshots.notes.selectors import NoteFilter, list_notes


@dataclass(frozen=True, slots=True)
class PageNote:
    """A note of the page, with the current tag of its contact."""

    note: Note
    snapshot: Snapshot
    tag: Tag | None


def choose_notes(subject: Subject, moment: RequestedMoment) -> tuple[list[PageNote], bool]:
    """Return the notes to show as they are now, and whether there are more. Two queries."""
    vital = Note.objects.filter(snapshot_id=OuterRef("pk"), subject_id=subject.pk).exclude(vital_class="")
    found = _find_notes_at(subject, moment).annotate(is_vital=Exists(vital)).defer("content_hash")
    most = SUBJECT_PAGE.max_beliefs + SUBJECT_PAGE.max_notes
    rows: list[Any] = list(found.order_by("-is_vital", "-said_at", "-id")[: most + 1])
    first = [row for row in rows if row.is_vital][: SUBJECT_PAGE.max_beliefs]
    then = [row for row in rows if not row.is_vital][: SUBJECT_PAGE.max_notes]
    own = Note.objects.filter(subject_id=subject.pk, snapshot_id__in=[row.pk for row in rows])
    notes = {note.snapshot_id: note for note in own.select_related("about_tag")} if rows else {}
    shown = [PageNote(notes[row.pk], row, notes[row.pk].about_tag) for row in (*first, *then) if row.pk in notes]
    return shown, len(rows) > len(first) + len(then)


def filter_notes_as_of(notes: Sequence[PageNote], moment: RequestedMoment) -> list[PageNote]:
    """Return the notes that were held at the moment, by their restored values; vital ones first."""
    at = moment.at
    if at is not None and moment.clock != AS_OF:
        notes = [
            one
            for one in notes
            if _is_open_at(one.snapshot.retired_at, at) and _is_open_at(one.snapshot.invalid_at, at)
        ]
    return sorted(notes, key=lambda one: not one.note.is_vital)


def render_page_note(one: PageNote, sources: Mapping[UUID, list[dict[str, Any]]]) -> dict[str, Any]:
    note, snapshot = one.note, one.snapshot
    tag = one.tag if one.tag is not None and one.tag.pk == note.about_tag_id else None
    return {
        "link": render_link(Note, snapshot.pk, snapshot.text[: SUBJECT_PAGE.text_chars]),
        "vital": render_vital_class(note) if note.is_vital else "",
        "grade": render_grade(note),
        "about": "" if note.about_kind == AboutKind.SELF else render_about(note, tag),
        "outdated": note.possibly_outdated,
        "said_at": render_time_unless_said(snapshot.said_at, sources.get(snapshot.pk, [])),
        "confidence": render_share_bar(snapshot.confidence),
        "provenance": snapshot.get_provenance_display(),
        "sources": sources.get(snapshot.pk, []),
    }


def _find_notes_at(subject: Subject, moment: RequestedMoment) -> QuerySet[Snapshot]:
    """Return the notes of the moment. For a past one also notes whose later versions must tell."""
    if moment.at is None or moment.clock == AS_OF:
        return list_notes(subject, NoteFilter(as_of=moment.at))
    later = SnapshotVersion.objects.filter(subject_id=subject.pk, snapshot_id=OuterRef("pk"), retired_at__gt=moment.at)
    lasting = Q(invalid_at=None) | Q(invalid_at__gt=moment.at) | Exists(later)
    held = Q(retired_at=None) | Q(retired_at__gt=moment.at)
    own = Snapshot.objects.filter(subject_id=subject.pk, kind=SnapshotKind.NOTE, recorded_at__lte=moment.at)
    return own.filter(held, lasting).order_by()


def _is_open_at(ended_at: datetime | None, at: datetime) -> bool:
    return ended_at is None or ended_at > at

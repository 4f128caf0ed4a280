"""Parts of a note's page: its source messages, and all its versions."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.template.loader import render_to_string
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.note_labels import render_about, render_grade, render_vital_class
from memory_platform.console.shared.rendering import EMPTY_VALUE, mark_span, render_row_link, render_share_bar
from profiles.models import Tag
from snapshots.conversation_queries import add_archived_words
from snapshots.models import Message, Note, NoteSlot, SnapshotSource
from snapshots.notes.selectors import list_note_states
from snapshots.notes.values import NoteState, SourcedNote

MAX_MESSAGES = 10
MAX_VERSIONS = 50


@admin.display(description=_("what was said"))
def render_source_messages(note: Note) -> SafeString:
    """Return the messages behind a note as HTML, with its own part marked, and the turn before."""
    behind = _load_source_messages(note)
    origin = _find_origin(note, behind)
    before = _load_previous_turn(origin)
    shown, span = add_archived_words([*before, *behind]), (note.span_start, note.span_end)
    said = [
        {
            "who": one.get_role_display(),
            "link": render_row_link(one, f"{one.said_at:%Y-%m-%d %H:%M}"),
            "is_before": one in before,
            "is_evidence": one == origin,
            "words": mark_span(one.content or "", *span) if one == origin else one.content or "",
        }
        for one in shown
    ]
    return render_to_string("console/note_said.html", {"said": said, "context": "" if before else note.context})


@admin.display(description=_("what was read from it"))
def render_slots(note: Note) -> str:
    links = NoteSlot.objects.filter(snapshot_id=note.snapshot_id, subject_id=note.subject_id)
    found = links.select_related("preference", "fact", "tag").order_by("id")
    shown = (
        (render_row_link(slot, slot.label if isinstance(slot, Tag) else str(slot)),)
        for one in found
        for slot in (one.preference, one.fact, one.tag)
        if slot
    )
    return format_html_join(", ", "{}", shown) or EMPTY_VALUE


@admin.display(description=_("versions"))
def render_versions(note: Note) -> SafeString:
    states = list_note_states(SourcedNote(note, note.snapshot, (), note.about_tag))
    rows = [_render_version(state) for state in reversed(states[-MAX_VERSIONS:])]
    return render_to_string("console/note_versions.html", {"rows": rows})


def _load_source_messages(note: Note) -> list[Message]:
    links = SnapshotSource.objects.filter(memory_id=note.snapshot_id, subject_id=note.subject_id)
    found = links.select_related("message").order_by("message__said_at", "message__seq")
    return [link.message for link in found[:MAX_MESSAGES]]


def _find_origin(note: Note, behind: Sequence[Message]) -> Message | None:
    """Return the message that the note was made of; the others repeated it."""
    place = (note.snapshot.conversation_id, note.snapshot.seq)
    made_of = (one for one in behind if (one.conversation_id, one.seq) == place)
    return next(made_of, behind[0] if behind else None)


def _load_previous_turn(origin: Message | None) -> list[Message]:
    """Return the previous message of the conversation as a list of one, or an empty list."""
    if origin is None or origin.seq is None:
        return []
    own = Message.objects.filter(subject_id=origin.subject_id, conversation_id=origin.conversation_id)
    return list(own.filter(seq=origin.seq - 1))


def _render_version(state: NoteState) -> dict[str, Any]:
    note, snapshot = state.sourced.note, state.sourced.snapshot
    return {
        "version": snapshot.version,
        "since": state.recorded_at,
        "until": state.retired_at,
        "text": snapshot.text,
        "grade": render_grade(note),
        "about": render_about(note, state.sourced.tag),
        "vital": render_vital_class(note),
        "confidence": render_share_bar(snapshot.confidence),
        "provenance": snapshot.get_provenance_display(),
    }

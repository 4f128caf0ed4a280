"""Parts of a note's page: its source messages, and all its versions."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.template.loader import render_to_string
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.display import EMPTY, link, mark_span, share
from memory_platform.console.shared.note_words import grade_name, tell_about, tell_vital
from profiles.models import Tag
from snapshots.models import Message, Note, NoteSlot, SnapshotSource
from snapshots.notes.selectors import history_of_note
from snapshots.notes.values import NoteState, SourcedNote
from snapshots.selectors import with_words

MESSAGES_SHOWN = 10
VERSIONS_SHOWN = 50


@admin.display(description=_("what was said"))
def show_messages(note: Note) -> SafeString:
    """Return the messages behind a note as HTML, with its own part marked, and the turn before."""
    behind = _messages_behind(note)
    origin = _origin_of(note, behind)
    before = _turn_before(origin)
    shown, span = with_words([*before, *behind]), (note.span_start, note.span_end)
    said = [
        {
            "who": one.get_role_display(),
            "link": link(one, f"{one.said_at:%Y-%m-%d %H:%M}"),
            "is_before": one in before,
            "is_evidence": one == origin,
            "words": mark_span(one.content or "", *span) if one == origin else one.content or "",
        }
        for one in shown
    ]
    return render_to_string("console/note_said.html", {"said": said, "context": "" if before else note.context})


@admin.display(description=_("what was read from it"))
def show_slots(note: Note) -> str:
    links = NoteSlot.objects.filter(snapshot_id=note.snapshot_id, subject_id=note.subject_id)
    found = links.select_related("preference", "fact", "tag").order_by("id")
    shown = (
        (link(slot, slot.label if isinstance(slot, Tag) else str(slot)),)
        for one in found
        for slot in (one.preference, one.fact, one.tag)
        if slot
    )
    return format_html_join(", ", "{}", shown) or EMPTY


@admin.display(description=_("versions"))
def show_versions(note: Note) -> SafeString:
    states = history_of_note(SourcedNote(note, note.snapshot, (), note.about_tag))
    rows = [_version_row(state) for state in reversed(states[-VERSIONS_SHOWN:])]
    return render_to_string("console/note_versions.html", {"rows": rows})


def _messages_behind(note: Note) -> list[Message]:
    links = SnapshotSource.objects.filter(memory_id=note.snapshot_id, subject_id=note.subject_id)
    found = links.select_related("message").order_by("message__said_at", "message__seq")
    return [link.message for link in found[:MESSAGES_SHOWN]]


def _origin_of(note: Note, behind: Sequence[Message]) -> Message | None:
    """Return the message that the note was made of; the others repeated it."""
    place = (note.snapshot.conversation_id, note.snapshot.seq)
    made_of = (one for one in behind if (one.conversation_id, one.seq) == place)
    return next(made_of, behind[0] if behind else None)


def _turn_before(origin: Message | None) -> list[Message]:
    """Return the previous message of the conversation as a list of one, or an empty list."""
    if origin is None or origin.seq is None:
        return []
    own = Message.objects.filter(subject_id=origin.subject_id, conversation_id=origin.conversation_id)
    return list(own.filter(seq=origin.seq - 1))


def _version_row(state: NoteState) -> dict[str, Any]:
    note, snapshot = state.sourced.note, state.sourced.snapshot
    return {
        "version": snapshot.version,
        "since": state.recorded_at,
        "until": state.retired_at,
        "text": snapshot.text,
        "grade": grade_name(note),
        "about": tell_about(note, state.sourced.tag),
        "vital": tell_vital(note),
        "confidence": share(snapshot.confidence),
        "provenance": snapshot.get_provenance_display(),
    }

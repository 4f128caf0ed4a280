"""Reads notes: lists at a moment of either clock, one, its history. Inside an open ``tenant_tx``."""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from memory_platform.kernel.clock import utc_now
from profiles.models import Subject, Tag
from snapshots.embedding.snapshot_history import (
    NOTE,
    NOTHING_CHANGED,
    EarlierSnapshot,
    load_changed_since,
    restore_note,
    versions_of,
)
from snapshots.errors import NoteUnknown, SnapshotUnknown
from snapshots.lifecycle.selectors import (
    load_held_snapshot,
    load_snapshot_history,
    load_unexpired_snapshot,
    load_with_sources,
)
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import Note, Snapshot, SnapshotKind
from snapshots.notes.about_filter import AboutFilter, parse_about_filter
from snapshots.notes.slot_links import list_slots_of_notes
from snapshots.notes.values import NoteState, SourcedNote


@dataclass(frozen=True, slots=True)
class NoteFilter:
    """The notes of a list. ``about`` is ``self``, ``contact``, ``thing``, a tag's id, or a label.

    Without a moment the current ones; ``as_of``: those that were true then; ``known_at``: those that were held then, as
    they were. ``include_history`` adds those that had ended.
    """

    grade: str | None = None
    about: str | None = None
    vital: bool | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None
    include_history: bool = False


def list_notes(subject: Subject, note_filter: NoteFilter) -> QuerySet[Snapshot]:
    """Return the snapshots of matching notes, unordered; :func:`attach_details` loads the notes. Notes changed since
    ``known_at`` match by their earlier values."""
    changed = _list_changed_since(subject, note_filter.known_at)
    earlier = frozenset(str(then.note.get("about_label", "")) for then in changed.values()) - {""}
    about = parse_about_filter(subject, note_filter.about, earlier=earlier) if note_filter.about is not None else None
    own = Note.objects.filter(
        _build_details_filter(note_filter, about), subject_id=subject.id, snapshot_id=OuterRef("id")
    )
    matching = _build_clock_filter(note_filter) & Q(Exists(own))
    if changed:
        then = _filter_past_states(subject, changed, note_filter, about)
        matching = Q(id__in=then) | (matching & ~Q(id__in=list(changed)))
    unexpired = Q(expires_at__isnull=True) | Q(expires_at__gt=utc_now())
    return Snapshot.objects.filter(matching, unexpired, subject_id=subject.id, kind=SnapshotKind.NOTE).order_by()


def attach_details(
    subject: Subject, snapshots: Iterable[Snapshot], *, known_at: datetime | None = None
) -> list[SourcedNote]:
    """Return the notes of these snapshots with their sources, as they were held at ``known_at``; None is now."""
    rows = list(snapshots)
    changed = _list_changed_since(subject, known_at) if rows else NOTHING_CHANGED
    notes = {note.snapshot_id: note for note in Note.objects.filter(subject_id=subject.id, snapshot__in=rows)}
    held = [changed[row.id].snapshot if row.id in changed else row for row in rows if row.id in notes]
    for row in held:
        if row.id in changed:
            restore_note(notes[row.id], changed[row.id].note)
    return _build_sourced_notes(held, notes)


def get_note_or_ended_note(address: SnapshotAddress) -> SourcedNote:
    """Return a current or ended note. Raises NoteUnknown, also for a retired one."""
    try:
        return _find_note_row(load_held_snapshot(address))
    except SnapshotUnknown:
        raise NoteUnknown from None


def find_note(address: SnapshotAddress) -> SourcedNote:
    """Return a note, also a retired one. Raises NoteUnknown."""
    try:
        return _find_note_row(load_unexpired_snapshot(address))
    except SnapshotUnknown:
        raise NoteUnknown from None


def load_note_with_sources(subject: Subject, snapshot_id: UUID) -> SourcedNote:
    snapshot = Snapshot.objects.filter(id=snapshot_id, subject_id=subject.id).first()
    if snapshot is None:
        raise NoteUnknown
    return _find_note_row(snapshot)


def list_note_states(sourced: SourcedNote) -> list[NoteState]:
    """Return every state of a note, the first one first. Two queries."""
    changed = {image.version: image.fields.get(NOTE, {}) for image in versions_of(sourced.snapshot)}
    note, states = sourced.note, list[NoteState]()
    for held in reversed(load_snapshot_history(sourced.snapshot)):
        if changed.get(held.snapshot.version):
            note = copy(note)
            restore_note(note, changed[held.snapshot.version])
        # A tag that the note had before is not shown: it may be gone by now.
        tag = sourced.tag if note.about_tag_id == sourced.note.about_tag_id else None
        state = SourcedNote(note, held.snapshot, sourced.sources, tag, sourced.slots)
        states.append(NoteState(state, held.recorded_at, held.retired_at))
    return states[::-1]


def _find_note_row(snapshot: Snapshot) -> SourcedNote:
    note = Note.objects.filter(subject_id=snapshot.subject_id, snapshot_id=snapshot.id).first()
    if note is None:
        raise NoteUnknown
    (sourced,) = _build_sourced_notes([snapshot], {snapshot.id: note})
    return sourced


def _build_sourced_notes(snapshots: Sequence[Snapshot], notes: Mapping[UUID, Note]) -> list[SourcedNote]:
    slots = list_slots_of_notes([row.id for row in snapshots])
    wanted = [tag_id for row in snapshots if (tag_id := notes[row.id].about_tag_id) is not None]
    tags: Mapping[UUID | None, Tag] = Tag.objects.in_bulk(wanted) if wanted else {}
    return [
        SourcedNote(note, one.snapshot, one.sources, tags.get(note.about_tag_id), slots.get(one.snapshot.id, ()))
        for one in load_with_sources(snapshots)
        for note in [notes[one.snapshot.id]]
    ]


def _list_changed_since(subject: Subject, moment: datetime | None) -> Mapping[UUID, EarlierSnapshot]:
    return NOTHING_CHANGED if moment is None else load_changed_since(subject.id, moment, kind=SnapshotKind.NOTE)


def _build_clock_filter(note_filter: NoteFilter) -> Q:
    held = Q(retired_at__isnull=True)
    if note_filter.known_at is not None:
        held = Q(recorded_at__lte=note_filter.known_at) & (held | Q(retired_at__gt=note_filter.known_at))
    if note_filter.as_of is not None:
        held &= Q(valid_at__lte=note_filter.as_of)
    lasting = Q(invalid_at__isnull=True) | Q(invalid_at__gt=_choose_moment(note_filter))
    return held if note_filter.include_history else held & lasting


def _was_held_then(then: Snapshot, note_filter: NoteFilter) -> bool:
    known_at = note_filter.known_at or utc_now()
    if then.recorded_at > known_at or (then.retired_at is not None and then.retired_at <= known_at):
        return False
    if note_filter.as_of is not None and then.valid_at > note_filter.as_of:
        return False
    return note_filter.include_history or then.invalid_at is None or then.invalid_at > _choose_moment(note_filter)


def _choose_moment(note_filter: NoteFilter) -> datetime:
    return note_filter.as_of or note_filter.known_at or utc_now()


def _build_details_filter(note_filter: NoteFilter, about: AboutFilter | None) -> Q:
    condition = about.build_condition() if about is not None else Q()
    if note_filter.grade is not None:
        condition &= Q(grade=note_filter.grade)
    if note_filter.vital is not None:
        condition &= ~Q(vital_class="") if note_filter.vital else Q(vital_class="")
    return condition


def _filter_past_states(
    subject: Subject, changed: Mapping[UUID, EarlierSnapshot], note_filter: NoteFilter, about: AboutFilter | None
) -> list[UUID]:
    found = []
    for note in Note.objects.filter(subject_id=subject.id, snapshot_id__in=list(changed)):
        then = changed[note.snapshot_id]
        restore_note(note, then.note)
        says = (
            (note_filter.grade is None or note.grade == note_filter.grade)
            and (note_filter.vital is None or note.is_vital == note_filter.vital)
            and (about is None or about.matches(note))
        )
        if says and _was_held_then(then.snapshot, note_filter):
            found.append(note.snapshot_id)
    return found

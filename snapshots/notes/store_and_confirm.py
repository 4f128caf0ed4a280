"""Stores notes, and confirms repeated ones: for the reader of messages, and for notes written by hand."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db.models import F

from memory_platform.kernel.clock import in_zone, utc_now
from memory_platform.kernel.ids import stable_id
from profiles.config import BELIEFS
from profiles.models import Subject, Tag
from profiles.provenance_and_verdict import STATED_PROVENANCES, Provenance
from profiles.time_zones import find_zone
from snapshots.embedding.snapshot_history import store_version
from snapshots.embedding.snapshot_store import begin_memory_epoch, lock_memory, store_snapshots
from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.lifecycle.write_types import CONFIRMED_NOTE_COLUMNS
from snapshots.models import Message, Note, NoteGrade, Snapshot, SnapshotKind, SnapshotSource
from snapshots.notes.config import HABITS
from snapshots.notes.values import NoteRepeat, PreparedNote


def store_notes(notes: Sequence[PreparedNote], *, allow_forgotten: bool = False) -> list[UUID]:
    """Store missing notes, in the open scope; return the ids of their snapshots, stored now or before.

    Notes that the subject had forgotten are left out, also of the ids. A tag that is gone by now is left empty; the
    statement of a note may be stored after it.
    """
    stored = set(store_snapshots([one.snapshot for one in notes], allow_forgotten=allow_forgotten))
    kept = _drop_lost_tags([one for one in notes if one.snapshot.draft.id in stored])
    rows = [
        Note(
            id=stable_id("note-row", one.snapshot.draft.id),
            subject_id=one.snapshot.draft.subject_id,
            snapshot_id=one.snapshot.draft.id,
            **one.details.columns(),
        )
        for one in kept
    ]
    Note.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)
    return [one.snapshot.draft.id for one in kept]


def confirm_notes(subject: Subject, repeated: Sequence[NoteRepeat]) -> list[UUID]:
    """Confirm repeated notes, in the open scope; return the snapshots' ids of those that changed.

    Each is validated now, gets the message as a further source, is no longer possibly outdated, and keeps the stronger
    of both confidences and provenances; an inferred habit gains a step on each further day. A message that is a source
    already changes nothing, nor does a repeat of a note that has ended.
    """
    lock_memory(subject.id)
    own = {"subject_id": subject.id}
    wanted = {one.note_id for one in repeated}
    rows = Snapshot.objects.filter(build_current_snapshot_condition(), id__in=wanted, kind=SnapshotKind.NOTE, **own)
    held = {row.id: row for row in rows}
    notes = {note.snapshot_id: note for note in Note.objects.filter(snapshot_id__in=list(held), **own)}
    behind: dict[UUID, set[UUID]] = defaultdict(set)
    for note_id, message_id in SnapshotSource.objects.filter(memory_id__in=list(held), **own).values_list(
        "memory_id", "message_id"
    ):
        behind[note_id].add(message_id)
    changed = dict[UUID, Snapshot]()
    for one in repeated:
        if one.note_id not in notes or one.message_id in behind[one.note_id]:
            continue
        snapshot, note = held[one.note_id], notes[one.note_id]
        details = build_confirmed_columns(note)
        columns = choose_stronger(snapshot, one.confidence, one.provenance)
        if _is_further_day(snapshot, note, one, behind[one.note_id]):
            columns |= _raise_confidence(snapshot)
            details["review_by"] = utc_now() + HABITS.looked_at_after
        change_note(snapshot, note, columns, details)
        if one.message_id is not None:
            _add_source(snapshot, one.message_id)
            behind[one.note_id].add(one.message_id)
        changed[snapshot.id] = snapshot
    if changed:
        begin_memory_epoch(subject.id, changed=[snapshot.position for snapshot in changed.values()])
    return list(changed)


def build_confirmed_columns(note: Note) -> dict[str, Any]:
    return {name: value for name, value in CONFIRMED_NOTE_COLUMNS.items() if getattr(note, name) != value}


def is_inferred(grade: str, provenance: str) -> bool:
    return grade == NoteGrade.HABIT and provenance not in STATED_PROVENANCES


def _is_further_day(snapshot: Snapshot, note: Note, one: NoteRepeat, sources: Iterable[UUID]) -> bool:
    if not is_inferred(note.grade, snapshot.provenance) or not is_inferred(note.grade, one.provenance):
        return False
    rows = Message.objects.filter(subject_id=snapshot.subject_id, id__in=[*sources, one.message_id])
    zone = find_zone(snapshot.subject_id)
    days = {row.id: in_zone(row.said_locally, zone).date() for row in rows.only("id", "said_at", "said_offset")}
    own = days.pop(one.message_id, None) if one.message_id else None
    return own is not None and own not in days.values()


def _raise_confidence(snapshot: Snapshot) -> dict[str, Any]:
    """Return the columns of a habit after one more day; above the ceiling of an observation it becomes an analysis."""
    sure = min(HABITS.ceiling, round(snapshot.confidence + HABITS.step, 2))
    is_more = sure > BELIEFS.ceiling(Provenance.OBSERVATION)
    return {"confidence": sure, "provenance": Provenance.ANALYSIS.value} if is_more else {"confidence": sure}


def choose_stronger(snapshot: Snapshot, confidence: float, provenance: str) -> dict[str, Any]:
    """Return the columns of a confirmed memory: validated now, with the higher confidence of both."""
    stronger = max(Provenance(snapshot.provenance), Provenance(provenance), key=lambda one: one.strength)
    wanted = {"confidence": max(snapshot.confidence, confidence), "provenance": stronger.value}
    changed = {name: value for name, value in wanted.items() if getattr(snapshot, name) != value}
    return {**changed, "last_validated_at": utc_now()}


def change_note(snapshot: Snapshot, note: Note, columns: Mapping[str, Any], details: Mapping[str, Any]) -> None:
    before = {name: getattr(note, name) for name in details}
    store_version(snapshot, columns, until=utc_now(), note=before)
    own = Snapshot.objects.filter(id=snapshot.id, subject_id=snapshot.subject_id)
    own.update(version=F("version") + 1, **columns)
    if details:
        Note.objects.filter(id=note.id, subject_id=note.subject_id).update(**details)
    for name, value in columns.items():
        setattr(snapshot, name, value)
    for name, value in details.items():
        setattr(note, name, value)
    snapshot.version += 1


def _add_source(snapshot: Snapshot, message_id: UUID) -> None:
    link = SnapshotSource(
        id=stable_id("source", snapshot.id, message_id),
        subject_id=snapshot.subject_id,
        memory_id=snapshot.id,
        message_id=message_id,
    )
    SnapshotSource.objects.bulk_create([link], ignore_conflicts=True)


def _drop_lost_tags(notes: Sequence[PreparedNote]) -> list[PreparedNote]:
    wanted = {one.details.about_tag_id for one in notes if one.details.about_tag_id}
    held = set(Tag.objects.filter(id__in=wanted).values_list("subject_id", "id")) if wanted else set()
    return [
        one
        if (one.snapshot.draft.subject_id, one.details.about_tag_id) in held
        else replace(one, details=replace(one.details, about_tag_id=None))
        for one in notes
    ]

"""Versions: the earlier values of each changed snapshot, and how long they held.

A note is a snapshot with a row of its own beside it; earlier values of that row are kept in the same version.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F, QuerySet

from memory_platform.kernel.clock import utc_now
from snapshots.embedding.snapshot_store import begin_memory_epoch, lock_memory
from snapshots.models import Note, Snapshot, SnapshotVersion

# Fields that words and vectors are made from: a change of one makes new ones.
INDEXED = frozenset({"text", "category", "topics", "aliases", "said_at"})

TIMES = frozenset({"said_at", "invalid_at", "expires_at", "last_validated_at", "retired_at", "review_by"})
IDS = frozenset({"superseded_by_id", "about_tag_id", "changed_by", "newer"})
SUPERSEDED = ("invalid_at", "superseded_by_id")

# The key of earlier values of the note's own row.
NOTE = "note"
NO_NOTE: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class EarlierSnapshot:
    """A snapshot with its values of an earlier moment; ``changed`` names those that differ today. ``note`` holds the
    values of then that changed in its note, for :func:`restore_note`."""

    snapshot: Snapshot
    changed: frozenset[str]
    note: Mapping[str, Any] = field(default_factory=dict)


NOTHING_CHANGED: Mapping[UUID, EarlierSnapshot] = {}


def store_version(
    snapshot: Snapshot, fields: Iterable[str], *, until: datetime, note: Mapping[str, Any] = NO_NOTE
) -> None:
    """Store the values that ``fields`` had until ``until``; ``note`` are those of its note, by column."""
    newest = versions_of(snapshot).first()
    SnapshotVersion.objects.create(
        subject_id=snapshot.subject_id,
        snapshot_id=snapshot.id,
        version=snapshot.version,
        fields=_render_version({name: getattr(snapshot, name) for name in fields}, note),
        recorded_at=newest.retired_at if newest else snapshot.recorded_at,
        retired_at=until,
    )


def supersede_snapshots(subject_id: UUID, snapshots: QuerySet[Snapshot], *, by: UUID, invalid_at: datetime) -> None:
    """End the subject's ``snapshots`` in favour of ``by``, in the open scope; their earlier values are kept."""
    lock_memory(subject_id)
    own = Snapshot.objects.filter(subject_id=subject_id)
    ended, now = list(snapshots.filter(subject_id=subject_id)), utc_now()
    for snapshot in ended:
        store_version(snapshot, SUPERSEDED, until=now)
        own.filter(id=snapshot.id).update(invalid_at=invalid_at, superseded_by=by, version=F("version") + 1)
    if ended:
        begin_memory_epoch(subject_id, changed=[snapshot.position for snapshot in ended])


def versions_of(snapshot: Snapshot) -> QuerySet[SnapshotVersion]:
    """Return the versions of a snapshot, the newest first."""
    own = SnapshotVersion.objects.filter(subject_id=snapshot.subject_id, snapshot_id=snapshot.id)
    return own.order_by("-version")


def restore_snapshot(snapshot: Snapshot, fields: Mapping[str, Any]) -> None:
    """Give ``snapshot`` back the values of a version. The row in the table stays as it is."""
    for name, value in fields.items():
        if name != NOTE:
            setattr(snapshot, name, _parse_value(name, value))


def restore_note(note: Note, values: Mapping[str, Any]) -> None:
    """Give ``note`` back the values that a version keeps under :data:`NOTE`. The row stays as it is."""
    for name, value in parse_note_values(values).items():
        setattr(note, name, value)


def parse_note_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a note in a version, by column, with their types."""
    return {name: _parse_value(name, value) for name, value in values.items()}


def render_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by column as JSON can hold them; :func:`parse_note_values` reads those of a note again."""
    return {name: _render_value(value) for name, value in values.items()}


def load_changed_since(subject_id: UUID, moment: datetime, *, kind: str | None = None) -> dict[UUID, EarlierSnapshot]:
    """Return the subject's snapshots that changed after ``moment``, as they were then; all, or of one kind. One query
    when nothing was changed, else two; in the open scope."""
    later = SnapshotVersion.objects.filter(subject_id=subject_id, retired_at__gt=moment).order_by("-version")
    if kind is not None:
        later = later.filter(snapshot__kind=kind)
    undone: dict[UUID, dict[str, Any]] = {}
    notes: dict[UUID, dict[str, Any]] = {}
    for image in later:
        undone.setdefault(image.snapshot_id, {}).update(image.fields)
        notes.setdefault(image.snapshot_id, {}).update(image.fields.get(NOTE, NO_NOTE))
    if not undone:
        return {}
    rows = Snapshot.objects.filter(subject_id=subject_id, id__in=undone)
    held = {row.id: EarlierSnapshot(row, frozenset(undone[row.id]) - {NOTE}, notes[row.id]) for row in rows}
    for snapshot_id, then in held.items():
        restore_snapshot(then.snapshot, undone[snapshot_id])
    return held


def _render_version(values: Mapping[str, Any], note: Mapping[str, Any]) -> dict[str, Any]:
    return {**render_values(values), NOTE: render_values(note)} if note else render_values(values)


def _render_value(value: Any) -> Any:
    if isinstance(value, UUID):
        return str(value)
    return value.isoformat() if isinstance(value, datetime) else value


def _parse_value(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name in IDS:
        return UUID(value)
    return datetime.fromisoformat(value) if name in TIMES else value

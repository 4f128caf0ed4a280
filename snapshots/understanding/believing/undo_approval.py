"""Undo an approval by the subject's beliefs before and after it.

An approval may set a value, change lists, end opposite entries or fill several tags. Its changes are found by
comparing, so that all of them can be undone. Only ids, times and certainty are kept, no words: a value never changes in
its row.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F

from profiles.models import Preference, ProfileFact, Subject, Tag, TagDetail
from profiles.models.belief import Belief
from profiles.services.belief_reversal import retire_row
from profiles.services.beliefs import change_belief, compute_recording_time, save_earlier_version
from profiles.services.subject_search_text import refresh_search_text
from profiles.services.tags.details import build_detail_place, load_current_columns
from profiles.services.tags.tags import delete_tag
from snapshots.lifecycle.staff_actions.memory_actions import find_belief_place
from snapshots.lifecycle.staff_actions.undo_act import UndoImpossible
from snapshots.models import SOURCES, Note, Snapshot
from snapshots.notes.store_and_confirm import change_note

TABLES: Mapping[str, type[Any]] = {"preference": Preference, "profile": ProfileFact, "detail": TagDetail}
# Columns that say when a value was believed: a row with other ones has changed.
STANDING = ("valid_at", "invalid_at", "superseded_by_id", "said_times")
CERTAINTY = ("confidence", "provenance")
KEPT_COLUMNS = (*STANDING, *CERTAINTY, "last_validated_at")
MOMENTS = frozenset({"valid_at", "invalid_at", "last_validated_at"})


@dataclass(frozen=True, slots=True)
class SubjectBeliefState:
    """A subject's beliefs at a moment, as JSON by table and id; how sure its tags are; the links to one message."""

    beliefs: Mapping[str, Mapping[str, Any]]
    tags: Mapping[str, Any]
    links: Mapping[str, frozenset[str]]


def load_memory_state(subject: Subject, message_ref: UUID | None) -> SubjectBeliefState:
    """Return the state in the open scope. Seven queries."""
    return SubjectBeliefState(
        {name: {str(row.id): _render_row(row, KEPT_COLUMNS) for row in _list_rows(name, subject)} for name in TABLES},
        {str(tag.id): _render_row(tag, CERTAINTY) for tag in Tag.objects.filter(subject_id=subject.id)},
        {name: _list_link_ids(links, subject, message_ref) for name, links in _get_link_tables().items()},
    )


def describe_changes(before: SubjectBeliefState, after: SubjectBeliefState) -> dict[str, Any]:
    """Return the changes between two states, as JSON: new rows, and the old columns of changed ones."""
    return {
        "made": {name: _keep_new(before.beliefs[name], rows) for name, rows in after.beliefs.items()},
        "changed": {name: _keep_changed(before.beliefs[name], rows) for name, rows in after.beliefs.items()},
        "made_tags": list(_keep_new(before.tags, after.tags)),
        "changed_tags": {one: was for one, (was, _now) in _keep_changed(before.tags, after.tags).items()},
        "links": {name: sorted(ids - before.links[name]) for name, ids in after.links.items()},
    }


def undo_changes(subject: Subject, changes: Mapping[str, Any]) -> None:
    """Take back the changes that :func:`describe_changes` found, in the open scope, with the subject locked; the
    history keeps it. Raises UndoImpossible if any of it has changed since."""
    for name, links in _get_link_tables().items():
        links._default_manager.filter(subject_id=subject.id, id__in=changes["links"][name]).delete()
    touched = {name: _undo_beliefs(name, subject, changes) for name in TABLES}
    if touched["profile"]:
        Subject.objects.filter(id=subject.id).update(profile_version=F("profile_version") + 1)
    _undo_tags(subject, changes, touched["detail"])
    refresh_search_text(subject)


def list_review_times(notes: Iterable[Note]) -> dict[str, str]:
    """Return when each note is to be looked at again, by its snapshot's id, as JSON."""
    return {str(note.snapshot_id): note.review_by.isoformat() for note in notes if note.review_by is not None}


def restore_review_times(subject: Subject, times: Mapping[str, str]) -> None:
    """Have notes looked at again at these times, in the open scope, with the memory locked."""
    own = Note.objects.select_related("snapshot").filter(subject_id=subject.id, review_by__isnull=True)
    for note in own.filter(snapshot_id__in=list(times)):
        change_note(note.snapshot, note, {}, {"review_by": datetime.fromisoformat(times[str(note.snapshot_id)])})


def _undo_beliefs(name: str, subject: Subject, changes: Mapping[str, Any]) -> list[Any]:
    """Take back the changes of one table; return the rows that had been made or changed."""
    made, changed = changes["made"][name], changes["changed"][name]
    held = {str(row.id): row for row in _list_rows(name, subject)}
    for row_id, became in {**made, **{one: now for one, (_was, now) in changed.items()}}.items():
        if row_id not in held or _render_row(held[row_id], STANDING) != {name: became[name] for name in STANDING}:
            raise UndoImpossible("The memory has changed since.")
    for row_id in made:
        retire_row(held[row_id], compute_recording_time(held[row_id], None))
    for row_id, (was, _now) in changed.items():
        _restore_row(held[row_id], was)
    return [held[row_id] for row_id in (*made, *changed)]


def _restore_row(row: Any, was: Mapping[str, Any]) -> None:
    place: Any = build_detail_place(row.tag, row.detail) if isinstance(row, TagDetail) else find_belief_place(row)
    current = place.current()
    if was["invalid_at"] is None and current is not None and current.id != row.id:
        raise UndoImpossible("Another value has taken its place.")
    moment = compute_recording_time(row, None)
    save_earlier_version(row, moment)
    change_belief(row, moment, **{name: _parse_value(name, value) for name, value in was.items()})


def _undo_tags(subject: Subject, changes: Mapping[str, Any], details: Iterable[TagDetail]) -> None:
    own = {str(tag.id): tag for tag in Tag.objects.select_related("subject").filter(subject_id=subject.id)}
    names: dict[str, set[str]] = {}
    for row in details:
        names.setdefault(str(row.tag_id), set()).add(row.detail)
    for tag_id in changes["made_tags"]:
        later = TagDetail.objects.filter(subject_id=subject.id, tag_id=tag_id, retired_at__isnull=True)
        if tag_id not in own or later.exists():
            raise UndoImpossible("The tag has changed since.")
        delete_tag(subject, own.pop(tag_id))
    for tag_id in {*names, *changes["changed_tags"]} & own.keys():
        columns = {
            **load_current_columns(own[tag_id], names.get(tag_id, ())),
            **changes["changed_tags"].get(tag_id, {}),
        }
        Tag.objects.filter(id=tag_id, subject_id=subject.id).update(version=F("version") + 1, **columns)


def _list_rows(name: str, subject: Subject) -> list[Any]:
    rows = TABLES[name]._default_manager.filter(subject_id=subject.id, retired_at__isnull=True, version_of__isnull=True)
    return list(rows.select_related("subject", *(["tag__subject"] if name == "detail" else [])).order_by())


def _get_link_tables() -> dict[str, type[Any]]:
    return {links._meta.db_table: links for model, links in SOURCES.items() if model is not Snapshot}


def _list_link_ids(links: type[Any], subject: Subject, message_ref: UUID | None) -> frozenset[str]:
    rows = links._default_manager.filter(subject_id=subject.id, message_id=message_ref).order_by()
    return frozenset(map(str, rows.values_list("id", flat=True)))


def _keep_new(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    return {row_id: row for row_id, row in after.items() if row_id not in before}


def _keep_changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    both = {row_id: [before[row_id], row] for row_id, row in after.items() if row_id in before}
    return {row_id: [was, now] for row_id, (was, now) in both.items() if was != now}


def _render_row(row: Belief | Tag, names: Iterable[str]) -> dict[str, Any]:
    return {name: _render_value(getattr(row, name)) for name in names}


def _render_value(value: Any) -> Any:
    if isinstance(value, list):
        return [_render_value(one) for one in value]
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value


def _parse_value(name: str, value: Any) -> Any:
    if name == "said_times":
        return [datetime.fromisoformat(one) for one in value]
    if name in MOMENTS and value is not None:
        return datetime.fromisoformat(value)
    return UUID(value) if name == "superseded_by_id" and value is not None else value

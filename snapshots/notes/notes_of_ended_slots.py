"""Notes end when the values read from them end, in the open scope. The caller holds the subject (``lock_subject``).

The reverse, slots that end with their note, is :mod:`snapshots.notes.slots_of_ended_notes`.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F

from memory_platform.kernel.clock import utc_now
from profiles.models import DetailName, Preference, ProfileFact, Tag, TagDetail
from profiles.services.list_values import find_entry, list_entries
from profiles.services.value_claims import have_same_value
from snapshots.embedding.snapshot_store import begin_memory_epoch, lock_memory
from snapshots.models import SOURCES, Note, NoteSlot, Snapshot, SnapshotSource
from snapshots.notes.end_and_doubt import doubt_note, end_note, load_current_notes
from snapshots.notes.slot_links import KEYS, list_believed_links, names_value, tells_of_entry
from snapshots.notes.slots_of_ended_notes import TOLD_OF_A_TAG

PLACES: Mapping[type[Any], tuple[str, ...]] = {Preference: ("category", "key"), ProfileFact: ("field", "is_attribute")}
# Keys of vital values: the end of any other value makes a vital note at most doubtful.
VITAL_KEYS = frozenset({"allergies", "avoid"})


@dataclass(frozen=True, slots=True)
class _EndedValue:
    """A note whose value ended at ``at``, because of message ``by`` (None: no message)."""

    note_id: UUID
    at: datetime
    by: UUID | None
    is_vital_too: bool
    # The note says more than the ended value: it becomes possibly outdated.
    may_hold: bool = False


def end_outdated_notes(subject_id: UUID, messages: Collection[UUID]) -> list[UUID]:
    """End the notes behind values that these messages, or later ones, replaced or ended; return their snapshots. A note
    that also fills another slot becomes possibly outdated: part of it still holds."""
    over = [
        one
        for model in PLACES
        for one in _list_ended_values(model, subject_id, _list_mentioned_places(model, subject_id, messages))
    ]
    told = SOURCES[Tag]._default_manager.filter(subject_id=subject_id, message_id__in=list(messages))
    over += _list_ended_details(subject_id, told.order_by().values("memory_id"))
    ended = _end_notes(subject_id, over)
    _set_successors(subject_id, messages)
    return ended


def end_notes_of_ended_values(subject_id: UUID, model: type[Any], places: Sequence[Mapping[str, Any]]) -> list[UUID]:
    """End the notes behind values that somebody replaced or ended by hand; return their snapshots. ``places`` are
    columns of ``PLACES``."""
    return _end_notes(subject_id, list(_list_ended_values(model, subject_id, places)))


def end_notes_of_changed_tag(tag: Tag) -> list[UUID]:
    """End the notes behind an address or number of a tag that was changed by hand; return their snapshots."""
    return _end_notes(tag.subject_id, list(_list_ended_details(tag.subject_id, [tag.id])))


def end_notes_of_deleted_tag(tag: Tag) -> list[UUID]:
    """End the notes that a tag was read from, before it is deleted by hand; return their snapshots."""
    now = utc_now()
    return _end_notes(
        tag.subject_id,
        [_EndedValue(note_id, now, None, is_vital_too=False) for note_id, *_ in _list_links(Tag, [tag.id])],
    )


def end_notes_of_slot(slot: Preference | ProfileFact | Tag) -> list[UUID]:
    """End the notes behind the earlier value of a slot that was written by hand; return their snapshots."""
    if isinstance(slot, Tag):
        return end_notes_of_changed_tag(slot)
    model = type(slot)
    return end_notes_of_ended_values(slot.subject_id, model, [{name: getattr(slot, name) for name in PLACES[model]}])


def _end_notes(subject_id: UUID, over: Sequence[_EndedValue]) -> list[UUID]:
    if over:
        lock_memory(subject_id)
    held = load_current_notes(subject_id, [one.note_id for one in over]) if over else {}
    beside = _list_slots_filled_beside(held)
    ended, positions = [], []
    for one in over:
        if one.note_id not in held or one.note_id in ended or held[one.note_id][0].said_at >= one.at:
            continue
        snapshot, note = held[one.note_id]
        if one.may_hold or one.note_id in beside or (note.vital_class and not one.is_vital_too):
            positions += doubt_note(snapshot, note, by=one.by)
        else:
            positions += end_note(snapshot, note, at=one.at, by=one.by)
            ended.append(one.note_id)
    if positions:
        begin_memory_epoch(subject_id, changed=positions)
    return ended


def _list_current_values(model: type[Any], subject_id: UUID) -> Any:
    return model._default_manager.filter(subject_id=subject_id, retired_at__isnull=True, version_of__isnull=True)


def _list_mentioned_places(model: type[Any], subject_id: UUID, messages: Collection[UUID]) -> list[dict[str, Any]]:
    told = SOURCES[model]._default_manager.filter(subject_id=subject_id, message_id__in=list(messages)).order_by()
    touched = _list_current_values(model, subject_id).filter(id__in=told.values("memory_id")).order_by()
    return list(touched.values(*PLACES[model]).distinct())


def _list_ended_values(
    model: type[Any], subject_id: UUID, places: Sequence[Mapping[str, Any]]
) -> Iterator[_EndedValue]:
    for place in places:
        rows = list(_list_current_values(model, subject_id).filter(**place))
        past = {row.id: row for row in rows if not row.is_current}
        held = next((row.value for row in rows if row.is_current), None)
        for note_id, slot_id, text in _list_links(model, past):
            row = past[slot_id]
            if _has_ended(row.value, held, text):
                is_vital = isinstance(row, Preference) and row.key in VITAL_KEYS
                yield _EndedValue(note_id, row.invalid_at, _find_ending_message(model, row), is_vital)


def _list_links(model: type[Any], slots: Collection[UUID]) -> Sequence[tuple[UUID, UUID, str]]:
    key = f"{KEYS[model]}_id"
    links = NoteSlot.objects.filter(**{f"{key}__in": list(slots)}, snapshot__invalid_at__isnull=True)
    return list(links.values_list("snapshot_id", key, "snapshot__text")) if slots else []


def _has_ended(value: Any, current_value: Any, text: str) -> bool:
    """Return whether a note's words name a value that has ended; for a list, an entry that is gone."""
    if not isinstance(value, list) and not isinstance(current_value, list):
        return current_value is None or not have_same_value(value, current_value)
    kept = (list_entries(current_value) or []) if current_value is not None else []
    gone = [entry for entry in list_entries(value) or () if not find_entry(entry, kept)]
    return any(tells_of_entry(text, entry) for entry in gone) and not any(tells_of_entry(text, entry) for entry in kept)


def _find_ending_message(model: type[Any], row: Any) -> UUID | None:
    links = SOURCES[model]._default_manager.filter(subject_id=row.subject_id).order_by("message__said_at")
    if row.superseded_by_id:
        found = links.filter(memory_id=row.superseded_by_id)
    else:
        found = links.filter(memory_id=row.id, message__said_at=row.invalid_at)
    ender: UUID | None = found.values_list("message_id", flat=True).first()
    return ender


def _list_ended_details(subject_id: UUID, tags: Any) -> Iterator[_EndedValue]:
    links = SOURCES[Tag]._default_manager.filter(subject_id=subject_id)
    past = TagDetail.objects.filter(
        subject_id=subject_id,
        tag_id__in=tags,
        detail__in=(*TOLD_OF_A_TAG, DetailName.RELATION),
        invalid_at__isnull=False,
        retired_at__isnull=True,
    )
    for row in past.select_related("tag"):
        now = getattr(row.tag, row.detail)
        for note_id, _, text in _list_links(Tag, [row.tag_id]):
            if (
                row.invalid_at
                and now != row.value
                and names_value(text, row.value)
                and not (now and names_value(text, now))
            ):
                ender = links.filter(memory_id=row.tag_id, message__said_at=row.invalid_at)
                by = ender.values_list("message_id", flat=True).first()
                told_beside = row.detail == DetailName.RELATION
                yield _EndedValue(note_id, row.invalid_at, by, is_vital_too=False, may_hold=told_beside)


def _list_slots_filled_beside(notes: Collection[UUID]) -> set[UUID]:
    """Return which of these notes fill a slot that is believed now, except a list that lost their entry."""
    links = NoteSlot.objects.filter(list_believed_links(), snapshot_id__in=list(notes), tag__isnull=True)
    rows = links.select_related("preference", "fact", "snapshot") if notes else ()
    found = set()
    for link in rows:
        value = (link.preference or link.fact).value
        if not isinstance(value, list) or any(names_value(link.snapshot.text, entry) for entry in value):
            found.add(link.snapshot_id)
    return found


def _set_successors(subject_id: UUID, messages: Collection[UUID]) -> None:
    ended = Note.objects.filter(
        subject_id=subject_id, changed_by__in=list(messages), snapshot__invalid_at__isnull=False
    )
    for note in ended.filter(snapshot__superseded_by__isnull=True):
        after = NoteSlot.objects.filter(subject_id=subject_id, snapshot__invalid_at__isnull=True)
        for name in ("preference", "fact"):
            now = NoteSlot.objects.filter(snapshot_id=note.snapshot_id, **{f"{name}__superseded_by__isnull": False})
            said = SnapshotSource.objects.filter(subject_id=subject_id, message_id__in=[note.changed_by]).values(
                "memory_id"
            )
            heirs = after.filter(**{f"{name}__in": now.values(f"{name}__superseded_by")}, snapshot_id__in=said)
            heir = heirs.values_list("snapshot_id", flat=True).first()
            if heir and heir != note.snapshot_id:
                own = Snapshot.objects.filter(id=note.snapshot_id, subject_id=subject_id)
                own.update(superseded_by=heir, version=F("version") + 1)


def list_changed_subjects(subjects: Collection[UUID], messages: Collection[UUID]) -> list[UUID]:
    """Return those of ``subjects`` of whom these messages taught or ended something, in order. Most messages do
    neither, and one query shows it for them all."""
    mine, said = list(subjects), list(messages)
    taught = [
        SOURCES[model]._default_manager.filter(subject_id__in=mine, message_id__in=said).order_by()
        for model in (Preference, ProfileFact, Tag)
    ]
    ended = Note.objects.filter(subject_id__in=mine, changed_by__in=said).order_by().values_list("subject_id")
    told = {subject_id for (subject_id,) in ended.union(*(rows.values_list("subject_id") for rows in taught))}
    return [subject_id for subject_id in mine if subject_id in told]

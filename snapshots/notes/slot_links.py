"""Links between slots and the notes whose words they were read from.

A slot is a preference, a field of the profile, or a tag. The link is a row of its own, deleted with either side. It is
found by position: a learned value keeps the place of its words in the message, and so does a note.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import F, Q

from memory_platform.kernel.ids import stable_id
from memory_platform.kernel.text import to_comparable, to_singular
from profiles.models import Candidate, CandidateKind, Preference, ProfileFact, Tag
from profiles.provenance_and_verdict import Verdict
from profiles.services.profile import FactName
from snapshots.models import SOURCES, NoteSlot, Snapshot
from snapshots.notes.values import SlotPlace

HELD = (Verdict.STORED, Verdict.MERGED, Verdict.SUPERSEDED, Verdict.UNCHANGED)
# The key of a link that names its slot, by the slot's table.
KEYS: Mapping[type[Any], str] = {Preference: "preference", ProfileFact: "fact", Tag: "tag"}
OF_KIND: Mapping[str, type[Any]] = {
    CandidateKind.PREFERENCE: Preference,
    CandidateKind.PROFILE: ProfileFact,
    CandidateKind.TAG: Tag,
}


@dataclass(frozen=True, slots=True)
class NoteSpan:
    """The part of a message that a note covers. ``note_id`` is the note's snapshot."""

    subject_id: UUID
    note_id: UUID
    message_id: UUID
    start: int
    end: int


def link_notes_to_slots(parts: Sequence[NoteSpan]) -> None:
    by_message = defaultdict[tuple[UUID, UUID | None], list[NoteSpan]](list)
    for one in parts:
        by_message[one.subject_id, one.message_id].append(one)
    records = Candidate.objects.filter(
        subject_id__in={subject_id for subject_id, _ in by_message},
        message_ref__in=[message_id for _, message_id in by_message],
        verdict__in=HELD,
        quote_start__isnull=False,
    )
    links = [
        link
        for record in (records.order_by() if by_message else ())
        for link in _build_links(record, by_message.get((record.subject_id, record.message_ref), []))
    ]
    NoteSlot.objects.bulk_create(links, ignore_conflicts=True)


def link_filled_slots(subject_id: UUID, note_id: UUID, slots: Iterable[Any]) -> None:
    """Link a note to slots that its words filled, and to a grown list the earlier notes that still fill it, in the open
    scope."""
    links = [build_link(slot, one) for slot in slots for one in (note_id, *_list_earlier_notes(slot))]
    NoteSlot.objects.bulk_create(links, ignore_conflicts=True)


def transfer_slots(subject_id: UUID, note_id: UUID, heir: UUID) -> None:
    """Link a note to the slots that the note which it corrects still fills, in the open scope."""
    links = NoteSlot.objects.filter(list_believed_links(), subject_id=subject_id, snapshot_id=note_id)
    filled = [link.preference or link.fact or link.tag for link in links.select_related("preference", "fact", "tag")]
    NoteSlot.objects.bulk_create([build_link(slot, heir) for slot in filled], ignore_conflicts=True)


def names_value(text: str, value: Any) -> bool:
    """Return whether words name a value as a whole, in one or several words."""
    said, wanted = to_comparable(text), to_singular(to_comparable(str(value)))
    return bool(wanted) and wanted in said


def shares_words(words: str, value: Any) -> bool:
    """Return whether the words name a value, or occur in it: "12" in "12 Mill Lane"."""
    return names_value(words, value) or names_value(str(value), words)


def tells_of_entry(text: str, entry: Any) -> bool:
    """Return whether words name an entry, or both its parts: "My dog is called Biscuit" names "dog Biscuit"."""
    told = str(entry)
    parts = told.split() if told.isascii() or " " in told else list(filter(None, (told[:1], told[1:])))
    return names_value(text, entry) or all(names_value(text, part) for part in parts)


def list_slots_of_notes(notes: Collection[UUID]) -> dict[UUID, tuple[SlotPlace, ...]]:
    """Return the believed slots of notes, by the note's snapshot, in the open scope. One query."""
    found = defaultdict[UUID, list[SlotPlace]](list)
    links = NoteSlot.objects.filter(list_believed_links(), snapshot_id__in=list(notes)).order_by()
    for link in links.select_related("preference", "fact", "tag") if notes else ():
        found[link.snapshot_id].append(_find_link_place(link))
    return {note_id: tuple(sorted(places, key=_sort_key)) for note_id, places in found.items()}


def _sort_key(place: SlotPlace) -> tuple[str, str, str]:
    return place.kind, place.category or "", place.key


def list_notes_of_slots(model: type[Any], slots: Collection[UUID]) -> dict[UUID, UUID]:
    """Return the newest note behind each slot of a table, in the open scope. One query."""
    key = f"{KEYS[model]}_id"
    held = Q(snapshot__retired_at__isnull=True, snapshot__invalid_at__isnull=True, **{f"{key}__in": list(slots)})
    links = NoteSlot.objects.filter(held).order_by("snapshot__said_at", "id")
    return dict(links.values_list(key, "snapshot_id")) if slots else {}


def _build_links(record: Candidate, parts: Sequence[NoteSpan]) -> Iterator[NoteSlot]:
    start, end = record.quote_start or 0, record.quote_end or 0
    notes = [one.note_id for one in parts if start < one.end and one.start < end]
    slot = _find_slot_place(record) if notes else None
    if slot is not None:
        yield from (build_link(slot, note_id) for note_id in (*notes, *_list_earlier_notes(slot)))


def _find_slot_place(record: Candidate) -> Any:
    """Return the slot that a record names and its message is behind: the current one, else the one before."""
    model = OF_KIND[record.kind]
    own = {"subject_id": record.subject_id, "message_id": record.message_ref}
    links = SOURCES[model]._default_manager.filter(**own).order_by()
    rows = model._default_manager.filter(subject_id=record.subject_id, id__in=links.values("memory_id"))
    if model is not Tag:
        rows = rows.filter(retired_at__isnull=True).order_by(F("invalid_at").desc(nulls_first=True))
    return next((row for row in rows if record.target in build_target_filter(row)), None)


def build_target_filter(slot: Any) -> Iterable[str]:
    """Return the target names that a slot may have in records."""
    match slot:
        case Preference():
            return (f"{slot.category}/{slot.key}",)
        case ProfileFact():
            return (FactName(slot.field, slot.is_attribute).path,)
        case _:
            return (slot.label, *slot.aliases)


def _list_earlier_notes(slot: Any) -> list[UUID]:
    if isinstance(slot, Tag) or not isinstance(slot.value, list):
        return []
    earlier = type(slot)._default_manager.filter(subject_id=slot.subject_id, superseded_by_id=slot.id).order_by()
    behind = NoteSlot.objects.filter(**{f"{KEYS[type(slot)]}__in": earlier}).order_by().values("snapshot_id")
    texts = Snapshot.objects.filter(subject_id=slot.subject_id, id__in=behind).order_by().values_list("id", "text")
    entries = [str(entry).casefold() for entry in slot.value]
    return [note_id for note_id, text in texts if any(entry in text.casefold() for entry in entries)]


def build_link(slot: Any, note_id: UUID) -> NoteSlot:
    return NoteSlot(
        id=stable_id("note-slot", note_id, slot.id),
        subject_id=slot.subject_id,
        snapshot_id=note_id,
        **{f"{KEYS[type(slot)]}_id": slot.id},
    )


def list_believed_links() -> Q:
    now = [
        Q(**{f"{name}__isnull": False, f"{name}__invalid_at__isnull": True, f"{name}__retired_at__isnull": True})
        for name in ("preference", "fact")
    ]
    return now[0] | now[1] | Q(tag__isnull=False)


def _find_link_place(link: NoteSlot) -> SlotPlace:
    if link.preference is not None:
        return SlotPlace("preference", link.preference.category, link.preference.key)
    if link.fact is not None:
        return SlotPlace("profile", None, link.fact.field)
    return SlotPlace("tag", None, link.tag.label if link.tag else "")

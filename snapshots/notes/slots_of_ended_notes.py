"""Slots that a note filled end with the note, or with its words, and are restored with them, in the open scope.

The caller holds the subject (``lock_subject``). Values that another note still says stay.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import stable_id
from memory_platform.kernel.keyword_terms import split_terms
from profiles.models import Preference, ProfileFact, Subject, Tag, TagDetail
from profiles.provenance_and_verdict import Provenance
from profiles.services.belief_reversal import reinstate_belief, withdraw_belief
from profiles.services.beliefs import retract_belief
from profiles.services.list_values import find_entry, list_entries
from profiles.services.preferences import build_preference_place, change_list_preference
from profiles.services.profile import FactChange, FactName, patch_profile
from profiles.services.subject_search_text import refresh_search_text
from profiles.services.tags.tags import patch_tag
from profiles.services.value_claims import make_learned_claim
from snapshots.lifecycle.staff_actions.memory_actions import find_belief_place
from snapshots.models import SOURCES, Message, NoteSlot, Snapshot, SnapshotSource
from snapshots.notes.slot_links import KEYS, build_link, list_believed_links, names_value, shares_words, tells_of_entry

# Details of a tag that end with their note; names and relation stay.
TOLD_OF_A_TAG = ("address", "phone")
MODELS: Mapping[str, type[Any]] = {key: model for model, key in KEYS.items()}
Slot = Preference | ProfileFact | Tag
# The words of the other current notes behind a slot, by note.
Others = Mapping[UUID, str]


def end_slots_of_notes(
    subject: Subject, notes: Mapping[UUID, str | None], *, at: datetime, message: Message | None
) -> None:
    """End the slots of these ended notes: the value, or the entries of a list that they name; with ``words``, those
    that these name. The ``message`` that ended them becomes a source: the value is restored with it."""
    own = NoteSlot.objects.filter(list_believed_links(), subject_id=subject.id, snapshot_id__in=list(notes))
    for link in own.select_related("preference", "fact", "tag", "snapshot"):
        slot, over = _find_slot(link), notes[link.snapshot_id]
        others, words = (
            _list_other_notes_behind(slot, link.snapshot_id),
            over if over is not None else link.snapshot.text,
        )
        if isinstance(slot, Tag):
            _end_details(subject, slot, words, others.values(), at)
        elif not isinstance(slot.value, list):
            if not others and (over is None or shares_words(over, slot.value)):
                _end_value(subject, slot, at, message)
        else:
            meets = names_value if over is None else shares_words
            _remove_entries(subject, slot, [one for one in slot.value if meets(words, one)], others, at, message)


def end_slots_of_note(note: Snapshot, old_text: str, now: str) -> list[dict[str, Any]]:
    """End the slots that a note filled by the words ``old_text`` and does not say in ``now`` ("" if it says nothing).

    Return ids, as JSON, by which :func:`restore_slots_of_note` finds the ended values, and the note's links to the
    slots that stay.
    """
    links = NoteSlot.objects.filter(list_believed_links(), subject_id=note.subject_id, snapshot_id=note.id)
    ended = []
    for link in links.select_related("preference", "fact", "tag"):
        slot = _find_slot(link)
        lost = _end_unsaid_part(note, slot, old_text, now)
        is_unlinked = bool(now) and _is_unmentioned(slot, old_text, now)
        if is_unlinked:
            link.delete()
        if is_unlinked or lost:
            ended.append({"slot": KEYS[type(slot)], "id": str(slot.id), **lost})
    return ended


def restore_slots_of_note(note: Snapshot, ended: Iterable[Mapping[str, Any]]) -> None:
    """Restore the values that :func:`end_slots_of_note` ended; later values stay, and list entries are united."""
    for one in ended:
        model = MODELS[one["slot"]]
        slot = model._default_manager.select_related("subject").filter(id=one["id"], subject_id=note.subject_id).first()
        if slot is None:
            continue
        if isinstance(slot, Tag):
            _restore_details(slot, one.get("details", ()))
        elif one.get("ended"):
            slot = _restore_slot_value(slot, one.get("made"))
        NoteSlot.objects.bulk_create([build_link(slot, note.id)], ignore_conflicts=True)
        Subject.objects.filter(id=note.subject_id).update(profile_version=F("profile_version") + 1)
    refresh_search_text(note.subject)


def _find_slot(link: NoteSlot) -> Any:
    return link.preference or link.fact or link.tag


def _list_other_notes_behind(slot: Slot, beside: UUID) -> Others:
    links = NoteSlot.objects.filter(
        **{KEYS[type(slot)]: slot}, snapshot__invalid_at__isnull=True, snapshot__retired_at__isnull=True
    )
    return dict(links.exclude(snapshot_id=beside).values_list("snapshot_id", "snapshot__text"))


def _end_unsaid_part(note: Snapshot, slot: Any, old_text: str, now: str) -> dict[str, Any]:
    """End the part of a slot that a note no longer says; return its record, empty if nothing ended."""
    others, at = _list_other_notes_behind(slot, note.id), utc_now()
    if isinstance(slot, Tag):
        gone = _end_details(note.subject, slot, old_text, [*others.values(), now], at)
        return {"details": gone} if gone else {}
    if not isinstance(slot.value, list):
        if others or not _ends_value(old_text, now, slot.value):
            return {}
        _end_value(note.subject, slot, at, None)
        return {"ended": True}
    told = [one for one in slot.value if tells_of_entry(old_text, one)]
    if not told and not others and _is_sole_source(note, slot):
        told = list(slot.value)  # its value is in other words than the note's
    let_go = [one for one in told if not tells_of_entry(now, one) and _ends_value(old_text, now, one)]
    made = _remove_entries(note.subject, slot, let_go, others, at, None)
    if made is None:
        return {}
    if now and made.id != slot.id and any(tells_of_entry(now, one) for one in made.value):
        NoteSlot.objects.bulk_create([build_link(made, note.id)], ignore_conflicts=True)
    return {"ended": True, "made": str(made.id)}


def _is_unmentioned(slot: Slot, old_text: str, now: str) -> bool:
    values = [slot.label, *slot.aliases] if isinstance(slot, Tag) else list_entries(slot.value) or [slot.value]
    return any(_ends_value(old_text, now, one) for one in values) and not any(names_value(now, one) for one in values)


def _ends_value(old_text: str, now: str, value: Any) -> bool:
    """Return whether a note that says ``now`` in place of ``old_text`` no longer says a value. It need not name the
    value: a value that was inferred from words stays if most of the words stay."""
    before, after = set(split_terms(old_text)), set(split_terms(now))
    is_new = len(before & after) < len(before) / 2 or not now
    return (is_new or tells_of_entry(old_text, value)) and not names_value(now, value)


def _is_sole_source(note: Snapshot, slot: Any) -> bool:
    behind = SOURCES[type(slot)]._default_manager.filter(subject_id=note.subject_id, memory_id=slot.value_id)
    own = SnapshotSource.objects.filter(subject_id=note.subject_id, memory_id=note.id).order_by()
    return behind.exists() and not behind.exclude(message_id__in=own.values("message_id")).exists()


def _end_details(subject: Subject, tag: Tag, text: str, others: Iterable[str], at: datetime) -> list[str]:
    told, said = list(others), {name: getattr(tag, name) for name in TOLD_OF_A_TAG}
    gone = [
        name
        for name, value in said.items()
        if value and names_value(text, value) and not any(names_value(other, value) for other in told)
    ]
    if gone:
        patch_tag(subject, tag, dict.fromkeys(gone, ""), valid_at=at)
    return gone


def _restore_details(tag: Tag, details: Iterable[str]) -> None:
    past = TagDetail.objects.filter(tag_id=tag.id, subject_id=tag.subject_id, retired_at__isnull=True).exclude(value="")
    ended = past.filter(invalid_at__isnull=False).order_by("-invalid_at")
    rows = {name: ended.filter(detail=name).first() for name in details if not getattr(tag, name)}
    patch_tag(tag.subject, tag, {name: row.value for name, row in rows.items() if row is not None})


def _end_value(subject: Subject, slot: Preference | ProfileFact, at: datetime, message: Message | None) -> None:
    if isinstance(slot, Preference):
        retract_belief(build_preference_place(subject, slot.category, slot.key), at=at)
    else:
        patch_profile(subject, [], remove=[FactName(slot.field, slot.is_attribute)], at=at)
    _add_source(slot, slot.id, message)


def _restore_slot_value(slot: Any, rest_id: str | None) -> Any:
    """Restore a value in place of the rest of it; later entries are kept beside it. Return the current row."""
    place = find_belief_place(slot)
    is_whole = rest_id is None or rest_id == str(slot.id)
    back = reinstate_belief(place, slot.id) if is_whole else withdraw_belief(place, UUID(rest_id))
    held = back or place.current()
    if back is not None or held is None or not isinstance(slot.value, list) or not isinstance(held.value, list):
        return held or slot
    left = type(slot)._default_manager.filter(id=rest_id).values_list("value", flat=True).first() or []
    lost = [one for one in slot.value if is_whole or not find_entry(one, left)]
    return _supersede_list(slot, lost, utc_now(), None, is_back=True) or held


def _remove_entries(
    subject: Subject,
    slot: Preference | ProfileFact,
    entries: Sequence[Any],
    others: Others,
    at: datetime,
    message: Message | None,
) -> Any:
    gone = [one for one in entries if not any(names_value(text, one) for text in others.values())]
    row = _supersede_list(slot, gone, at, message) if gone else None
    if row is None:
        return None
    _add_source(slot, row.id, message)
    if row.id != slot.id:
        NoteSlot.objects.bulk_create([build_link(row, one) for one in others], ignore_conflicts=True)
    return row


def _supersede_list(
    slot: Any, entries: Sequence[Any], at: datetime, message: Message | None, *, is_back: bool = False
) -> Any:
    claim = make_learned_claim(
        entries,
        provenance=Provenance(slot.provenance),
        confidence=slot.confidence,
        said_at=at,
        message_ref=message.id if message else None,
    )
    if isinstance(slot, Preference):
        change = {"add" if is_back else "remove": entries}
        return change_list_preference(slot.subject, (slot.category, slot.key), claim, **change).row
    name = FactName(slot.field, slot.is_attribute)
    return patch_profile(slot.subject, [FactChange(name, claim, "append" if is_back else "remove")])[0].row


def _add_source(slot: Any, row_id: UUID, message: Message | None) -> None:
    if message is None:
        return
    model = SOURCES[type(slot)]
    link = model(
        id=stable_id("source", row_id, message.id),
        subject_id=slot.subject_id,
        memory_id=row_id,
        message_id=message.id,
    )
    model._default_manager.bulk_create([link], ignore_conflicts=True)

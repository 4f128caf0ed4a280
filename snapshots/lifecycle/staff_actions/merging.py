"""Two memories that mean the same, merged by a person: the sources of both stand behind the one that stays."""

from collections.abc import Mapping
from typing import Any

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import Conflict
from profiles.models import Preference, ProfileFact, Tag
from profiles.services.beliefs import retract_belief
from profiles.services.list_values import merge_entries
from profiles.services.profile import FactName, patch_profile
from profiles.services.tags.details import past_as_json
from profiles.services.tags.tags import delete_tag, patch_tag
from profiles.values import Provenance
from snapshots.embedding.snapshot_history import supersede_snapshots
from snapshots.embedding.snapshot_store import begin_memory_epoch
from snapshots.lifecycle.staff_actions.memory_actions import (
    CERTAINTY_COLUMNS,
    ActContext,
    MemoryT,
    accept_any_version,
    find_belief_place,
    lock_memory_in_use,
    record_act_with_audit,
    update_and_raise_version,
)
from snapshots.models import CUT_OUT, SOURCES, ActVerb, Note, Snapshot

TAG_DETAILS = ("address", "poi_id", "lat", "lon", "phone", "relation")
KEPT_TAG_COLUMNS = ("label", "kind", *TAG_DETAILS, "aliases", "use_count", "confidence", "provenance")


class MergeRefused(Conflict):
    """They are the same memory, or of different kinds or subjects. HTTP 409."""

    code = "not_to_be_merged"


def merge_memories(memory: MemoryT, other: MemoryT, doing: ActContext) -> MemoryT:
    """End ``other`` in favour of ``memory``, in the open scope, unite their sources, and return ``memory``.

    A belief keeps the stronger provenance and its confidence; a tag takes over details that it lacks, and the other's
    label as an alias. Raises NotFound, NoLongerHeld, MergeRefused.
    """
    if memory.id == other.id or memory.subject_id != other.subject_id or type(memory) is not type(other):
        raise MergeRefused("Only two memories of one kind and subject can be merged.")
    kinds = {one.kind for one in (memory, other) if isinstance(one, Snapshot)}
    if len(kinds) > 1 and kinds & CUT_OUT:
        raise MergeRefused("A note or reply can only be merged with another one.")
    held, ended = lock_memory_in_use(memory, doing.accept), lock_memory_in_use(other, accept_any_version)
    before = {"sources": unite_sources(held, ended), **_absorb(held, ended)}
    record_act_with_audit(held, ActVerb.MERGED, doing, other=ended.id, before=before)
    return held


def unite_sources(memory: MemoryT, other: MemoryT) -> list[str]:
    """Put the messages behind ``other`` behind ``memory`` too; return the ids of the new links."""
    links = SOURCES[type(memory)]._default_manager.filter(subject_id=memory.subject_id)
    known = set(links.filter(memory_id=memory.id).values_list("message_id", flat=True))
    messages = links.filter(memory_id=other.id).exclude(message_id__in=known).values_list("message_id", flat=True)
    model = SOURCES[type(memory)]
    made = [model(subject_id=memory.subject_id, memory_id=memory.id, message_id=one) for one in messages]
    model._default_manager.bulk_create(made)
    return [str(link.id) for link in made]


def _absorb(held: MemoryT, ended: MemoryT) -> dict[str, Any]:
    if isinstance(held, Tag) and isinstance(ended, Tag):
        return _absorb_tag(held, ended)
    if isinstance(held, Snapshot):
        own = Snapshot.objects.filter(id=ended.id)
        supersede_snapshots(held.subject_id, own, by=held.id, invalid_at=utc_now())
        before, columns = _choose_surer_columns(held, ended)
        begin_memory_epoch(held.subject_id, changed=[held.position])
    else:
        before, columns = _choose_surer_columns(held, ended)
        _end_belief(ended)
    update_and_raise_version(held, **columns)
    return {"columns": before, "became": columns}


def _choose_surer_columns(held: Any, ended: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    if Provenance(ended.provenance).strength <= Provenance(held.provenance).strength:
        return {}, {}
    return ({name: getattr(one, name) for name in CERTAINTY_COLUMNS} for one in (held, ended))  # type: ignore[return-value]


def _end_belief(ended: Any) -> None:
    if isinstance(ended, ProfileFact):
        patch_profile(ended.subject, [], remove=[FactName(ended.field, ended.is_attribute)])
    elif isinstance(ended, Preference):
        retract_belief(find_belief_place(ended))


def _absorb_tag(held: Tag, ended: Tag) -> dict[str, Any]:
    news: Mapping[str, Any] = {
        "aliases": merge_entries(held.aliases, [ended.label, *ended.aliases]),
        "use_count": held.use_count + ended.use_count,
        **{name: getattr(ended, name) for name in TAG_DETAILS if getattr(held, name) in ("", None)},
    }
    columns = {name: value for name, value in news.items() if getattr(held, name) != value}
    before = {name: getattr(held, name) for name in columns}
    gone = {name: getattr(ended, name) for name in KEPT_TAG_COLUMNS}
    past, own_past = past_as_json(ended), past_as_json(held, columns)
    links = SOURCES[Tag]._default_manager.filter(subject_id=ended.subject_id, memory_id=ended.id)
    behind = [str(one) for one in links.values_list("message_id", flat=True)]
    links.delete()
    notes = Note.objects.filter(subject_id=ended.subject_id, about_tag_id=ended.id)
    about = [str(one) for one in notes.values_list("id", flat=True)]
    notes.update(about_tag_id=held.id)
    delete_tag(ended.subject, ended)
    patch_tag(held.subject, held, columns)
    return {
        "columns": before,
        "became": columns,
        "gone": gone,
        "past": past,
        "own_past": own_past,
        "behind": behind,
        "about": about,
    }

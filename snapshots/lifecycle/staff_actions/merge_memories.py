"""Two memories that mean the same, merged by a person: the sources of both stand behind the one that stays."""

from collections.abc import Mapping
from typing import Any

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import Conflict
from profiles.models import Preference, ProfileFact, Tag
from profiles.provenance_and_verdict import Provenance
from profiles.services.beliefs import retract_belief
from profiles.services.list_values import merge_entries
from profiles.services.profile import FactName, patch_profile
from profiles.services.tags.details import dump_past
from profiles.services.tags.tags import delete_tag, patch_tag
from snapshots.embedding.snapshot_history import supersede_snapshots
from snapshots.embedding.snapshot_store import begin_memory_epoch
from snapshots.lifecycle.staff_actions.deleted_tag_copies import TAG_DETAILS, dump_tag
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
    before = {"sources": unite_sources(held, ended), **_absorb_memory(held, ended)}
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


def _absorb_memory(survivor: MemoryT, duplicate: MemoryT) -> dict[str, Any]:
    if isinstance(survivor, Tag) and isinstance(duplicate, Tag):
        return _absorb_tag(survivor, duplicate)
    if isinstance(survivor, Snapshot):
        own = Snapshot.objects.filter(id=duplicate.id)
        supersede_snapshots(survivor.subject_id, own, by=survivor.id, invalid_at=utc_now())
        before, columns = _choose_surer_columns(survivor, duplicate)
        begin_memory_epoch(survivor.subject_id, changed=[survivor.position])
    else:
        before, columns = _choose_surer_columns(survivor, duplicate)
        _end_belief(duplicate)
    update_and_raise_version(survivor, **columns)
    return {"columns": before, "became": columns}


def _choose_surer_columns(survivor: Any, duplicate: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    if Provenance(duplicate.provenance).strength <= Provenance(survivor.provenance).strength:
        return {}, {}
    return ({name: getattr(one, name) for name in CERTAINTY_COLUMNS} for one in (survivor, duplicate))  # type: ignore[return-value]


def _end_belief(belief: Any) -> None:
    if isinstance(belief, ProfileFact):
        patch_profile(belief.subject, [], remove=[FactName(belief.field, belief.is_attribute)])
    elif isinstance(belief, Preference):
        retract_belief(find_belief_place(belief))


def _absorb_tag(survivor: Tag, duplicate: Tag) -> dict[str, Any]:
    news: Mapping[str, Any] = {
        "aliases": merge_entries(survivor.aliases, [duplicate.label, *duplicate.aliases]),
        "use_count": survivor.use_count + duplicate.use_count,
        **{name: getattr(duplicate, name) for name in TAG_DETAILS if getattr(survivor, name) in ("", None)},
    }
    columns = {name: value for name, value in news.items() if getattr(survivor, name) != value}
    before = {name: getattr(survivor, name) for name in columns}
    tag_copy, own_past = dump_tag(duplicate), dump_past(survivor, columns)
    SOURCES[Tag]._default_manager.filter(subject_id=duplicate.subject_id, memory_id=duplicate.id).delete()
    notes = Note.objects.filter(subject_id=duplicate.subject_id, about_tag_id=duplicate.id)
    notes.update(about_tag_id=survivor.id)
    delete_tag(duplicate.subject, duplicate)
    patch_tag(survivor.subject, survivor, columns)
    return {"columns": before, "became": columns, "own_past": own_past, **tag_copy}

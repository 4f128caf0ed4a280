"""Undoing the last act of staff on a memory: all is as it was before, with an audit record."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F, Q

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import Conflict, NotFound
from profiles.audit import record_act
from profiles.models import Preference, ProfileFact, Subject, Tag
from profiles.services.belief_reversal import reinstate_belief, undo_unconfirmed_value, withdraw_belief
from profiles.services.subject_lock import lock_subject
from profiles.services.subject_search_text import refresh_search_text
from profiles.services.tags.details import restore_past
from profiles.services.tags.tags import find_tag_by_label, patch_tag, restore_tag
from snapshots.embedding.embedding_spaces import Embedders
from snapshots.embedding.snapshot_drafts import MaskText
from snapshots.embedding.snapshot_history import (
    NOTE,
    SUPERSEDED,
    parse_note_values,
    restore_snapshot,
    store_version,
    versions_of,
)
from snapshots.embedding.snapshot_store import begin_memory_epoch, lock_memory
from snapshots.lifecycle.edit_snapshot import Edit, edit_snapshot
from snapshots.lifecycle.note_trace_hooks import restore_note_traces
from snapshots.lifecycle.product_snapshots import retire_snapshot
from snapshots.lifecycle.staff_actions.deleted_tag_copies import build_deleted_tag, recreate_tag
from snapshots.lifecycle.staff_actions.memory_actions import (
    LANE_BY_TABLE,
    TRACES_KEY,
    ActContext,
    ActedMemory,
    accept_any_version,
    find_belief_place,
    is_in_use,
    update_and_raise_version,
)
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import SOURCES, ActVerb, MemoryAct, MemoryLane, MemoryReview, Note, Snapshot
from tenants.isolation import tenant_tx

TABLE_BY_LANE: Mapping[str, type[Any]] = {lane.value: model for model, lane in LANE_BY_TABLE.items()}
CORRECTED_COLUMNS = ("text", "provenance", "confidence", "last_validated_at", "masked", "topics", "category")


class UndoImpossible(Conflict):
    """The act was undone already, or the memory has changed since. HTTP 409."""

    code = "undo_impossible"


def find_last_act(memory: ActedMemory) -> MemoryAct | None:
    """Return the last act on a memory that was not undone; a merge is an act on both memories."""
    acts = MemoryAct.objects.filter(subject_id=memory.subject_id, undone_at__isnull=True)
    merged = Q(other_ref=memory.id, verb=ActVerb.MERGED)
    return acts.filter(Q(memory_ref=memory.id) | merged).order_by("-created_at", "-id").first()


def needs_embedding(act: MemoryAct) -> bool:
    """Return whether undoing an act embeds a text, which no transaction may be open for."""
    return act.lane == LANE_BY_TABLE[Snapshot] and act.verb == ActVerb.CORRECTED


def undo_act(subject: Subject, act_id: UUID, doing: ActContext) -> UUID:
    """Undo an act in the open scope; return the id of the memory that holds again. Raises NotFound, UndoImpossible."""
    act = _lock_last_act(subject, act_id)
    rows = TABLE_BY_LANE[act.lane]._default_manager.select_related("subject")
    memory = _recreate_retired_tag(subject, act) or rows.filter(id=act.memory_ref).first()
    if memory is None:
        raise UndoImpossible("The memory is gone.")
    back = _UNDO[ActVerb(act.verb)](memory, act)
    _restore_origins(subject, act, doing)
    if not isinstance(memory, Snapshot):
        refresh_search_text(memory.subject)
    _record_undo(act, memory, doing)
    return back


def undo_correction(
    tenant_id: UUID, act: MemoryAct, doing: ActContext, *, mask: MaskText, embedders: Embedders
) -> UUID:
    """Give a corrected snapshot its previous text again. Opens its own scopes, and embeds between them.

    Raises NotFound, UndoImpossible.
    """
    with tenant_tx(tenant_id):
        snapshot = Snapshot.objects.select_related("subject").filter(id=act.memory_ref).first()
        if snapshot is None:
            raise UndoImpossible("The memory is gone.")
        images = versions_of(snapshot)
        image = images.filter(version=act.before["version"]).first()
        if image is None or any("text" in later.fields for later in images.filter(version__gt=image.version)):
            raise UndoImpossible("The memory has changed since.")
        earlier = Snapshot.objects.get(id=snapshot.id)
        restore_snapshot(earlier, image.fields)

    def record_undo(read: Snapshot, _ended: Mapping[str, Any]) -> None:
        held = _lock_last_act(snapshot.subject, act.id)
        restore_note_traces(read, held.before.get(TRACES_KEY, {}))
        _record_undo(held, read, doing)

    changes = {name: getattr(earlier, name) for name in CORRECTED_COLUMNS if name in image.fields}
    address = SnapshotAddress(snapshot.subject.external_id, snapshot.id)
    details = parse_note_values(image.fields.get(NOTE, {}))
    edit_snapshot(tenant_id, address, Edit(changes, mask, accept_any_version, record_undo, details), embedders)
    return snapshot.id


def _lock_last_act(subject: Subject, act_id: UUID) -> MemoryAct:
    act = MemoryAct.objects.filter(subject_id=subject.id, id=act_id).first()
    if act is None:
        raise NotFound("No action with this id.")
    lock_subject(subject)
    if act.lane == LANE_BY_TABLE[Snapshot]:
        lock_memory(subject.id)
    act.refresh_from_db()
    later = MemoryAct.objects.filter(
        subject_id=subject.id, memory_ref=act.memory_ref, undone_at__isnull=True, created_at__gt=act.created_at
    )
    if act.undone_at is not None or later.exists():
        raise UndoImpossible("It is not the last act on this memory.")
    return act


def _record_undo(act: MemoryAct, memory: ActedMemory, doing: ActContext) -> None:
    act.undone_at = utc_now()
    act.before = {}
    act.save(update_fields=["undone_at", "before"])
    record_act(doing.by, f"memory.{act.verb}_undone", memory, doing.reason)


def _undo_confirmation(memory: Any, act: MemoryAct) -> UUID:
    if isinstance(memory, Tag):
        patch_tag(memory.subject, memory, act.before)
    else:
        _restore_columns(memory, act.before)
    return act.memory_ref


def _undo_correction(memory: Any, act: MemoryAct) -> UUID:
    if isinstance(memory, Tag):
        _check_unchanged(memory, act)
        restore_tag(memory.subject, memory, act.before["columns"])
        return act.memory_ref
    place = find_belief_place(memory)
    moved_from = type(memory).objects.select_related("subject").filter(id=act.other_ref).first()
    if moved_from is not None and find_belief_place(moved_from).columns != place.columns:
        return _undo_move(memory, moved_from)
    back = withdraw_belief(place, act.memory_ref)
    if back is None:
        raise UndoImpossible("The value has been said again or replaced since.")
    _raise_profile_version(memory)
    return back.id  # type: ignore[no-any-return]  # of any table


def _undo_move(memory: Any, moved_from: Any) -> UUID:
    """Remove a preference that was put under another key, and restore the one under the old key."""
    is_removed = undo_unconfirmed_value(find_belief_place(memory), memory.id)
    if not is_removed or reinstate_belief(find_belief_place(moved_from), moved_from.id) is None:
        raise UndoImpossible("One of both keys has another value by now.")
    return moved_from.id  # type: ignore[no-any-return]  # of any table


def _undo_addition(memory: Any, act: MemoryAct) -> UUID:
    if isinstance(memory, Snapshot):
        if memory.retired_at is not None:
            raise UndoImpossible("The note was retired since.")
        retire_snapshot(SnapshotAddress(memory.subject.external_id, memory.id), accept=accept_any_version)
    elif not undo_unconfirmed_value(find_belief_place(memory), memory.id):
        raise UndoImpossible("The value has been said again or replaced since.")
    return act.memory_ref


def _undo_vital_change(memory: Any, act: MemoryAct) -> UUID:
    note = Note.objects.filter(subject_id=memory.subject_id, snapshot_id=memory.id).first()
    if note is None or memory.retired_at is not None or note.vital_class != act.before["became"]:
        raise UndoImpossible("The note has changed since.")
    _restore_columns(memory, {NOTE: {"vital_class": act.before["vital_class"]}})
    return act.memory_ref


def _undo_keep_verdict(memory: Any, act: MemoryAct) -> UUID:
    if not is_in_use(memory):
        raise UndoImpossible("The memory was replaced or retired since.")
    _restore_columns(memory, {"last_validated_at": act.before["last_validated_at"]})
    if act.before.get("review"):
        _reopen_review(UUID(act.before["review"]))
    return act.memory_ref


def _undo_retirement(memory: Any, act: MemoryAct) -> UUID:
    if isinstance(memory, Tag):
        return act.memory_ref  # it was stored again when it was looked up
    if isinstance(memory, Snapshot):
        if memory.retired_at is None:
            raise UndoImpossible("The memory is in use already.")
        store_version(memory, ("retired_at",), until=utc_now())
        update_and_raise_version(memory, retired_at=None)
        begin_memory_epoch(memory.subject_id, changed=[memory.position])
        restore_note_traces(memory, act.before.get(TRACES_KEY, {}))
    elif reinstate_belief(find_belief_place(memory), memory.id) is None:
        raise UndoImpossible("Another value has taken its place.")
    _raise_profile_version(memory)
    if act.before.get("review"):
        _reopen_review(UUID(act.before["review"]))
    return act.memory_ref


def find_retired_tag(tag_id: UUID) -> Tag | None:
    """Return a tag that staff retired, as it was; None if it was never retired, or nothing is kept of it."""
    own = MemoryAct.objects.filter(lane=MemoryLane.TAGS, memory_ref=tag_id, undone_at__isnull=True)
    acts = own.filter(verb=ActVerb.RETIRED, before__has_key="gone", subject__erasing=False).select_related("subject")
    act = acts.order_by("-created_at").first()
    if act is None:
        return None
    tag = build_deleted_tag(act.subject, tag_id, act.before)
    tag.was_retired = True
    # Else Django's forms would take its id for one that is not stored yet, and remove it.
    tag._state.adding = False
    return tag


def _recreate_retired_tag(subject: Subject, act: MemoryAct) -> Tag | None:
    """Store a retired tag and the values that ended with it again; a value whose place is taken stays as it is."""
    if act.lane != MemoryLane.TAGS or act.verb != ActVerb.RETIRED or "gone" not in act.before:
        return None
    if find_tag_by_label(subject, act.before["gone"]["label"]) is not None:
        raise UndoImpossible("Another tag has its label.")
    tag = recreate_tag(subject, act.memory_ref, act.before)
    own = Preference.objects.select_related("subject").filter(subject_id=subject.id)
    for ended in own.filter(id__in=act.before.get("ended", ())):
        reinstate_belief(find_belief_place(ended), ended.id)
    return tag


def find_retired_origins(act: MemoryAct) -> list[Snapshot]:
    ids = act.before.get("origins", [])
    refs = MemoryAct.objects.filter(subject_id=act.subject_id, id__in=ids, undone_at__isnull=True)
    own = Snapshot.objects.filter(subject_id=act.subject_id, retired_at__isnull=False)
    return list(own.filter(id__in=refs.order_by().values("memory_ref")).order_by("position")) if ids else []


def _restore_origins(subject: Subject, act: MemoryAct, doing: ActContext) -> None:
    for origin_act in act.before.get("origins", []):
        try:
            undo_act(subject, UUID(origin_act), doing)
        except (NotFound, UndoImpossible):
            continue


def _undo_merge(memory: Any, act: MemoryAct) -> UUID:
    if isinstance(memory, Tag):
        _undo_tag_merge(memory, act)
    elif isinstance(memory, Snapshot):
        _restore_merged_snapshot(memory, act)
    else:
        other = type(memory).objects.select_related("subject").filter(id=act.other_ref).first()
        if other is None or reinstate_belief(find_belief_place(other), other.id) is None:
            raise UndoImpossible("Another value has taken its place.")
        _raise_profile_version(memory)
    if not isinstance(memory, Tag):
        _restore_columns(memory, act.before["columns"])
    SOURCES[type(memory)]._default_manager.filter(id__in=act.before["sources"]).delete()
    return act.memory_ref


def _restore_columns(memory: Any, columns: Mapping[str, Any]) -> None:
    values = dict(columns)
    details = values.pop(NOTE, {})
    if "last_validated_at" in values:
        values["last_validated_at"] = datetime.fromisoformat(values["last_validated_at"])
    if isinstance(memory, Snapshot):
        store_version(memory, values, until=utc_now(), note=_restore_note_columns(memory, details))
        begin_memory_epoch(memory.subject_id, changed=[memory.position])
    update_and_raise_version(memory, **values)


def _restore_note_columns(snapshot: Snapshot, details: Mapping[str, Any]) -> dict[str, Any]:
    own = Note.objects.filter(subject_id=snapshot.subject_id, snapshot_id=snapshot.id)
    before = dict(own.values(*details).get()) if details else {}
    if details:
        own.update(**details)
    return before


def _check_unchanged(tag: Tag, act: MemoryAct) -> None:
    if any(getattr(tag, name) != value for name, value in act.before["became"].items()):
        raise UndoImpossible("The tag has changed since.")


def _undo_tag_merge(tag: Tag, act: MemoryAct) -> None:
    gone = act.before["gone"]
    _check_unchanged(tag, act)
    if find_tag_by_label(tag.subject, gone["label"]) is not None:
        raise UndoImpossible("Another tag has its label.")
    # Nothing of the other tag may stay here: no message behind this one said it.
    patch_tag(tag.subject, tag, act.before["columns"])
    restore_past(tag, act.before.get("own_past", ()), act.before["columns"].keys())
    if act.other_ref is not None:
        recreate_tag(tag.subject, act.other_ref, act.before, held_by=tag.id)


def _restore_merged_snapshot(memory: Snapshot, act: MemoryAct) -> None:
    own = Snapshot.objects.filter(subject_id=memory.subject_id, superseded_by_id=memory.id)
    other = own.filter(pk=act.other_ref).first() if act.other_ref else None
    if other is None:
        raise UndoImpossible("The other memory is gone.")
    store_version(other, SUPERSEDED, until=utc_now())
    own.filter(pk=other.pk).update(invalid_at=None, superseded_by=None, version=F("version") + 1)
    begin_memory_epoch(memory.subject_id, changed=[other.position])


def _raise_profile_version(memory: Any) -> None:
    """Raise the profile's version: products that hold a copy see by it that a belief has changed."""
    if isinstance(memory, ProfileFact):
        Subject.objects.filter(id=memory.subject_id).update(profile_version=F("profile_version") + 1)


def _reopen_review(review_id: UUID) -> None:
    """Open a decided review again, unless another one is open by now."""
    review = MemoryReview.objects.filter(id=review_id).first()
    if review is None:
        return
    asked = MemoryReview.objects.filter(lane=review.lane, memory_ref=review.memory_ref, decided_at__isnull=True)
    if not asked.exists():
        MemoryReview.objects.filter(id=review.id).update(decided_at=None, decision="", decided_by="")


_UNDO: Mapping[ActVerb, Callable[[Any, MemoryAct], UUID]] = {
    ActVerb.CONFIRMED: _undo_confirmation,
    ActVerb.CORRECTED: _undo_correction,
    ActVerb.MERGED: _undo_merge,
    ActVerb.RETIRED: _undo_retirement,
    ActVerb.ADDED: _undo_addition,
    ActVerb.KEPT: _undo_keep_verdict,
    ActVerb.VITAL_CHANGED: _undo_vital_change,
}

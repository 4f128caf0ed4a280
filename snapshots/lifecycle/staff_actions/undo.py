"""Undoing the last act of staff on a memory: all is as it was before, with an audit record."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F, Q

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import Conflict, NotFound
from profiles.audit import record_act
from profiles.models import ProfileFact, Subject, Tag
from profiles.services.belief_reversal import reinstate_belief, withdraw_belief
from profiles.services.locking import lock_subject
from profiles.services.search_text import refresh_search_text
from profiles.services.tags.details import bring_past_back
from profiles.services.tags.tags import find_tag_by_label, patch_tag, put_back
from snapshots.embedding.spaces import Embedders
from snapshots.embedding.store import lock_memory, touch_memory
from snapshots.embedding.stored_drafts import Mask
from snapshots.embedding.versions import NOTE, SUPERSEDED, images_of, keep_image, note_values, restore
from snapshots.lifecycle.edits import Edit, edit_snapshot
from snapshots.lifecycle.staff_actions.actions import (
    LANES,
    TRACES,
    Doing,
    Memory,
    any_version,
    place_of,
    raised_version,
)
from snapshots.lifecycle.traces import bring_traces_back
from snapshots.lifecycle.values import SnapshotAddress
from snapshots.models import SOURCES, ActVerb, MemoryAct, MemoryReview, Message, Note, Snapshot
from tenants.isolation import tenant_tx

TABLES: Mapping[str, type[Any]] = {lane.value: model for model, lane in LANES.items()}
REWRITTEN = ("text", "provenance", "confidence", "last_validated_at", "masked", "topics", "category")


class UndoImpossible(Conflict):
    """The act was undone already, or the memory has changed since. HTTP 409."""

    code = "undo_impossible"


def last_act(memory: Memory) -> MemoryAct | None:
    """Return the last act on a memory that was not undone; a merge is an act on both memories."""
    acts = MemoryAct.objects.filter(subject_id=memory.subject_id, undone_at__isnull=True)
    merged = Q(other_ref=memory.id, verb=ActVerb.MERGED)
    return acts.filter(Q(memory_ref=memory.id) | merged).order_by("-created_at", "-id").first()


def needs_words(act: MemoryAct) -> bool:
    """Return whether undoing an act embeds a text, which no transaction may be open for."""
    return act.lane == LANES[Snapshot] and act.verb == ActVerb.CORRECTED


def undo_act(subject: Subject, act_id: UUID, doing: Doing) -> UUID:
    """Undo an act in the open scope; return the id of the memory that holds again.

    Raises NotFound, UndoImpossible.
    """
    act = _held_act(subject, act_id)
    memory = TABLES[act.lane]._default_manager.select_related("subject").filter(id=act.memory_ref).first()
    if memory is None:
        raise UndoImpossible("The memory is gone.")
    back = _UNDO[ActVerb(act.verb)](memory, act)
    _bring_origins_back(subject, act, doing)
    if not isinstance(memory, Snapshot):
        refresh_search_text(memory.subject)
    _settle(act, memory, doing)
    return back


def undo_correction(tenant_id: UUID, act: MemoryAct, doing: Doing, *, mask: Mask, embedders: Embedders) -> UUID:
    """Give a corrected snapshot its previous text again. Opens its own scopes, and embeds between them.

    Raises NotFound, UndoImpossible.
    """
    with tenant_tx(tenant_id):
        snapshot = Snapshot.objects.select_related("subject").filter(id=act.memory_ref).first()
        if snapshot is None:
            raise UndoImpossible("The memory is gone.")
        images = images_of(snapshot)
        image = images.filter(version=act.before["version"]).first()
        if image is None or any("text" in later.fields for later in images.filter(version__gt=image.version)):
            raise UndoImpossible("The memory has changed since.")
        earlier = Snapshot.objects.get(id=snapshot.id)
        restore(earlier, image.fields)

    def note(read: Snapshot, _ended: Mapping[str, Any]) -> None:
        held = _held_act(snapshot.subject, act.id)
        bring_traces_back(read, held.before.get(TRACES, {}))
        _settle(held, read, doing)

    changes = {name: getattr(earlier, name) for name in REWRITTEN if name in image.fields}
    address = SnapshotAddress(snapshot.subject.external_id, snapshot.id)
    details = note_values(image.fields.get(NOTE, {}))
    edit_snapshot(tenant_id, address, Edit(changes, mask, any_version, note, details), embedders)
    return snapshot.id


def _held_act(subject: Subject, act_id: UUID) -> MemoryAct:
    act = MemoryAct.objects.filter(subject_id=subject.id, id=act_id).first()
    if act is None:
        raise NotFound("No act with this id.")
    lock_subject(subject)
    if act.lane == LANES[Snapshot]:
        lock_memory(subject.id)
    act.refresh_from_db()
    later = MemoryAct.objects.filter(
        subject_id=subject.id, memory_ref=act.memory_ref, undone_at__isnull=True, created_at__gt=act.created_at
    )
    if act.undone_at is not None or later.exists():
        raise UndoImpossible("It is not the last act on this memory.")
    return act


def _settle(act: MemoryAct, memory: Memory, doing: Doing) -> None:
    act.undone_at = utc_now()
    act.before = {}
    act.save(update_fields=["undone_at", "before"])
    record_act(doing.by, f"memory.{act.verb}_undone", memory, doing.reason)


def _undo_confirmation(memory: Any, act: MemoryAct) -> UUID:
    if isinstance(memory, Tag):
        patch_tag(memory.subject, memory, act.before)
    else:
        _put_back(memory, act.before)
    return act.memory_ref


def _undo_correction(memory: Any, act: MemoryAct) -> UUID:
    if isinstance(memory, Tag):
        _check_unchanged(memory, act)
        put_back(memory.subject, memory, act.before["columns"])
        return act.memory_ref
    back = withdraw_belief(place_of(memory), act.memory_ref)
    if back is None:
        raise UndoImpossible("The value has been said again or replaced since.")
    _renew_profile(memory)
    return back.id  # type: ignore[no-any-return]  # of any table


def _undo_retirement(memory: Any, act: MemoryAct) -> UUID:
    if isinstance(memory, Snapshot):
        if memory.retired_at is None:
            raise UndoImpossible("The memory is in use already.")
        keep_image(memory, ("retired_at",), until=utc_now())
        raised_version(memory, retired_at=None)
        touch_memory(memory.subject_id, changed=[memory.position])
        bring_traces_back(memory, act.before.get(TRACES, {}))
    elif reinstate_belief(place_of(memory), memory.id) is None:
        raise UndoImpossible("Another value has taken its place.")
    _renew_profile(memory)
    if act.before.get("review"):
        _reopen_review(UUID(act.before["review"]))
    return act.memory_ref


def origins_retired(act: MemoryAct) -> list[Snapshot]:
    ids = act.before.get("origins", [])
    refs = MemoryAct.objects.filter(subject_id=act.subject_id, id__in=ids, undone_at__isnull=True)
    own = Snapshot.objects.filter(subject_id=act.subject_id, retired_at__isnull=False)
    return list(own.filter(id__in=refs.order_by().values("memory_ref")).order_by("position")) if ids else []


def _bring_origins_back(subject: Subject, act: MemoryAct, doing: Doing) -> None:
    """Restore what was retired with an act; a memory that somebody has changed since stays as it is."""
    for origin_act in act.before.get("origins", []):
        try:
            undo_act(subject, UUID(origin_act), doing)
        except (NotFound, UndoImpossible):
            continue


def _undo_merge(memory: Any, act: MemoryAct) -> UUID:
    if isinstance(memory, Tag):
        _bring_tag_back(memory, act)
    elif isinstance(memory, Snapshot):
        _bring_snapshot_back(memory, act)
    else:
        other = type(memory).objects.select_related("subject").filter(id=act.other_ref).first()
        if other is None or reinstate_belief(place_of(other), other.id) is None:
            raise UndoImpossible("Another value has taken its place.")
        _renew_profile(memory)
    if not isinstance(memory, Tag):
        _put_back(memory, act.before["columns"])
    SOURCES[type(memory)]._default_manager.filter(id__in=act.before["sources"]).delete()
    return act.memory_ref


def _put_back(memory: Any, columns: Mapping[str, Any]) -> None:
    values = dict(columns)
    details = values.pop(NOTE, {})
    if "last_validated_at" in values:
        values["last_validated_at"] = datetime.fromisoformat(values["last_validated_at"])
    if isinstance(memory, Snapshot):
        keep_image(memory, values, until=utc_now(), note=_put_details_back(memory, details))
        touch_memory(memory.subject_id, changed=[memory.position])
    raised_version(memory, **values)


def _put_details_back(snapshot: Snapshot, details: Mapping[str, Any]) -> dict[str, Any]:
    own = Note.objects.filter(subject_id=snapshot.subject_id, snapshot_id=snapshot.id)
    before = dict(own.values(*details).get()) if details else {}
    if details:
        own.update(**details)
    return before


def _check_unchanged(tag: Tag, act: MemoryAct) -> None:
    if any(getattr(tag, name) != value for name, value in act.before["became"].items()):
        raise UndoImpossible("The tag has changed since.")


def _bring_tag_back(tag: Tag, act: MemoryAct) -> None:
    gone = act.before["gone"]
    _check_unchanged(tag, act)
    if find_tag_by_label(tag.subject, gone["label"]) is not None:
        raise UndoImpossible("Another tag has its label.")
    # Nothing of the other tag may stay here: no message behind this one said it.
    patch_tag(tag.subject, tag, act.before["columns"])
    bring_past_back(tag, act.before.get("own_past", ()), act.before["columns"].keys())
    back = Tag.objects.create(id=act.other_ref, subject=tag.subject, **gone)
    bring_past_back(back, act.before.get("past", ()))
    notes = Note.objects.filter(subject_id=tag.subject_id, id__in=act.before.get("about", ()), about_tag_id=tag.id)
    notes.update(about_tag_id=act.other_ref)
    left = Message.objects.filter(subject_id=tag.subject_id, id__in=act.before["behind"])
    links = SOURCES[Tag]
    links._default_manager.bulk_create(
        links(subject_id=tag.subject_id, memory_id=act.other_ref, message_id=one)
        for one in left.order_by().values_list("id", flat=True)
    )


def _bring_snapshot_back(memory: Snapshot, act: MemoryAct) -> None:
    own = Snapshot.objects.filter(subject_id=memory.subject_id, superseded_by_id=memory.id)
    other = own.filter(pk=act.other_ref).first() if act.other_ref else None
    if other is None:
        raise UndoImpossible("The other memory is gone.")
    keep_image(other, SUPERSEDED, until=utc_now())
    own.filter(pk=other.pk).update(invalid_at=None, superseded_by=None, version=F("version") + 1)
    touch_memory(memory.subject_id, changed=[other.position])


def _renew_profile(memory: Any) -> None:
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
}

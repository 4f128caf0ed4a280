"""The memories that a belief or a tag was learned from, and others that say its value: recall would find the old words.

When a person corrects a belief, they are retired with it, in one transaction, and restored when the act is undone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from django.db.models import QuerySet

from memory_platform.kernel.errors import Conflict
from profiles.models import Tag
from profiles.services.subject_lock import lock_subject
from snapshots.embedding.snapshot_store import lock_memory
from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.lifecycle.staff_actions.memory_actions import ActContext, BeliefRow, accept_any_version, retire_memory
from snapshots.lifecycle.staff_actions.undo_act import find_last_act
from snapshots.lifecycle.staff_actions.value_mentions import (
    Mention,
    ReplacedValue,
    find_mentions,
    list_replaced_columns,
    list_replaced_values,
)
from snapshots.models import SOURCES, ActVerb, MemoryAct, Snapshot, SnapshotKind, SnapshotSource

ACTS_WITH_ORIGINS = (ActVerb.CORRECTED, ActVerb.RETIRED)


class OriginChanged(Conflict):
    """A memory that a belief was learned from has changed meanwhile. HTTP 409."""

    code = "origin_changed"


def find_origins(learned: BeliefRow | Tag) -> QuerySet[Snapshot]:
    """Return the memories in use that share a message with a belief or tag, in the order in which they were stored."""
    own = {"subject_id": learned.subject_id}
    row_id = learned.id if isinstance(learned, Tag) else learned.value_id
    behind = SOURCES[type(learned)]._default_manager.filter(memory_id=row_id, **own).order_by()
    told = SnapshotSource.objects.filter(message_id__in=behind.values("message_id"), **own).order_by()
    return Snapshot.objects.filter(build_current_snapshot_condition(), id__in=told.values("memory_id"), **own).order_by(
        "position"
    )


def retire_origins(
    learned: BeliefRow | Tag, versions: Mapping[UUID, int], doing: ActContext, *, holds: BeliefRow | Tag
) -> list[Snapshot]:
    """Retire the memories that a belief or tag was learned from, with the act just done to it, and return them.

    In the transaction of that act, which holds the subject: the memory is locked after it, as everywhere. ``versions``
    are those that the person saw and chose; one that is no longer in use is passed over. ``holds`` is the row that
    carries the act: of a correction, the new value. An act that left the value as it was retires nothing. Raises
    OriginChanged.
    """
    act = find_last_act(holds)
    if act is None or act.verb not in ACTS_WITH_ORIGINS or not versions:
        return []
    lock_memory(learned.subject_id)
    retired = list(find_origins(learned).filter(id__in=versions))
    _retire_versions(retired, versions, doing, act)
    return retired


def list_corrected_values(holds: BeliefRow | Tag) -> list[ReplacedValue]:
    """Return the texts that the last act on a belief or tag replaced; none unless it was a correction."""
    act = find_last_act(holds)
    if act is None or act.verb != ActVerb.CORRECTED:
        return []
    if isinstance(holds, Tag) or act.other_ref is None:
        return list_replaced_columns(act.before.get("columns", {}), act.before.get("became", {}))
    old = type(holds)._default_manager.filter(id=act.other_ref, subject_id=holds.subject_id).first()
    return list_replaced_values(old.value, holds.value) if old is not None else []


def find_mentions_of_corrected(holds: BeliefRow | Tag) -> list[Mention]:
    """Return the memories that still say what the last correction of a belief or tag replaced."""
    return find_mentions(holds.subject_id, list_corrected_values(holds))


def retire_mentions(
    holds: BeliefRow | Tag, versions: Mapping[UUID, int], doing: ActContext, replaced: Sequence[ReplacedValue]
) -> list[Snapshot]:
    """Retire memories that say a replaced value, with the last act on ``holds``, and return them.

    In the transaction of the caller, which holds the subject. ``versions`` are those that the person saw and chose;
    what says no replaced value by now is passed over. Raises OriginChanged.
    """
    act = find_last_act(holds)
    if act is None or act.verb not in ACTS_WITH_ORIGINS or not versions:
        return []
    lock_memory(holds.subject_id)
    retired = [one.memory for one in find_mentions(holds.subject_id, replaced, among=versions)]
    _retire_versions(retired, versions, doing, act)
    return retired


def retire_with_act(act: MemoryAct | None, memories: Sequence[Snapshot], doing: ActContext) -> None:
    """Retire memories with the act on the value learned from them; undoing it restores them. The caller has locked the
    memory."""
    _retire_versions(memories, {one.id: one.version for one in memories}, doing, act)


def retire_tag(tag: Tag, versions: Mapping[UUID, int], doing: ActContext) -> list[Snapshot]:
    """Retire a tag, and the memories that it was learned from and that the person saw and chose; return them. Raises
    NotFound, OriginChanged."""
    lock_subject(tag.subject)
    lock_memory(tag.subject_id)
    retired = list(find_origins(tag).filter(id__in=versions))
    retire_memory(tag, doing)
    _retire_versions(retired, versions, doing, find_last_act(tag))
    return retired


def _retire_versions(
    origins: Iterable[Snapshot], versions: Mapping[UUID, int], doing: ActContext, act: MemoryAct | None = None
) -> None:
    """Retire memories in the versions that were seen; undoing ``act`` restores them. Raises OriginChanged.

    Notes come last: a chosen memory of their messages would otherwise end with them, without an act of its own.
    """
    acts = []
    for origin in sorted(origins, key=lambda one: one.kind == SnapshotKind.NOTE):
        if origin.version != versions[origin.id]:
            raise OriginChanged("A memory that it was learned from has changed. Look again, and choose anew.")
        retire_memory(origin, replace(doing, accept=accept_any_version))
        done = find_last_act(origin)
        acts += [str(done.id)] if done is not None else []
    if act is not None:
        act.before = {**act.before, "origins": [*act.before.get("origins", ()), *acts]}
        act.save(update_fields=["before"])

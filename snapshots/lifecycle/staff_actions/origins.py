"""The memories that a belief was learned from: they tell in the words of its messages what it says (rows D2, P4).

Who puts a belief right ends its value; what was kept beside it in the old words would still be recalled. It is retired
with the belief, in one transaction, and holds again when the act is taken back.
"""

from collections.abc import Mapping
from dataclasses import replace
from uuid import UUID

from django.db.models import QuerySet

from memory_platform.kernel.errors import Conflict
from snapshots.embedding.store import lock_memory
from snapshots.lifecycle.selectors import current
from snapshots.lifecycle.staff_actions.actions import Belief, Doing, any_version, retire_memory
from snapshots.lifecycle.staff_actions.undo import last_act
from snapshots.models import SOURCES, ActVerb, Snapshot, SnapshotSource

WITH_ORIGINS = (ActVerb.CORRECTED, ActVerb.RETIRED)


class OriginChanged(Conflict):
    """A memory that a belief was learned from says something else by now. HTTP 409."""

    code = "origin_changed"


def origins_of(belief: Belief) -> QuerySet[Snapshot]:
    """Return the memories in use that share a message with a belief, in the order in which they were stored."""
    own = {"subject_id": belief.subject_id}
    behind = SOURCES[type(belief)]._default_manager.filter(memory_id=belief.value_id, **own).order_by()
    told = SnapshotSource.objects.filter(message_id__in=behind.values("message_id"), **own).order_by()
    return Snapshot.objects.filter(current(), id__in=told.values("memory_id"), **own).order_by("position")


def retire_origins(belief: Belief, versions: Mapping[UUID, int], doing: Doing, *, holds: Belief) -> list[Snapshot]:
    """Retire the memories that a belief was learned from with the act just done to it, and return them.

    In the transaction of that act, which holds the subject: the memory is locked after it, as everywhere. ``versions``
    are those that the person saw and chose; one that is no longer in use is passed over. ``holds`` is the row that
    carries the act: of a correction, the new value. An act that left the value as it was retires nothing.
    Raises OriginChanged.
    """
    act = last_act(holds)
    if act is None or act.verb not in WITH_ORIGINS or not versions:
        return []
    lock_memory(belief.subject_id)
    retired, acts = list(origins_of(belief).filter(id__in=versions)), []
    for origin in retired:
        if origin.version != versions[origin.id]:
            raise OriginChanged("a memory that it was learned from says something else by now")
        retire_memory(origin, replace(doing, accept=any_version))
        done = last_act(origin)
        acts += [str(done.id)] if done is not None else []
    act.before = {**act.before, "origins": acts}
    act.save(update_fields=["before"])
    return retired

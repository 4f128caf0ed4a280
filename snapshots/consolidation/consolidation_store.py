"""Stores a joined memory and undoes it, and reads candidates for joining. In open scopes.

The members stay: they end on the valid clock in favour of the joined memory, as superseded ones do, and its history
says so. A concurrent change of a member stops the join: a person's edit wins.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import F, Q, QuerySet

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import Conflict, NotFound
from memory_platform.kernel.ids import stable_id
from profiles.audit import record_act
from profiles.config import BELIEFS
from profiles.models import Subject
from profiles.provenance_and_verdict import Provenance
from snapshots.consolidation.joined_text import JoinedText
from snapshots.consolidation.similar_groups import CONVERSATIONS, JOINED, STATEMENTS, SimilarGroup, SimilarMemory
from snapshots.embedding.near_duplicates import REPEATS_NOTHING
from snapshots.embedding.snapshot_drafts import PreparedSnapshot, SnapshotToStore
from snapshots.embedding.snapshot_history import SUPERSEDED, store_version, supersede_snapshots
from snapshots.embedding.snapshot_store import begin_memory_epoch, lock_memory, store_snapshots
from snapshots.models import Consolidation, MemoryLane, Snapshot, SnapshotKind, SnapshotSource, SnapshotWords
from tenants.services.audit import Actor

MAY_BE_JOINED = (*STATEMENTS, *CONVERSATIONS, JOINED)


class ConsolidationUndone(Conflict):
    """It was undone already, or the joined memory is part of another one by now. HTTP 409."""

    code = "consolidation_undone"


def list_members(subject_id: UUID) -> list[SimilarMemory]:
    repeating = SnapshotWords.objects.filter(subject_id=subject_id).exclude(saying=REPEATS_NOTHING)
    telling = set(repeating.filter(saying__isnull=False).order_by().values_list("snapshot_id", flat=True))
    rows = _select_current_snapshots(subject_id).filter(kind__in=MAY_BE_JOINED, masked=False).order_by("position")
    columns = rows.values_list("id", "version", "kind", "text", "name", "category")
    return [SimilarMemory(*row) for row in columns.iterator(2_000) if row[0] in telling]


def list_undone_pairs(subject_id: UUID) -> list[frozenset[UUID]]:
    undone = Consolidation.objects.filter(subject_id=subject_id, lane=MemoryLane.SNAPSHOTS, undone_at__isnull=False)
    return [frozenset(members) for members in undone.values_list("members", flat=True)]


def build_draft(subject_id: UUID, group: SimilarGroup, written: JoinedText) -> SnapshotToStore | None:
    """Return the joined memory with the written text, in the open scope; None if a member is gone by now.

    Sources and topics are united; its confidence is the highest of its members', within the ceiling of an analysis; its
    times are those of the newest.
    """
    rows = list(
        _select_current_snapshots(subject_id)
        .filter(id__in=[member.id for member in group.members])
        .order_by("-said_at", "id")
    )
    if len(rows) < len(group.members):
        return None
    sources = SnapshotSource.objects.filter(subject_id=subject_id, memory_id__in=[row.id for row in rows])
    return SnapshotToStore(
        id=stable_id("consolidated", *sorted(str(row.id) for row in rows)),
        subject_id=subject_id,
        kind=SnapshotKind.CONSOLIDATED,
        text=written.text,
        name=rows[0].name,
        said_at=rows[0].said_locally,
        valid_at=utc_now(),
        expires_at=None,
        category=rows[0].category,
        topics=tuple(dict.fromkeys(topic for row in rows for topic in row.topics)),
        importance=max(row.importance for row in rows),
        confidence=min(max(row.confidence for row in rows), BELIEFS.ceiling(Provenance.ANALYSIS)),
        provenance=Provenance.ANALYSIS,
        metadata=find_shared_metadata([row.metadata for row in rows]),
        message_ids=tuple(sources.order_by("message_id").values_list("message_id", flat=True).distinct()),
        raw_fallback=written.fell_back,
    )


def find_shared_metadata(members: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the metadata that all members have in common: the joined memory is not one agent's if they are two's."""
    first, *others = members
    return {key: value for key, value in first.items() if all(key in one and one[key] == value for one in others)}


def join_group(group: SimilarGroup, snapshot: PreparedSnapshot) -> bool:
    """Store the joined memory and end its members, in the open scope; False if anything has changed meanwhile."""
    subject_id, joined_id = snapshot.draft.subject_id, snapshot.draft.id
    lock_memory(subject_id)
    versions = {member.id: member.version for member in group.members}
    members = _select_current_snapshots(subject_id).filter(id__in=versions)
    if dict(members.order_by().values_list("id", "version")) != versions:
        return False
    if joined_id not in store_snapshots([snapshot]):
        return False  # the subject had this forgotten
    supersede_snapshots(subject_id, members, by=joined_id, invalid_at=snapshot.draft.valid_at)
    Consolidation.objects.create(
        subject_id=subject_id,
        lane=MemoryLane.SNAPSHOTS,
        memory_ref=joined_id,
        members=sorted(versions, key=str),
        similarity=group.similarity,
    )
    return True


def list_consolidations(subject: Subject) -> QuerySet[Consolidation]:
    return Consolidation.objects.filter(subject_id=subject.id, lane=MemoryLane.SNAPSHOTS)


def undo_consolidation(subject: Subject, consolidation_id: UUID, *, by: Actor, reason: str = "") -> Consolidation:
    """Undo a join, in the open scope: the members are current again as they were, the joined memory is not. They are
    not joined again. Leaves an audit record. Raises NotFound, ConsolidationUndone."""
    found = list_consolidations(subject).filter(id=consolidation_id).first()
    if found is None:
        raise NotFound("No consolidation with this id.")
    lock_memory(found.subject_id)
    found.refresh_from_db()
    own = Snapshot.objects.filter(subject_id=found.subject_id)
    joined = own.filter(id=found.memory_ref, retired_at__isnull=True, superseded_by__isnull=True).first()
    if found.undone_at is not None or joined is None:
        raise ConsolidationUndone("The joined memory is no longer current.")
    now = utc_now()
    members = list(own.filter(id__in=found.members, superseded_by_id=joined.id))
    for member in members:
        store_version(member, SUPERSEDED, until=now)
    own.filter(id__in=[member.id for member in members]).update(
        invalid_at=None, superseded_by=None, version=F("version") + 1
    )
    own.filter(id=joined.id).update(retired_at=now, version=F("version") + 1)
    begin_memory_epoch(found.subject_id, changed=[member.position for member in (*members, joined)])
    found.undone_at = now
    found.save(update_fields=["undone_at"])
    record_act(by, "memory.taken_apart", found, reason)
    return found


def _select_current_snapshots(subject_id: UUID) -> QuerySet[Snapshot]:
    """Return the current snapshots without an end: joining must not prolong a memory that somebody ended."""
    alive = Q(expires_at__isnull=True) | Q(expires_at__gt=utc_now())
    return Snapshot.objects.filter(alive, subject_id=subject_id, retired_at__isnull=True, invalid_at__isnull=True)

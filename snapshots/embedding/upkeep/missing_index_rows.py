"""Add words to memories that have none in the index, so that questions find them again."""

from collections.abc import Sequence
from itertools import groupby
from uuid import UUID

from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import INDEX_DAMAGED
from snapshots.embedding.reindexing_drafts import MaskText, load_reindexing_drafts
from snapshots.embedding.snapshot_drafts import PreparedSnapshot, prepare_snapshots
from snapshots.embedding.snapshot_store import begin_memory_epoch, lock_memory, make_words_row
from snapshots.embedding.upkeep.indexed_memories import build_in_use_condition
from snapshots.models import Snapshot, SnapshotWords
from tenants.isolation import tenant_tx


def add_missing_words(tenant_id: UUID, ids: Sequence[UUID], mask: MaskText) -> None:
    """Add the words of those memories that are in use and have none.

    ``mask`` masks statements. Opens scopes of its own. Safe to run twice, also at once.
    """
    with tenant_tx(tenant_id):
        snapshots = list(Snapshot.objects.filter(build_in_use_condition(), id__in=ids).order_by("subject_id", "id"))
        drafts = load_reindexing_drafts(snapshots, mask)
    ready = list(zip(snapshots, prepare_snapshots(drafts, ()), strict=True))
    for subject_id, group in groupby(ready, key=lambda one: one[0].subject_id):
        with tenant_tx(tenant_id):
            _add_words_of_subject(subject_id, list(group))


def _add_words_of_subject(subject_id: UUID, ready: Sequence[tuple[Snapshot, PreparedSnapshot]]) -> None:
    """Add words to memories that nobody has changed since they were read; words that are there stay."""
    lock_memory(subject_id)
    ids = [snapshot.id for snapshot, _ in ready]
    versions = dict(
        Snapshot.objects.filter(build_in_use_condition(), id__in=ids).order_by().values_list("id", "version")
    )
    held = set(SnapshotWords.objects.filter(snapshot_id__in=ids).order_by().values_list("snapshot_id", flat=True))
    without = [one for one in ready if one[0].id not in held and versions.get(one[0].id) == one[0].version]
    if not without:
        return
    log(Event.RECALL_DEGRADED, provider="snapshot_words", rows=len(without), error="missing_index_row")
    INDEX_DAMAGED.labels(kind="words").inc(len(without))
    begin_memory_epoch(subject_id, changed=[snapshot.position for snapshot, _ in without])
    SnapshotWords.objects.bulk_create([make_words_row(prepared, snapshot.position) for snapshot, prepared in without])

"""Record damaged blocks and words, which the answer does without and jobs rebuild.

A block is removed, and packed again from its rows. Words are marked as unread, and made again from the text; until then
the memory is found by its vector alone.
"""

from collections.abc import Sequence
from functools import partial
from uuid import UUID

from django.db import transaction

from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import INDEX_DAMAGED
from snapshots.embedding.index_row_packing import DamagedIndexRow
from snapshots.embedding.snapshot_store import lock_memory
from snapshots.models import MemoryBlock, SnapshotWords, SubjectMemory
from snapshots.recall.memory_indexes.block_format import FORMAT, DamagedBlock
from tenants.isolation import tenant_tx


def remove_damaged_blocks(tenant_id: UUID, subject_id: UUID, spaces: str, blocks: Sequence[int]) -> None:
    """Remove damaged blocks after the open scope, so that nobody waits for it. Raises nothing."""
    log(Event.RECALL_DEGRADED, provider="memory_block", rows=len(blocks), error=DamagedBlock.code)
    INDEX_DAMAGED.labels(kind="block").inc(len(blocks))
    transaction.on_commit(partial(_remove_blocks, tenant_id, subject_id, spaces, blocks), robust=True)


def mark_damaged_words(tenant_id: UUID, subject_id: UUID, snapshot_ids: Sequence[UUID]) -> None:
    """Mark memories with damaged words after the open scope, for the job that reads them again. Raises nothing."""
    if snapshot_ids:
        log(Event.RECALL_DEGRADED, provider="snapshot_words", rows=len(snapshot_ids), error=DamagedIndexRow.code)
        INDEX_DAMAGED.labels(kind="words").inc(len(snapshot_ids))
        transaction.on_commit(partial(_mark_words_unread, tenant_id, subject_id, snapshot_ids), robust=True)


def store_block_count(subject_id: UUID) -> None:
    """Store how many blocks a subject has. The open scope holds the memory locked."""
    held = MemoryBlock.objects.filter(subject_id=subject_id).count()
    SubjectMemory.objects.filter(subject_id=subject_id).update(sealed=held)


def _remove_blocks(tenant_id: UUID, subject_id: UUID, spaces: str, blocks: Sequence[int]) -> None:
    with tenant_tx(tenant_id):
        lock_memory(subject_id)
        MemoryBlock.objects.filter(subject_id=subject_id, spaces=spaces, format=FORMAT, block__in=blocks).delete()
        store_block_count(subject_id)


def _mark_words_unread(tenant_id: UUID, subject_id: UUID, snapshot_ids: Sequence[UUID]) -> None:
    with tenant_tx(tenant_id):
        lock_memory(subject_id)
        SnapshotWords.objects.filter(subject_id=subject_id, snapshot_id__in=snapshot_ids).update(saying=None)

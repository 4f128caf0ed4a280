"""A block that is found damaged is removed by who finds it; the job that seals packs it anew from its rows."""

from collections.abc import Sequence
from functools import partial
from uuid import UUID

from django.db import transaction

from snapshots.embedding.store import lock_memory
from snapshots.models import MemoryBlock, SubjectMemory
from snapshots.recall.blocks import FORMAT
from tenants.isolation import tenant_tx


def remove_damaged(tenant_id: UUID, subject_id: UUID, spaces: str, blocks: Sequence[int]) -> None:
    """Remove damaged blocks of this process's format: now, or when the open scope is over, so that nobody waits for it.

    Raises nothing: the answer does without them.
    """
    transaction.on_commit(partial(_remove, tenant_id, subject_id, spaces, blocks), robust=True)


def count_blocks(subject_id: UUID) -> None:
    """Count a subject's blocks in its memory, which the open scope holds locked."""
    held = MemoryBlock.objects.filter(subject_id=subject_id).count()
    SubjectMemory.objects.filter(subject_id=subject_id).update(sealed=held)


def _remove(tenant_id: UUID, subject_id: UUID, spaces: str, blocks: Sequence[int]) -> None:
    with tenant_tx(tenant_id):
        lock_memory(subject_id)
        MemoryBlock.objects.filter(subject_id=subject_id, spaces=spaces, format=FORMAT, block__in=blocks).delete()
        count_blocks(subject_id)

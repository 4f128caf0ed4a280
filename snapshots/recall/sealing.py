"""Sealing: whole blocks of a large memory are packed into one value each, for the next process that sees it first.

Blocks are copies of rows. Whatever changes a memory removes the block that holds it in its own transaction
(:func:`snapshots.embedding.store.touch_memory`), and the next run packs it anew.
"""

from collections.abc import Callable, Sequence
from uuid import UUID

from django.db.models import F, Q

from memory_platform.kernel.ids import new_id
from snapshots.embedding.spaces import Embedders, active_embedders, measured_embedders, spaces_key
from snapshots.embedding.store import lock_memory
from snapshots.models import BLOCK_POSITIONS, MemoryBlock, SubjectMemory
from snapshots.recall.blocks import FORMAT, pack_block
from snapshots.recall.current import MemoryState, memory_state
from snapshots.recall.loading import unpack_rows
from snapshots.recall.policy import SEALING, SealingPolicy
from snapshots.recall.reading import read_stretches, read_vectors
from tenants.isolation import tenant_tx

MayGoOn = Callable[[], bool]
Advance = Callable[[int], object]
"""Told how many blocks more are sealed, as they are."""

TO_SEAL = Q(next_position__gte=(F("sealed") + 1) * BLOCK_POSITIONS)
"""As the index ``subject_memory_to_seal`` has it."""


def seal_memories(
    tenant_id: UUID,
    *,
    may_go_on: MayGoOn = lambda: True,
    advance: Advance = lambda _: None,
    policy: SealingPolicy = SEALING,
) -> int:
    """Seal what is whole and not sealed among a tenant's memories; return the blocks sealed.

    Opens a transaction per subject and few blocks. Safe to run twice, also at once, and to kill anywhere. Does nothing
    while one of the models has not told its length: its space has no name yet.
    """
    embedders, sealed = measured_embedders(), 0
    if len(embedders) < len(active_embedders()):
        return 0
    for subject_id in outdated(tenant_id, embedders):
        forget_outdated(tenant_id, subject_id, embedders)
    after = UUID(int=0)
    while may_go_on() and (found := next_to_seal(tenant_id, after)):
        count = seal_some(tenant_id, found, embedders, policy)
        sealed += count
        advance(count)
        if not count:  # its blocks are there, or somebody is writing: the next run looks again
            after = found
    return sealed


def next_to_seal(tenant_id: UUID, after: UUID) -> UUID | None:
    """Return the next subject with a block to seal, in the order of ids."""
    with tenant_tx(tenant_id):
        rows = SubjectMemory.objects.filter(TO_SEAL, subject_id__gt=after).order_by("subject_id")
        return rows.values_list("subject_id", flat=True).first()


def seal_some(tenant_id: UUID, subject_id: UUID, embedders: Embedders, policy: SealingPolicy = SEALING) -> int:
    """Seal the first few blocks of a subject that are not; return how many, 0 when it was changed meanwhile."""
    with tenant_tx(tenant_id):
        state = memory_state(subject_id)
        held = set(MemoryBlock.objects.filter(subject_id=subject_id).values_list("block", flat=True))
        missing = [block for block in range(state.next_position // BLOCK_POSITIONS) if block not in held]
        return seal_blocks(subject_id, embedders, state, missing[: policy.batch])


def seal_blocks(subject_id: UUID, embedders: Embedders, state: MemoryState, blocks: Sequence[int]) -> int:
    """Pack and store ``blocks`` as they are in ``state``, in the open scope; 0 when that is over.

    The memory is locked after the packing, so that its writers wait for two statements only.
    """
    if not blocks:
        return 0
    stretches = [(block * BLOCK_POSITIONS, (block + 1) * BLOCK_POSITIONS) for block in blocks]
    found = read_stretches(subject_id, stretches)
    vectors, degraded = read_vectors(subject_id, embedders, [row.id for rows in found for row in rows])
    if degraded:
        return 0
    parts = [unpack_rows(rows, vectors, embedders) for rows in found]
    packed = {block: pack_block(rows) for block, rows in zip(blocks, parts, strict=True)}
    lock_memory(subject_id)
    if memory_state(subject_id).epoch != state.epoch:
        return 0
    key = spaces_key(embedders)
    rows = [
        MemoryBlock(id=new_id(), subject_id=subject_id, block=block, spaces=key, format=FORMAT, packed=value)
        for block, value in packed.items()
    ]
    MemoryBlock.objects.bulk_create(rows, ignore_conflicts=True)
    _count(subject_id)
    return len(rows)


def outdated(tenant_id: UUID, embedders: Embedders) -> list[UUID]:
    """Return the subjects with blocks of other embedding spaces or of another format."""
    with tenant_tx(tenant_id):
        rows = MemoryBlock.objects.exclude(spaces=spaces_key(embedders), format=FORMAT)
        return sorted(set(rows.order_by().values_list("subject_id", flat=True)))


def forget_outdated(tenant_id: UUID, subject_id: UUID, embedders: Embedders) -> None:
    """Remove a subject's blocks that no process of this configuration reads."""
    with tenant_tx(tenant_id):
        lock_memory(subject_id)
        own = MemoryBlock.objects.filter(subject_id=subject_id)
        own.exclude(spaces=spaces_key(embedders), format=FORMAT).delete()
        _count(subject_id)


def _count(subject_id: UUID) -> None:
    held = MemoryBlock.objects.filter(subject_id=subject_id).count()
    SubjectMemory.objects.filter(subject_id=subject_id).update(sealed=held)

"""Seal large memories: pack whole blocks into one value each, which another process loads quickly.

Blocks are copies of rows. A change to a memory removes its block in the same transaction
(:func:`snapshots.embedding.snapshot_store.begin_memory_epoch`), and the next run packs it again.
"""

from collections.abc import Callable, Sequence
from itertools import takewhile
from uuid import UUID

from django.db.models import Count, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from snapshots.embedding.embedding_spaces import Embedders, active_embedders, make_spaces_key, measure_active_embedders
from snapshots.embedding.snapshot_store import lock_memory
from snapshots.job_preview import CarePreview
from snapshots.models import BLOCK_POSITIONS, MemoryBlock, SubjectMemory
from snapshots.recall.config import SEALING, SealingConfig
from snapshots.recall.loading.damaged_index import mark_damaged_words, store_block_count
from snapshots.recall.loading.load_stored_memory import MemoryState, load_memory_state
from snapshots.recall.loading.loaded_indexes import unpack_rows
from snapshots.recall.loading.memory_rows import drop_damaged_words, load_rows_in_ranges, load_vectors
from snapshots.recall.memory_indexes.block_format import FORMAT, pack_block
from tenants.isolation import current_tenant_id, tenant_tx

MayGoOn = Callable[[], bool]
# Called with the number of blocks that were just sealed.
Advance = Callable[[int], object]


def seal_memories(
    tenant_id: UUID,
    *,
    may_go_on: MayGoOn = lambda: True,
    advance: Advance = lambda _: None,
    config: SealingConfig = SEALING,
) -> int:
    """Seal the unsealed whole blocks of a tenant's memories; return how many.

    Opens a transaction per subject and few blocks. Safe to run twice, also at once, and to kill anywhere. Does nothing
    while a model has not told its dimensions, because its space has no name yet.
    """
    embedders, sealed = measure_active_embedders(), 0
    if len(embedders) < len(active_embedders()):
        return 0
    for subject_id in takewhile(lambda _: may_go_on(), list_outdated_subjects(tenant_id, embedders, config)):
        delete_outdated_blocks(tenant_id, subject_id, embedders, config)
    after = UUID(int=0)
    while may_go_on() and (found := find_next_to_seal(tenant_id, embedders, after)):
        count = seal_first_blocks(tenant_id, found, embedders, config)
        sealed += count
        advance(count)
        if not count:  # its blocks are there, or somebody is writing: the next run looks again
            after = found
    return sealed


def find_next_to_seal(tenant_id: UUID, embedders: Embedders, after: UUID) -> UUID | None:
    with tenant_tx(tenant_id):
        due = _find_subjects_to_seal(embedders).filter(subject_id__gt=after).first()
    return due[0] if due else None


def preview_sealing(tenant_id: UUID, config: SealingConfig = SEALING) -> CarePreview:
    """Return how many blocks :func:`seal_memories` would seal, and how many memories have outdated blocks.

    Opens scopes of its own. Blocks with damaged rows are counted, though they wait to be mended.
    """
    embedders = measure_active_embedders()
    if len(embedders) < len(active_embedders()):
        return CarePreview({"blocks": 0, "outdated": 0})
    with tenant_tx(tenant_id):
        rows = list(_find_subjects_to_seal(embedders))
    missing = {subject: position // BLOCK_POSITIONS - held for subject, position, held in rows}
    told = [f"{subject}: {blocks}" for subject, blocks in missing.items()]
    return CarePreview(
        {"blocks": sum(missing.values()), "outdated": len(list_outdated_subjects(tenant_id, embedders, config))}, told
    )


def _find_subjects_to_seal(embedders: Embedders) -> QuerySet[SubjectMemory, tuple[UUID, int, int]]:
    """Return subject, next position and sealed blocks of each memory with a whole block to seal, by subject."""
    blocks = find_own_blocks(embedders).filter(subject_id=OuterRef("subject_id")).order_by().values("subject_id")
    rows = SubjectMemory.objects.filter(next_position__gte=BLOCK_POSITIONS)
    counted = rows.annotate(held=Coalesce(Subquery(blocks.values(held=Count("*"))), 0))
    due = counted.filter(next_position__gte=(F("held") + 1) * BLOCK_POSITIONS).order_by("subject_id")
    return due.values_list("subject_id", "next_position", "held")


def find_own_blocks(embedders: Embedders) -> QuerySet[MemoryBlock]:
    return MemoryBlock.objects.filter(spaces=make_spaces_key(embedders), format=FORMAT)


def seal_first_blocks(tenant_id: UUID, subject_id: UUID, embedders: Embedders, config: SealingConfig = SEALING) -> int:
    """Seal the first few unsealed blocks of a subject; return how many, 0 when it was changed meanwhile."""
    with tenant_tx(tenant_id):
        state = load_memory_state(subject_id)
        held = set(find_own_blocks(embedders).filter(subject_id=subject_id).values_list("block", flat=True))
        missing = [block for block in range(state.next_position // BLOCK_POSITIONS) if block not in held]
        return seal_blocks(subject_id, embedders, state, missing, config)


def seal_blocks(
    subject_id: UUID,
    embedders: Embedders,
    state: MemoryState,
    blocks: Sequence[int],
    config: SealingConfig = SEALING,
) -> int:
    """Pack and store the first few of ``blocks``, in the open scope; 0 when the memory left ``state``. The memory is
    locked after the packing, so that its writers wait for two statements only."""
    packed = pack_first_blocks(subject_id, embedders, blocks, config)
    if not packed:
        return 0
    lock_memory(subject_id)
    if load_memory_state(subject_id).epoch != state.epoch:
        return 0
    key = make_spaces_key(embedders)
    rows = [
        MemoryBlock(id=new_id(), subject_id=subject_id, block=block, spaces=key, format=FORMAT, packed=value)
        for block, value in packed.items()
    ]
    MemoryBlock.objects.bulk_create(rows, ignore_conflicts=True)
    store_block_count(subject_id)
    return len(rows)


def pack_first_blocks(
    subject_id: UUID, embedders: Embedders, blocks: Sequence[int], config: SealingConfig
) -> dict[int, bytes]:
    """Return the first few of ``blocks``, packed; none while pgvector is away. Blocks with damaged rows wait."""
    packed: dict[int, bytes] = {}
    for block in blocks:
        (found,) = load_rows_in_ranges(subject_id, [(block * BLOCK_POSITIONS, (block + 1) * BLOCK_POSITIONS)])
        rows, unread = drop_damaged_words(found)
        if unread:
            mark_damaged_words(current_tenant_id(), subject_id, unread)
            continue
        vectors, degraded = load_vectors(subject_id, embedders, [row.id for row in rows])
        if degraded:
            return {}
        packed[block] = pack_block(unpack_rows(rows, vectors, embedders))
        if len(packed) == config.batch or sum(map(len, packed.values())) >= config.batch_bytes:
            break
    return packed


def list_outdated_subjects(tenant_id: UUID, embedders: Embedders, config: SealingConfig = SEALING) -> list[UUID]:
    """Return the subjects with old blocks of other embedding spaces or formats."""
    with tenant_tx(tenant_id):
        rows = find_outdated_blocks(embedders, config).order_by()
        return sorted(set(rows.values_list("subject_id", flat=True)))


def delete_outdated_blocks(
    tenant_id: UUID, subject_id: UUID, embedders: Embedders, config: SealingConfig = SEALING
) -> None:
    """Remove a subject's outdated blocks; a process that still needs them seals them again."""
    with tenant_tx(tenant_id):
        lock_memory(subject_id)
        find_outdated_blocks(embedders, config).filter(subject_id=subject_id).delete()
        store_block_count(subject_id)


def find_outdated_blocks(embedders: Embedders, config: SealingConfig) -> QuerySet[MemoryBlock]:
    """Return the blocks of other configurations that were sealed long ago. In the open scope."""
    long_ago = utc_now() - config.others_kept
    return MemoryBlock.objects.exclude(spaces=make_spaces_key(embedders), format=FORMAT).filter(sealed_at__lt=long_ago)

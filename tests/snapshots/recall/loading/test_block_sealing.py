"""Large memories are read in blocks, and no block ever says what its memories no longer say. Rows: R2, S5, E6."""

import random
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext

from memory_platform.kernel.clock import utc_now
from profiles.models import Subject
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.embedding.snapshot_history import supersede_snapshots
from snapshots.embedding.snapshot_store import claim_positions
from snapshots.embedding.upkeep.vector_backfill import backfill_vectors
from snapshots.erasure.conversations import delete_conversation
from snapshots.jobs import seal_memories_job
from snapshots.lifecycle.product_snapshots import retire_snapshot
from snapshots.lifecycle.retention.purge import purge_tenant
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import (
    BLOCK_POSITIONS,
    Conversation,
    MemoryBlock,
    Snapshot,
    SnapshotVector,
    SnapshotWords,
    SubjectMemory,
)
from snapshots.recall.config import SEALING
from snapshots.recall.loading.block_sealing import seal_blocks, seal_first_blocks, seal_memories
from snapshots.recall.loading.load_stored_memory import load_memory_state, make_reader_in_scope
from snapshots.recall.loading.loaded_indexes import INDEXES, load_indexes
from snapshots.recall.memory_indexes.block_format import FORMAT, unpack_block
from snapshots.recall.memory_indexes.memory_index import MemoryIndex
from snapshots.recall.pipeline import recall
from snapshots.recall.values import RecallQuery
from snapshots.sensitive.detector import mask_sensitive
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.held import broken_pgvector, remember, say
from tests.snapshots.lifecycle.world import anything, create, edit
from tests.snapshots.recall.memory_indexes.test_memory_index import same

WORDS = ["aisle", "seat", "window", "music", "cello", "peanuts", "家", "座位", "音乐", "花生", "过敏", "yesterday"]
PLACE = BLOCK_POSITIONS + 2
"""A position in the second block."""
Change = Callable[[House], object]


@pytest.fixture
def acme(world: World) -> House:
    """Two whole blocks of Ada's memory are sealed, with five memories each at their beginning; three more follow."""
    in_blocks(world.acme)
    assert seal_memories(world.acme.tenant.id) == 2
    return world.acme


def in_blocks(house: House) -> None:
    chance = random.Random(5)  # noqa: S311 - a repeatable memory
    for end in (BLOCK_POSITIONS, 2 * BLOCK_POSITIONS):
        remember(house, *(" ".join(chance.choices(WORDS, k=4)) for _ in range(5)))
        leave_out(house, end)
    remember(house, "aisle", "seat", "家")


def leave_out(house: House, end: int) -> None:
    """Let the next memory stand at position ``end``, as if those before it had been deleted."""
    with tenant_tx(house.tenant.id):
        claim_positions(house.subject.id, end - max(load_memory_state(house.subject.id).next_position, 1))


def list_blocks(house: House) -> list[int]:
    """Return the blocks there are; their number is what the memory counts."""
    with tenant_tx(house.tenant.id):
        blocks = MemoryBlock.objects.filter(subject=house.subject).order_by("block")
        assert SubjectMemory.objects.get(subject=house.subject).sealed == len(blocks)
        return [row.block for row in blocks]


def index(house: House) -> MemoryIndex:
    """Return the index that a new process makes."""
    with tenant_tx(house.tenant.id):
        loaded = load_indexes(make_reader_in_scope(house.subject.id), active_embedders())
    assert loaded is not None
    return loaded.index


def assert_blocks_say_what_the_rows_say(house: House) -> None:
    """Read a new index with the blocks that there are and without."""
    read = index(house)
    with tenant_tx(house.tenant.id):
        MemoryBlock.objects.all().delete()
        SubjectMemory.objects.update(sealed=0)
    assert same(read, index(house))


def at(house: House, position: int) -> Snapshot:
    with tenant_tx(house.tenant.id):
        return Snapshot.objects.get(subject=house.subject, position=position)


def address(house: House, position: int) -> SnapshotAddress:
    return SnapshotAddress(house.subject.external_id, at(house, position).id)


@pytest.mark.slow
def test_a_large_memory_is_read_in_blocks(world: World) -> None:
    size = 2 * BLOCK_POSITIONS + 30
    remember(world.acme, *(f"memory 记忆 {n}" for n in range(size)))
    assert seal_memories(world.acme.tenant.id) == 2
    with CaptureQueriesContext(connection) as asked:
        assert len(index(world.acme).ids) == size
    assert len([query for query in asked.captured_queries if "FROM memory_block" in query["sql"]]) == 1
    assert_blocks_say_what_the_rows_say(world.acme)


def test_a_small_memory_has_no_blocks(world: World) -> None:
    remember(world.acme, "aisle")
    leave_out(world.acme, BLOCK_POSITIONS - 1)
    assert seal_memories(world.acme.tenant.id) == 0
    assert len(index(world.acme).ids) == 1


def an_edit(house: House) -> None:
    edit(house, address(house, PLACE), text="another text 别的")


def a_retirement(house: House) -> None:
    with tenant_tx(house.tenant.id):
        retire_snapshot(address_in_scope(house, PLACE), accept=anything)


def address_in_scope(house: House, position: int) -> SnapshotAddress:
    held = Snapshot.objects.get(subject=house.subject, position=position)
    return SnapshotAddress(house.subject.external_id, held.id)


def a_purge(house: House) -> None:
    with tenant_tx(house.tenant.id):
        row = Snapshot.objects.filter(subject=house.subject, position=PLACE)
        row.update(expires_at=utc_now() - timedelta(seconds=1))
    assert purge_tenant(house.tenant.id) == 1


def a_supersession(house: House) -> None:
    (newer,) = remember(house, "newer")
    with tenant_tx(house.tenant.id):
        old = Snapshot.objects.filter(subject=house.subject, position=PLACE)
        supersede_snapshots(house.subject.id, old, by=newer, invalid_at=utc_now())


def missing_vectors(house: House) -> None:
    one = at(house, PLACE)
    with tenant_tx(house.tenant.id):
        SnapshotVector.objects.filter(snapshot=one).delete()
    assert backfill_vectors(house.tenant.id, 10, mask=mask_sensitive) == 1


def the_same_again(house: House) -> None:
    held = at(house, PLACE)
    with tenant_tx(house.tenant.id):
        Snapshot.objects.filter(pk=held.pk).update(kind="manual")
    create(house, held.text)


@pytest.mark.parametrize(
    "change",
    [an_edit, a_retirement, a_purge, a_supersession, missing_vectors, the_same_again],
    ids=lambda one: one.__name__,
)
def test_a_change_breaks_the_seal_of_its_own_block_alone(acme: House, change: Change) -> None:
    change(acme)
    assert list_blocks(acme) == [0]
    assert seal_memories(acme.tenant.id) == 1
    assert list_blocks(acme) == [0, 1]
    assert_blocks_say_what_the_rows_say(acme)


def test_what_a_deleted_conversation_leaves_behind_is_not_sealed_either(world: World) -> None:
    house = world.acme
    told = say(house, "I flew to Lisbon", conversation="c1")
    remember(house, "flew to Lisbon", messages=told, conversation_id=told[0].conversation_id, seq=1)
    in_blocks(house)
    seal_memories(house.tenant.id)
    with tenant_tx(house.tenant.id):
        delete_conversation(Conversation.objects.get(subject=house.subject, external_id="c1"))
    assert list_blocks(house) == [1]
    assert_blocks_say_what_the_rows_say(house)


def test_an_addition_breaks_no_seal(acme: House) -> None:
    remember(acme, "one more")
    assert list_blocks(acme) == [0, 1]
    assert_blocks_say_what_the_rows_say(acme)


def test_blocks_of_other_models_are_not_read_and_are_replaced(acme: House) -> None:
    with override_settings(EMBEDDER="hashing:32"):
        assert index(acme).spaces == ()
        backfill_vectors(acme.tenant.id, 100, mask=mask_sensitive)
        assert seal_memories(acme.tenant.id) == 2
        assert [space.dated.shape for space in index(acme).spaces] == [(13, 32)]
        assert_blocks_say_what_the_rows_say(acme)


def test_a_changed_list_of_models_replaces_the_blocks(acme: House) -> None:
    with override_settings(EMBEDDER=""):
        assert seal_memories(acme.tenant.id) == 2
        assert index(acme).spaces == ()
    assert len(index(acme).spaces) == 1


def test_processes_of_two_configurations_leave_each_others_blocks_alone(acme: House) -> None:
    with override_settings(EMBEDDER=""):
        assert seal_memories(acme.tenant.id) == 2
    assert list_blocks(acme) == [0, 0, 1, 1]
    assert seal_memories(acme.tenant.id) == 0
    an_edit(acme)
    assert list_blocks(acme) == [0, 0]
    with override_settings(EMBEDDER=""):
        assert seal_memories(acme.tenant.id) == 1
    assert seal_memories(acme.tenant.id) == 1
    assert list_blocks(acme) == [0, 0, 1, 1]


def test_blocks_that_no_process_has_sealed_for_long_are_removed(acme: House) -> None:
    with override_settings(EMBEDDER=""):
        seal_memories(acme.tenant.id)
    with tenant_tx(acme.tenant.id):
        MemoryBlock.objects.update(sealed_at=utc_now() - SEALING.others_kept - timedelta(seconds=1))
        MemoryBlock.objects.filter(block=1).update(format=FORMAT - 1)
    assert seal_memories(acme.tenant.id, may_go_on=lambda: False) == 0
    assert list_blocks(acme) == [0, 0, 1, 1], "a run that is out of time removes nothing either"
    assert seal_memories(acme.tenant.id) == 1
    assert list_blocks(acme) == [0, 1]
    assert_blocks_say_what_the_rows_say(acme)


def test_a_damaged_block_is_left_to_its_rows(acme: House) -> None:
    whole = index(acme)
    with tenant_tx(acme.tenant.id):
        MemoryBlock.objects.filter(block=0).update(packed=b"\0" * 64)
    assert same(index(acme), whole)


@pytest.mark.parametrize("damage", ["all of it", "one bit of a vector"])
def test_a_damaged_block_is_sealed_again(acme: House, damage: str) -> None:
    with tenant_tx(acme.tenant.id):
        block = MemoryBlock.objects.get(block=0)
        packed = bytearray(block.packed)
        packed[-9] ^= 4
        block.packed = bytes(packed) if damage == "one bit of a vector" else b"damaged"
        block.save()
    index(acme)
    assert list_blocks(acme) == [1]
    assert seal_memories(acme.tenant.id) == 1
    with tenant_tx(acme.tenant.id):
        unpack_block(bytes(MemoryBlock.objects.get(block=0).packed))
    assert_blocks_say_what_the_rows_say(acme)


def test_a_block_that_is_found_damaged_by_a_question_is_removed(acme: House) -> None:
    with tenant_tx(acme.tenant.id):
        MemoryBlock.objects.filter(block=0).update(packed=b"damaged")
    INDEXES.clear()
    answer = recall(acme.tenant.id, acme.subject.external_id, RecallQuery("aisle", asked_at=utc_now()))
    assert answer.memories
    assert list_blocks(acme) == [1]


def test_a_memory_that_cannot_be_packed_stops_no_other(world: World) -> None:
    in_blocks(world.acme)
    with tenant_tx(world.acme.tenant.id):
        other = Subject.objects.create(external_id="zoe")
        SnapshotWords.objects.filter(subject_id=world.acme.subject.id, position=1).update(words=b"123")
    zoe = replace(world.acme, subject=other)
    assert other.id > world.acme.subject.id
    in_blocks(zoe)
    assert seal_memories(world.acme.tenant.id) == 3
    assert (list_blocks(world.acme), list_blocks(zoe)) == ([1], [0, 1])


def test_no_transaction_packs_more_than_its_bytes(world: World) -> None:
    in_blocks(world.acme)
    subject, counts = world.acme.subject.id, list[int]()
    small = replace(SEALING, batch_bytes=1)
    assert seal_first_blocks(world.acme.tenant.id, subject, active_embedders(), small) == 1
    assert seal_memories(world.acme.tenant.id, advance=counts.append, config=small) == 1
    assert counts == [1]
    assert list_blocks(world.acme) == [0, 1]


def test_blocks_answer_while_pgvector_is_away_and_none_is_made_without_vectors(acme: House) -> None:
    with broken_pgvector():
        assert index(acme).spaces[0].dated.shape[0] == 10
        edit(acme, address(acme, 3), confidence=0.3)
        assert seal_memories(acme.tenant.id) == 0
    assert seal_memories(acme.tenant.id) == 1


def test_what_was_read_before_a_change_is_not_sealed_after_it(acme: House) -> None:
    edit(acme, address(acme, 3), text="between")
    with tenant_tx(acme.tenant.id):
        before = load_memory_state(acme.subject.id)
    edit(acme, address(acme, 4), text="meanwhile")
    with tenant_tx(acme.tenant.id):
        assert seal_blocks(acme.subject.id, active_embedders(), before, [0]) == 0
    assert list_blocks(acme) == [1]


@pytest.mark.slow
def test_writers_and_sealers_at_once_leave_no_stale_block(acme: House) -> None:
    over, faults = threading.Event(), list[BaseException]()

    def seal() -> None:
        try:
            while not over.is_set():
                seal_memories(acme.tenant.id)
        except BaseException as fault:  # noqa: BLE001 - told below
            faults.append(fault)
        finally:
            connection.close()

    sealers = [threading.Thread(target=seal) for _ in range(2)]
    for one in sealers:
        one.start()
    chance = random.Random(9)  # noqa: S311 - a repeatable order
    for number in range(25):
        edit(acme, address(acme, chance.choice([1, 2, PLACE])), text=f"edited {number} 改")
    over.set()
    for one in sealers:
        one.join()
    assert faults == []
    seal_memories(acme.tenant.id)
    assert list_blocks(acme) == [0, 1]
    assert_blocks_say_what_the_rows_say(acme)


def test_the_job_seals_each_tenant(acme: House, world: World) -> None:
    leave_out(world.globex, BLOCK_POSITIONS)
    seal_memories_job()
    assert list_blocks(world.globex) == [0]


def test_a_run_out_of_time_goes_on_with_the_next(world: World) -> None:
    in_blocks(world.acme)
    chances = iter([True, False])
    assert seal_memories(world.acme.tenant.id, may_go_on=lambda: next(chances)) == 2
    assert seal_memories(world.acme.tenant.id, may_go_on=lambda: False) == 0


def test_ids_of_another_tenants_subject_seal_nothing(acme: House, world: World) -> None:
    assert seal_memories(world.globex.tenant.id) == 0
    with tenant_tx(world.globex.tenant.id):
        assert load_memory_state(acme.subject.id).version == load_memory_state(UUID(int=7)).version == 0
        assert not MemoryBlock.objects.exists()

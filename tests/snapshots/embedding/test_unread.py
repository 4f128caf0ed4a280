"""Memories from before sayings had numbers get theirs without losing a question meanwhile. Rows: R2, S5."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from django.db import connection

from memory_platform.kernel.ids import new_id
from memory_platform.providers.redis_client import redis_client
from snapshots.embedding import unread
from snapshots.embedding.drafts import prepare_snapshots
from snapshots.embedding.policy import SayingPolicy
from snapshots.embedding.sayings import saying_of
from snapshots.embedding.store import claim_positions, store_snapshots
from snapshots.embedding.unread import number_sayings
from snapshots.jobs import backfill_vectors_job
from snapshots.lifecycle.values import SnapshotAddress
from snapshots.models import BLOCK_POSITIONS, MemoryBlock, SnapshotWords
from snapshots.recall.current import memory_state
from snapshots.recall.sealing import seal_memories
from snapshots.recall.search import IMAGES
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.embedding.world import draft, store, version
from tests.snapshots.lifecycle.world import edit, found

SMALL = SayingPolicy(batch=2)
TEXTS = ("I love jazz", "Well, I love jazz!", "我喜欢听爵士乐", "我喜歡聽爵士樂。", "I ran to the jazz club yesterday")


@pytest.fixture(autouse=True)
def nothing_cached() -> Iterator[None]:
    redis_client().call("tests", lambda client: client.flushdb())
    IMAGES.clear()
    yield
    IMAGES.clear()


def from_before(house: House, *texts: str) -> None:
    """Store memories as they were stored before there were sayings."""
    store(house, *texts)
    with tenant_tx(house.tenant.id):
        SnapshotWords.objects.update(saying=None)


def numbers(house: House) -> dict[str, int | None]:
    with tenant_tx(house.tenant.id):
        return dict(SnapshotWords.objects.values_list("snapshot__text", "saying"))


def test_old_memories_repeat_nothing_until_they_are_read(world: World) -> None:
    from_before(world.acme, *TEXTS)
    assert len(found(world.acme, "jazz")) == 5
    before = version(world.acme)
    assert number_sayings(world.acme.tenant.id, SMALL) == len(TEXTS)
    assert numbers(world.acme) == {text: saying_of(text, None) for text in TEXTS}
    assert version(world.acme) > before  # images are built anew
    assert len(found(world.acme, "jazz")) == 3


def test_what_has_been_read_is_not_read_again(world: World) -> None:
    from_before(world.acme, *TEXTS)
    assert number_sayings(world.acme.tenant.id) == len(TEXTS)
    before = version(world.acme)
    assert number_sayings(world.acme.tenant.id) == 0
    assert version(world.acme) == before


def test_a_run_ends_and_the_next_goes_on(world: World) -> None:
    from_before(world.acme, *TEXTS)
    policy = SayingPolicy(batch=2, a_run=2)
    assert [number_sayings(world.acme.tenant.id, policy) for _ in range(4)] == [2, 2, 1, 0]


def test_another_tenants_memories_stay_as_they_are(world: World) -> None:
    from_before(world.globex, *TEXTS)
    assert number_sayings(world.acme.tenant.id) == 0
    assert set(numbers(world.globex).values()) == {None}


def test_the_sealed_blocks_of_what_was_read_are_removed(world: World) -> None:
    from_before(world.acme, *TEXTS)
    with tenant_tx(world.acme.tenant.id):
        next_position = memory_state(world.acme.subject.id).next_position
        claim_positions(world.acme.subject.id, BLOCK_POSITIONS - next_position % BLOCK_POSITIONS)
    assert seal_memories(world.acme.tenant.id) == 1
    number_sayings(world.acme.tenant.id)
    with tenant_tx(world.acme.tenant.id):
        assert not MemoryBlock.objects.exists()
    assert seal_memories(world.acme.tenant.id) == 1
    assert len(found(world.acme, "jazz")) == 3


def test_a_memory_that_was_edited_meanwhile_keeps_the_number_of_its_new_text(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    (memory_id,) = store(world.acme, "I love jazz")
    with tenant_tx(world.acme.tenant.id):
        SnapshotWords.objects.update(saying=None)
    number = unread._number
    address = SnapshotAddress(world.acme.subject.external_id, memory_id)

    def after_an_edit(*read: object) -> None:
        edit(world.acme, address, text="I love tango music")
        number(*read)  # type: ignore[arg-type]

    monkeypatch.setattr(unread, "_number", after_an_edit)
    number_sayings(world.acme.tenant.id)
    assert numbers(world.acme) == {"I love tango music": saying_of("I love tango music", None)}


def test_two_runs_at_once_come_to_the_same(world: World) -> None:
    from_before(world.acme, *(f"I love jazz number {number}" for number in range(12)))

    def run(_: int) -> None:
        try:
            number_sayings(world.acme.tenant.id, SMALL)
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as threads:
        list(threads.map(run, range(3)))
    assert all(saying == saying_of(text, None) for text, saying in numbers(world.acme).items())


def test_the_scheduled_back_fill_reads_them(world: World) -> None:
    from_before(world.acme, *TEXTS)
    backfill_vectors_job()
    assert None not in numbers(world.acme).values()


def test_who_said_it_counts_for_old_memories_too(world: World) -> None:
    said = draft(world.acme.subject.id, "I love jazz")
    drafts = [replace(said, id=new_id(), name=name) for name in ("Ada", "Lin", "Lin")]
    ready = prepare_snapshots(drafts, ())
    with tenant_tx(world.acme.tenant.id):
        store_snapshots(ready)
        SnapshotWords.objects.update(saying=None)
    number_sayings(world.acme.tenant.id)
    assert len(found(world.acme, "jazz")) == 2

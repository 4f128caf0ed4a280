"""Questions about earlier moments take turns, and none takes more memory than a process has. Rows: P4, R1, E6."""

import threading
import time
from dataclasses import replace
from datetime import datetime
from uuid import UUID

import pytest

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import Unavailable
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.recall.config import EARLIER
from snapshots.recall.loading.past_index_limits import BuildSlots, MemoryTooLarge, check_build_size
from snapshots.recall.pipeline import recall
from snapshots.recall.values import RecallQuery
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.held import remember
from tests.snapshots.lifecycle.world import create_one, edit

THEN = RecallQuery("tea", asked_at=utc_now(), known_at=utc_now())
SOON = replace(EARLIER, wait_s=0.05)


def test_one_builds_at_a_time_and_who_waits_too_long_is_told_to_come_back() -> None:
    turns = BuildSlots(SOON)
    with turns.hold_slot(THEN):
        with pytest.raises(Unavailable), turns.hold_slot(THEN):
            pass
        with turns.hold_slot(replace(THEN, known_at=None)), turns.hold_slot(replace(THEN, lanes=frozenset({"tags"}))):
            pass
    with turns.hold_slot(THEN):
        pass


def test_a_seat_is_free_again_after_a_fault() -> None:
    turns = BuildSlots(SOON)
    with pytest.raises(ZeroDivisionError), turns.hold_slot(THEN):
        raise ZeroDivisionError
    with turns.hold_slot(THEN):
        pass


def test_who_waits_comes_next() -> None:
    turns, done = BuildSlots(replace(EARLIER, wait_s=5, waiting=3)), list[int]()

    def build(number: int) -> None:
        with turns.hold_slot(THEN):
            done.append(number)

    with turns.hold_slot(THEN):
        waiting = [threading.Thread(target=build, args=(number,)) for number in range(3)]
        for one in waiting:
            one.start()
        assert done == []
    for one in waiting:
        one.join()
    assert sorted(done) == [0, 1, 2]


def test_who_finds_enough_waiting_is_told_at_once() -> None:
    turns, refused = BuildSlots(replace(EARLIER, wait_s=600)), threading.Event()  # longer than a test may take

    def wait() -> None:
        with turns.hold_slot(THEN):
            refused.wait()

    with turns.hold_slot(THEN):
        waiting = threading.Thread(target=wait)
        waiting.start()
        deadline = time.monotonic() + 10
        while turns._places._value and time.monotonic() < deadline:  # until its place is taken
            time.sleep(0.001)
        with pytest.raises(Unavailable), turns.hold_slot(THEN):
            pass
    refused.set()
    waiting.join()


def test_recall_takes_a_seat(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(world.acme, "I like tea")
    turns = BuildSlots(SOON)
    monkeypatch.setattr("snapshots.recall.pipeline.TURNS", turns)
    query = replace(THEN, known_at=utc_now())
    with turns.hold_slot(THEN), pytest.raises(Unavailable):
        recall(world.acme.tenant.id, "ada", query)
    assert [memory.text for memory in recall(world.acme.tenant.id, "ada", query).memories] == ["I like tea"]


def fits(house: House, subject_id: UUID, known_at: datetime, build_bytes: int) -> bool:
    with tenant_tx(house.tenant.id):
        try:
            check_build_size(subject_id, active_embedders(), known_at, replace(EARLIER, build_bytes=build_bytes))
        except MemoryTooLarge as refused:
            assert refused.faults[0].field == "known_at"
            return False
    return True


def test_a_memory_that_is_too_large_to_look_back_on_is_refused(world: World) -> None:
    before = utc_now()
    remember(world.acme, *(f"tea number {number} 茶" for number in range(10)))
    subject = world.acme.subject.id
    assert fits(world.acme, subject, before, 100_000)
    assert not fits(world.acme, subject, before, 20_000)
    assert fits(world.globex, subject, before, 20_000), "another tenant's subject is none"
    remember(world.acme, " ".join(f"word{number}" for number in range(5_000)))
    assert not fits(world.acme, subject, before, 100_000)


def test_what_was_changed_since_counts(world: World) -> None:
    before = utc_now()
    address = create_one(world.acme, "Tea")
    edit(world.acme, address, metadata={"k": [str(number) for number in range(5_000)]})
    edit(world.acme, address, metadata={})
    assert not fits(world.acme, world.acme.subject.id, before, 50_000)
    assert fits(world.acme, world.acme.subject.id, utc_now(), 50_000)

"""Somebody writes between the round trips of a recall: no answer mixes two moments. Rows: R1, R2, R6, S5, E6, T1."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import count

import pytest
from django.db import connections

from memory_platform.kernel.clock import utc_now
from memory_platform.postgres.prepared_statements import Rows, Statement
from profiles.models import Subject
from snapshots.embedding.embedding_spaces import active_embedders, make_spaces_key
from snapshots.embedding.snapshot_store import claim_positions
from snapshots.lifecycle.product_snapshots import retire_snapshot
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import BLOCK_POSITIONS, MemoryBlock, Snapshot, SubjectMemory
from snapshots.recall.answer import RecallAnswer
from snapshots.recall.config import DEFAULT_RECALL
from snapshots.recall.loading.block_sealing import seal_memories
from snapshots.recall.loading.load_stored_memory import load_memory_state, make_reader_by_product_id
from snapshots.recall.loading.loaded_indexes import INDEXES, SUBJECTS, IndexKey
from snapshots.recall.pipeline import recall_in_scope, search_memory
from snapshots.recall.question import prepare_question
from snapshots.recall.values import DegradedReason, RecallQuery
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.held import broken_pgvector, know, remember
from tests.snapshots.lifecycle.world import anything, edit

Change = Callable[[House], object]
BOTH = {"aisle seats", "靠过道的座位 seats"}


@dataclass
class Asking:
    """A recall about a house's subject, before some of whose round trips (numbered from 0) something happens."""

    house: House
    changes: Mapping[int, Change] = field(default_factory=dict)
    trips: int = 0

    def ask(self) -> RecallAnswer:
        """Return what is answered about seats."""
        whose = make_reader_by_product_id(self.house.tenant.id, self.house.subject.external_id)
        query = RecallQuery(text="seats", asked_at=utc_now(), top_k=100)

        def run(statements: Sequence[Statement]) -> list[Rows]:
            self.changes.get(self.trips, nothing)(self.house)
            self.trips += 1
            return whose.run(statements)

        return search_memory(replace(whose, run=run), query, prepare_question(query.text))


def nothing(house: House) -> None:
    """Nobody writes."""


def adds(house: House) -> None:
    remember(house, "window seats")


def edits(house: House) -> None:
    edit(house, first(house), text="seats in the middle")


def retires(house: House) -> None:
    address = first(house)
    with tenant_tx(house.tenant.id):
        retire_snapshot(address, accept=anything)


def erases(house: House) -> None:
    with connections["owner"].cursor() as owner:
        owner.execute("SELECT set_config('app.tenant_id', %s, false)", [str(house.tenant.id)])
        owner.execute("DELETE FROM subject WHERE id = %s", [house.subject.id])
        owner.execute("SELECT set_config('app.tenant_id', '', false)")


def begins_anew(house: House) -> None:
    """Erase the subject; another gets its id, and as many memories, so that its state is the same in all numbers."""
    erases(house)
    with tenant_tx(house.tenant.id):
        other = Subject.objects.create(external_id=house.subject.external_id)
    stranger = replace(house, subject=other)
    remember(stranger, "seats of a stranger", "陌生人的 seats")
    know(stranger, name="Stranger")


AFTERWARDS: dict[Change, set[str]] = {
    nothing: BOTH,
    adds: BOTH | {"window seats"},
    edits: {"seats in the middle", "靠过道的座位 seats"},
    retires: {"靠过道的座位 seats"},
    erases: set(),
    begins_anew: {"seats of a stranger", "陌生人的 seats"},
}


@pytest.fixture
def acme(world: World) -> Iterator[House]:
    """A subject who likes two seats, and a process that knows nothing yet."""
    a_new_process()
    remember(world.acme, "aisle seats", "靠过道的座位 seats")
    yield world.acme
    a_new_process()


def a_new_process() -> None:
    INDEXES.clear()
    SUBJECTS.clear()


def first(house: House) -> SnapshotAddress:
    with tenant_tx(house.tenant.id):
        held = Snapshot.objects.filter(subject=house.subject).order_by("position")[0]
    return SnapshotAddress(house.subject.external_id, held.id)


def texts(found: RecallAnswer) -> set[str]:
    return {memory.text for memory in found.memories}


@pytest.mark.parametrize("held", [0, 1, 2], ids=["cold", "held", "held and read anew"])
@pytest.mark.parametrize("change", AFTERWARDS, ids=lambda change: change.__name__)
def test_what_was_written_before_the_last_round_trip_is_in_the_answer(acme: House, change: Change, held: int) -> None:
    if held:
        assert texts(Asking(acme).ask()) == BOTH
    if held == 2:  # the first round trip finds another state and reads it
        adds(acme)
        retires_last(acme)
    asking = Asking(acme, {1: change})  # after the index was read, before the answer
    found = asking.ask()
    assert texts(found) == AFTERWARDS[change]
    assert found.lanes.beliefs.profile == ({"name": "Stranger"} if change is begins_anew else {})
    again = Asking(acme)
    assert texts(again.ask()) == AFTERWARDS[change]
    assert again.trips == (1 if change is erases else 2), "what is kept is of one moment"


def retires_last(house: House) -> None:
    with tenant_tx(house.tenant.id):
        last = Snapshot.objects.filter(subject=house.subject).order_by("-position")[0]
        retire_snapshot(SnapshotAddress(house.subject.external_id, last.id), accept=anything)


def test_who_writes_all_the_time_is_answered_all_the_same(acme: House) -> None:
    trips = 2 * (1 + DEFAULT_RECALL.asked_again)
    number = count()
    asking = Asking(acme, dict.fromkeys(range(99), lambda house: remember(house, f"seats {next(number)}")))
    found = texts(asking.ask())
    assert asking.trips == trips
    assert found == BOTH | {f"seats {trip}" for trip in range(trips - 1)}, "all but the last, which came too late"


def test_what_is_gone_is_not_answered_however_much_is_written(acme: House) -> None:
    def forgets(house: House) -> None:
        adds(house)
        with tenant_tx(house.tenant.id):
            Snapshot.objects.filter(subject=house.subject, text="aisle seats").delete()

    asking = Asking(acme, {**dict.fromkeys(range(20), adds), 2 * DEFAULT_RECALL.asked_again + 1: forgets})
    assert "aisle seats" not in texts(asking.ask())


def seals(house: House) -> None:
    seal_memories(house.tenant.id)


def loses_its_blocks(house: House) -> None:
    with tenant_tx(house.tenant.id):
        MemoryBlock.objects.filter(subject=house.subject).delete()
        SubjectMemory.objects.filter(subject=house.subject).update(sealed=0)


def test_a_block_that_is_sealed_or_removed_in_between_costs_no_memory(acme: House) -> None:
    with tenant_tx(acme.tenant.id):
        claim_positions(acme.subject.id, BLOCK_POSITIONS - load_memory_state(acme.subject.id).next_position)
    adds(acme)

    for change in (seals, loses_its_blocks):
        for trip in (0, 1):
            a_new_process()
            asking = Asking(acme, {trip: change})
            assert texts(asking.ask()) == AFTERWARDS[adds]
            assert asking.trips == 2, "a block is a copy: the memory has not changed"


def test_without_pgvector_nothing_is_kept_and_later_all_is_there(acme: House) -> None:
    with ExitStack() as outage:
        outage.enter_context(broken_pgvector())
        found = Asking(acme).ask()
        assert texts(found) == BOTH
        assert found.degraded == {DegradedReason.PGVECTOR_UNAVAILABLE}

        def heals_and_adds(house: House) -> None:
            outage.close()
            adds(house)

        healed = Asking(acme, {2: heals_and_adds}).ask()
    assert texts(healed) == AFTERWARDS[adds]
    assert healed.degraded == frozenset()
    held = INDEXES.get(IndexKey(acme.tenant.id, acme.subject.id, make_spaces_key(active_embedders())))
    assert held is not None
    assert [len(space.rows) for space in held.index.spaces] == [3]


def test_an_open_scope_answers_with_what_it_wrote_and_goes_on_without_pgvector(acme: House) -> None:
    query = RecallQuery(text="seats", asked_at=utc_now())
    question = prepare_question(query.text)
    with broken_pgvector(), tenant_tx(acme.tenant.id):
        assert texts(recall_in_scope(acme.subject.id, query, question)) == BOTH
        Snapshot.objects.filter(subject=acme.subject, text="aisle seats").delete()
        assert texts(recall_in_scope(acme.subject.id, query, question)) == BOTH - {"aisle seats"}
    with tenant_tx(acme.tenant.id):
        assert Snapshot.objects.filter(subject=acme.subject).count() == 1


def test_another_tenant_is_told_nothing_by_ids_of_ours_or_the_products(world: World, acme: House) -> None:
    Asking(acme).ask()
    assert texts(Asking(replace(world.globex, subject=acme.subject)).ask()) == set()
    query, question = RecallQuery(text="seats", asked_at=utc_now()), prepare_question("seats")
    with tenant_tx(world.globex.tenant.id):
        assert recall_in_scope(acme.subject.id, query, question).memories == ()
    assert texts(Asking(acme).ask()) == BOTH

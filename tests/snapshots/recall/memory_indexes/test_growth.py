"""Indexes that take up what is new: after every change, what a held index says is what a new one says. Rows: R2, S5."""

import random
from collections.abc import Callable
from datetime import timedelta

import pytest

from memory_platform.kernel.clock import utc_now
from snapshots.embedding.embedding_spaces import active_embedders, make_spaces_key
from snapshots.erasure.conversations import delete_conversation
from snapshots.lifecycle.product_snapshots import retire_snapshot
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import Conversation, Snapshot, SubjectMemory
from snapshots.recall.loading.load_stored_memory import make_reader_in_scope
from snapshots.recall.loading.loaded_indexes import INDEXES, IndexKey, LoadedIndexes, load_indexes
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.held import remember, say
from tests.snapshots.lifecycle.world import anything, edit
from tests.snapshots.recall.memory_indexes.test_memory_index import same
from tests.snapshots.recall.test_service import ask, texts

WORDS = ["aisle", "seat", "window", "music", "cello", "peanuts", "家", "座位", "音乐", "花生", "过敏", "yesterday"]


def find_index(house: House) -> LoadedIndexes | None:
    return INDEXES.get(IndexKey(house.tenant.id, house.subject.id, make_spaces_key(active_embedders())))


def epoch(house: House) -> int:
    with tenant_tx(house.tenant.id):
        return SubjectMemory.objects.get(subject=house.subject).epoch


def test_what_is_added_begins_no_new_epoch(world: World) -> None:
    remember(world.acme, "aisle seats")
    before = epoch(world.acme)
    remember(world.acme, "window seats", "cello music")
    assert epoch(world.acme) == before


def test_an_index_takes_up_what_was_added_and_nothing_twice(world: World) -> None:
    remember(world.acme, "aisle seats")
    ask(world.acme, "seats")
    first = find_index(world.acme)
    remember(world.acme, "window seats")
    assert set(texts(ask(world.acme, "seats"))) == {"aisle seats", "window seats"}
    second = find_index(world.acme)
    assert first is not None
    assert second is not None
    assert (len(first.index.ids), len(second.index.ids)) == (1, 2)
    assert (second.index.ids[0] == first.index.ids[0]).all()


def an_addition(house: House, chance: random.Random) -> None:
    remember(house, *(" ".join(chance.choices(WORDS, k=5)) for _ in range(chance.randint(1, 3))))


def an_edit(house: House, chance: random.Random) -> None:
    edit(house, _somewhere(house, chance), text=" ".join(chance.choices(WORDS, k=4)))


def a_retirement(house: House, chance: random.Random) -> None:
    with tenant_tx(house.tenant.id):
        retire_snapshot(_somewhere(house, chance, scoped=True), accept=anything)


def a_deleted_conversation(house: House, chance: random.Random) -> None:
    name = f"c{chance.random()}"
    messages = say(house, "aisle seats again", conversation=name)
    remember(house, "aisle seats again", messages=messages, conversation_id=messages[0].conversation_id, seq=1)
    ask(house, "seats")
    with tenant_tx(house.tenant.id):
        delete_conversation(Conversation.objects.get(subject=house.subject, external_id=name))


def an_expiry(house: House, chance: random.Random) -> None:
    remember(house, "gone soon", expires_at=utc_now() - timedelta(seconds=1))


CHANGES: tuple[Callable[[House, random.Random], None], ...] = (
    an_addition, an_addition, an_edit, a_retirement, a_deleted_conversation, an_expiry,
)  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_on_any_history_a_held_index_answers_as_a_new_one(world: World, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a history, not a secret
    remember(world.acme, *WORDS)
    for _ in range(12):
        chance.choice(CHANGES)(world.acme, chance)
        question = " ".join(chance.choices(WORDS, k=3))
        warm = texts(ask(world.acme, question, top_k=100))
        grown = find_index(world.acme)
        INDEXES.clear()
        assert warm == texts(ask(world.acme, question, top_k=100))
        with tenant_tx(world.acme.tenant.id):
            new = load_indexes(make_reader_in_scope(world.acme.subject.id), active_embedders())
        assert grown is not None
        assert new is not None
        assert same(grown.index, new.index)


def _somewhere(house: House, chance: random.Random, *, scoped: bool = False) -> SnapshotAddress:
    """Return a current snapshot of the house's subject, or add one."""

    def ids() -> list[object]:
        current = Snapshot.objects.filter(subject=house.subject, retired_at__isnull=True, expires_at__isnull=True)
        return list(current.order_by("position").values_list("id", flat=True))

    if scoped:
        found = ids()
    else:
        with tenant_tx(house.tenant.id):
            found = ids()
    return SnapshotAddress(house.subject.external_id, chance.choice(found))  # type: ignore[arg-type]

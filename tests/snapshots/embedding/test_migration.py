"""One embedding model is replaced by another while everything goes on: no memory is ever without an answer. Rows: S5.

Two hashing models of different lengths are the old and the new one. Asked for by its own words, each memory must come
back at every point of the way, by meaning (its vector was compared) wherever one of the listed spaces holds it.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from django.db import connection
from django.test import override_settings
from pytest_django.fixtures import Settings

from memory_platform.kernel.clock import utc_now
from memory_platform.providers.embedders.hashing import HashingEmbedder
from memory_platform.providers.redis.client import redis_client
from memory_platform.providers.registry import embedder, forget_providers
from snapshots.embedding.config import BackfillConfig
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.embedding.snapshot_drafts import index_draft, load_reindexing_drafts
from snapshots.embedding.upkeep.space_completeness import delete_empty_space, drop_vectors
from snapshots.embedding.upkeep.vector_backfill import (
    backfill_vectors,
    embed_memories,
    load_unembedded,
    store_unless_edited,
)
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import EmbeddingSpace, Snapshot, SnapshotVector
from snapshots.recall.loading.loaded_indexes import INDEXES, IndexCache
from snapshots.recall.pipeline import recall
from snapshots.recall.values import RecallQuery
from snapshots.sensitive.detector import mask_sensitive
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.model_server import Reply, Request, model_server
from tests.snapshots.embedding.world import counts, store
from tests.snapshots.lifecycle.world import edit

OLD, NEW = "hashing:64", "hashing:32"
FORWARD, BACK = f"{NEW},{OLD}", f"{OLD},{NEW}"
ENGLISH = ("allergic to peanuts", "likes the aisle", "drives to Lisbon", "owns a red boat")
CHINESE = ("对花生过敏", "每个周末都去爬山")
TEXTS = ENGLISH + CHINESE
SMALL = BackfillConfig(batch=2)
MEANING, WORDS = "meaning", "words"


@pytest.fixture(autouse=True)
def nothing_cached() -> Iterator[None]:
    redis_client().call("tests", lambda client: client.flushdb())
    INDEXES.clear()
    yield
    INDEXES.clear()
    forget_providers()


@pytest.fixture
def old_space(world: World) -> World:
    """Everything stands in the old space, and nobody has heard of another."""
    with override_settings(EMBEDDER=OLD):
        store(world.acme, *TEXTS)
    return world


def reembed(house: House, limit: int = 1_000) -> int:
    return backfill_vectors(house.tenant.id, limit, mask=mask_sensitive, config=SMALL)


def ways(house: House) -> dict[str, str]:
    """Ask for each memory by its words; return by what it was found. An answer may want nothing."""
    with tenant_tx(house.tenant.id):
        texts = list(Snapshot.objects.values_list("text", flat=True))
    return {text: way(house, text) for text in texts}


def way(house: House, text: str) -> str:
    query = RecallQuery(text=text, asked_at=utc_now(), top_k=50, explain=True)
    found = recall(house.tenant.id, house.subject.external_id, query)
    assert found.degraded == frozenset()
    (memory,) = [one for one in found.memories if one.text == text]
    assert memory.explain is not None
    assert memory.explain.dense or memory.explain.keyword
    return MEANING if memory.explain.dense else WORDS


def held_in(house: House, name: str) -> int:
    with tenant_tx(house.tenant.id):
        return SnapshotVector.objects.filter(space__name=name).count()


def all_by(answered: str, house: House) -> bool:
    return set(ways(house).values()) == {answered}


def test_every_memory_is_answered_by_meaning_from_before_the_switch_until_after_the_drop(old_space: World) -> None:
    acme = old_space.acme
    with override_settings(EMBEDDER=OLD):
        assert all_by(MEANING, acme)
    with override_settings(EMBEDDER=FORWARD):
        assert all_by(MEANING, acme)  # the old space answers for everything
        store(acme, "moved to Porto")
        assert held_in(acme, "hashing-32") == 1
        done = 0
        while step := reembed(acme, 2):
            done += step
            assert all_by(MEANING, acme)  # some from the new space, some from the old
        assert done == len(TEXTS)
        assert held_in(acme, "hashing-32") == len(TEXTS) + 1
    with override_settings(EMBEDDER=NEW):
        assert all_by(MEANING, acme)
        old = EmbeddingSpace.objects.get(name="hashing-64")
        assert drop_vectors(acme.tenant.id, old, by=COMMAND_LINE) == len(TEXTS)
        assert all_by(MEANING, acme)
        INDEXES.clear()  # a process that starts after the drop
        assert all_by(MEANING, acme)
        assert delete_empty_space(old)
        assert all_by(MEANING, acme)


def test_the_way_back_needs_nothing_but_the_other_order(old_space: World) -> None:
    acme = old_space.acme
    with override_settings(EMBEDDER=FORWARD):
        store(acme, "moved to Porto")
        reembed(acme, 2)
    with override_settings(EMBEDDER=BACK):
        assert all_by(MEANING, acme)
        assert reembed(acme) == 1  # what was written meanwhile
    with override_settings(EMBEDDER=OLD):
        assert all_by(MEANING, acme)


def test_a_new_model_listed_alone_leaves_words_until_the_back_fill_has_been_by(old_space: World) -> None:
    with override_settings(EMBEDDER=NEW):
        assert all_by(WORDS, old_space.acme)
        reembed(old_space.acme, 2)
        assert sorted(set(ways(old_space.acme).values())) == [MEANING, WORDS]
        reembed(old_space.acme)
        assert all_by(MEANING, old_space.acme)


def test_a_process_with_the_old_list_finds_what_others_write_to_the_new_space(old_space: World) -> None:
    """Processes are restarted one after the other: for a while both lists are at work."""
    with override_settings(EMBEDDER=FORWARD):
        store(old_space.acme, "moved to Porto")
    with override_settings(EMBEDDER=OLD):
        found = ways(old_space.acme)
    assert found.pop("moved to Porto") == WORDS
    assert set(found.values()) == {MEANING}


def test_a_language_that_the_new_model_does_not_know_stays_where_it_is(
    old_space: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = embedder(NEW)
    assert new is not None
    monkeypatch.setattr(new, "languages", ("en",))
    with override_settings(EMBEDDER=FORWARD):
        assert reembed(old_space.acme) == len(ENGLISH)
        assert (held_in(old_space.acme, "hashing-32"), held_in(old_space.acme, "hashing-64")) == (
            len(ENGLISH),
            len(TEXTS),
        )
        assert all_by(MEANING, old_space.acme)


def closing(task: Callable[[], None]) -> None:
    """Do a thread's task and give its connection back."""
    try:
        task()
    finally:
        connection.close()


@pytest.mark.slow
def test_writers_go_on_while_two_workers_reembed(old_space: World) -> None:
    acme, writes, stop = old_space.acme, 30, threading.Event()

    def write() -> None:
        for number in range(writes):
            store(acme, f"note number{number}")

    def work() -> None:
        while not stop.is_set():
            reembed(acme, 2)
        reembed(acme)

    asked = 0
    with override_settings(EMBEDDER=FORWARD), ThreadPoolExecutor(3) as threads:
        running = [threads.submit(closing, task) for task in (write, work, work)]
        try:
            while not running[0].done():
                assert all(way(acme, text) == MEANING for text in TEXTS)
                asked += 1
        finally:
            stop.set()
        assert [one.result() for one in running] == [None] * 3
        assert all_by(MEANING, acme)
        assert reembed(acme) == 0
    assert asked
    everything = len(TEXTS) + writes
    assert counts(acme)[:2] == (everything, everything)
    assert held_in(acme, "hashing-32") == everything  # each once, whoever came first


def test_a_memory_edited_between_embedding_and_storing_keeps_the_vectors_of_its_new_words(old_space: World) -> None:
    acme = old_space.acme
    with override_settings(EMBEDDER=FORWARD):
        listed = active_embedders()
        with tenant_tx(acme.tenant.id):
            batch = load_unembedded([one.id for one in Snapshot.objects.all()], mask_sensitive)
            peanuts = Snapshot.objects.get(text="allergic to peanuts")
        stale = embed_memories(batch, listed)
        edit(acme, SnapshotAddress(acme.subject.external_id, peanuts.id), text="allergic to walnuts")
        with tenant_tx(acme.tenant.id):
            assert store_unless_edited(acme.subject.id, stale) == len(TEXTS) - 1
        assert spaces_of(acme, peanuts.id) == ["hashing-32"]  # the old space's vector left with the old words
        with tenant_tx(acme.tenant.id):
            (draft,) = load_reindexing_drafts([Snapshot.objects.get(id=peanuts.id)], mask_sensitive)
            stored = SnapshotVector.objects.get(snapshot_id=peanuts.id).dated
        expected = listed[0].embed([index_draft(draft).dated])[0]
        assert stored == pytest.approx(expected.tolist(), abs=1e-3)
        assert all_by(MEANING, acme)
    with override_settings(EMBEDDER=BACK):
        assert reembed(acme) == 1
    with override_settings(EMBEDDER=OLD):
        assert all_by(MEANING, acme)


def spaces_of(house: House, snapshot_id: UUID) -> list[str]:
    with tenant_tx(house.tenant.id):
        return list(SnapshotVector.objects.filter(snapshot_id=snapshot_id).values_list("space__name", flat=True))


def test_indexes_of_another_list_are_not_used_and_back_filled_vectors_show(
    old_space: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two processes hold indexes of the same subject: one works with the old list, one with the new."""
    acme = old_space.acme
    earlier, later = IndexCache(10_000_000), IndexCache(10_000_000)

    def ask_with(indexes: IndexCache, setting: str) -> dict[str, str]:
        monkeypatch.setattr("snapshots.recall.loading.loaded_indexes.INDEXES", indexes)
        with override_settings(EMBEDDER=setting):
            return ways(acme)

    assert set(ask_with(earlier, OLD).values()) == {MEANING}
    assert set(ask_with(earlier, NEW).values()) == {WORDS}  # not from the index of the old list, which lies beside it
    assert set(ask_with(later, NEW).values()) == {WORDS}
    with override_settings(EMBEDDER=NEW):
        assert reembed(acme) == len(TEXTS)  # a worker, elsewhere: neither process is told
    assert set(ask_with(later, NEW).values()) == {MEANING}
    assert set(ask_with(earlier, NEW).values()) == {MEANING}
    assert set(ask_with(earlier, FORWARD).values()) == {MEANING}
    assert set(ask_with(earlier, BACK).values()) == {MEANING}
    assert len(earlier) == 4


def answer_hashed(length: int) -> Callable[[Request], Reply]:
    """Return an endpoint's answers: vectors of ``length`` numbers that mean what hashing makes of a text."""
    model = HashingEmbedder(length)

    def answer(request: Request) -> Reply:
        rows = model.embed(request.body["input"]).tolist()
        return Reply({"data": [{"index": i, "embedding": row} for i, row in enumerate(rows)]})

    return answer


def test_one_vendors_model_replaces_anothers(world: World, settings: Settings) -> None:
    """Each endpoint has an address, a key and a length of its own while both answer."""
    acme = world.acme
    with model_server(answer_hashed(1_024)) as house, model_server(answer_hashed(256)) as vendor:
        settings.EMBEDDING_BASE_URL, settings.EMBEDDER = house.url, "openai:bge-m3"
        store(acme, *TEXTS)
        settings.EMBEDDING_PREVIOUS_BASE_URL, settings.EMBEDDING_BASE_URL = house.url, vendor.url
        settings.EMBEDDING_DIMENSIONS, settings.EMBEDDING_API_KEY = 256, "sk-of-the-vendor"
        settings.EMBEDDER = "openai:text-embedding-3-small,openai-previous:bge-m3"
        assert all_by(MEANING, acme)
        assert reembed(acme, 2) == 2
        assert all_by(MEANING, acme)
        assert reembed(acme) == len(TEXTS) - 2
        settings.EMBEDDER = "openai:text-embedding-3-small"
        assert all_by(MEANING, acme)
        assert held_in(acme, "openai:text-embedding-3-small@256") == held_in(acme, "openai:bge-m3@1024") == len(TEXTS)
        assert {request.headers.get("authorization") for request in house.requests} == {None}
        assert {request.headers["authorization"] for request in vendor.requests} == {"Bearer sk-of-the-vendor"}


def test_a_text_that_the_new_model_refuses_does_not_hold_up_the_others(old_space: World, settings: Settings) -> None:
    acme, well = old_space.acme, answer_hashed(1_024)

    def picky(request: Request) -> Reply:
        return Reply({}, status=400) if any("Lisbon" in text for text in request.body["input"]) else well(request)

    with model_server(picky) as server:
        settings.EMBEDDING_BASE_URL, settings.EMBEDDER = server.url, f"openai:bge-m3,{OLD}"
        assert backfill_vectors(acme.tenant.id, 1_000, mask=mask_sensitive) == len(TEXTS) - 1
        assert held_in(acme, "openai:bge-m3@1024") == len(TEXTS) - 1
        found = {text: way(acme, text) for text in TEXTS if "Lisbon" not in text}
        assert set(found.values()) == {MEANING}
        store(acme, "flies to Lisbon", "sails to Porto")
        assert held_in(acme, "openai:bge-m3@1024") == len(TEXTS)

        server.answer = lambda _: Reply({}, status=400)
        asked = len(server.requests)
        store(acme, *(f"note number{number}" for number in range(20)))
        assert len(server.requests) == asked + 2  # the texts, and one that nobody could object to

"""Memories that were not read for the index, or cannot be, are read without losing a question. Rows: R2, R6, S4, S5."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from django.db import connection
from pgvector import HalfVector
from prometheus_client import REGISTRY

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from memory_platform.providers.redis.client import redis_client
from snapshots.embedding.config import SAYING, SayingConfig
from snapshots.embedding.near_duplicates import hash_saying
from snapshots.embedding.snapshot_drafts import prepare_snapshots
from snapshots.embedding.snapshot_store import begin_memory_epoch, claim_positions, store_snapshots
from snapshots.embedding.upkeep import index_repair
from snapshots.embedding.upkeep.index_repair import reindex_stale_words
from snapshots.jobs import backfill_vectors_job
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import BLOCK_POSITIONS, MemoryBlock, SnapshotVector, SnapshotWords
from snapshots.recall.loading.block_sealing import seal_memories
from snapshots.recall.loading.load_stored_memory import load_memory_state
from snapshots.recall.loading.loaded_indexes import INDEXES
from snapshots.sensitive.detector import mask_sensitive
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.embedding.world import draft, store, version
from tests.snapshots.lifecycle.world import edit, recall_texts

SMALL = SayingConfig(batch=2)
TEXTS = ("I love jazz", "Well, I love jazz!", "我喜欢听爵士乐", "我喜歡聽爵士樂。", "I ran to the jazz club yesterday")


@pytest.fixture(autouse=True)
def nothing_cached() -> Iterator[None]:
    redis_client().call("tests", lambda client: client.flushdb())
    INDEXES.clear()
    yield
    INDEXES.clear()


def from_before(house: House, *texts: str) -> None:
    """Store memories as they were stored before there were sayings."""
    store(house, *texts)
    with tenant_tx(house.tenant.id):
        SnapshotWords.objects.update(saying=None)


def read(house: House, config: SayingConfig = SAYING) -> int:
    return reindex_stale_words(house.tenant.id, mask=mask_sensitive, config=config)


def numbers(house: House) -> dict[str, int | None]:
    with tenant_tx(house.tenant.id):
        return dict(SnapshotWords.objects.values_list("snapshot__text", "saying"))


def test_old_memories_repeat_nothing_until_they_are_read(world: World) -> None:
    from_before(world.acme, *TEXTS)
    assert len(recall_texts(world.acme, "jazz")) == 5
    before = version(world.acme)
    assert read(world.acme, SMALL) == len(TEXTS)
    assert numbers(world.acme) == {text: hash_saying(text, None) for text in TEXTS}
    assert version(world.acme) > before  # indexes are built anew
    assert len(recall_texts(world.acme, "jazz")) == 3


def test_what_has_been_read_is_not_read_again(world: World) -> None:
    from_before(world.acme, *TEXTS)
    assert read(world.acme) == len(TEXTS)
    before = version(world.acme)
    assert read(world.acme) == 0
    assert version(world.acme) == before


def test_a_run_ends_and_the_next_goes_on(world: World) -> None:
    from_before(world.acme, *TEXTS)
    policy = SayingConfig(batch=2, a_run=2)
    assert [read(world.acme, policy) for _ in range(4)] == [2, 2, 1, 0]


def test_another_tenants_memories_stay_as_they_are(world: World) -> None:
    from_before(world.globex, *TEXTS)
    assert read(world.acme) == 0
    assert set(numbers(world.globex).values()) == {None}


def test_the_sealed_blocks_of_what_was_read_are_removed(world: World) -> None:
    from_before(world.acme, *TEXTS)
    with tenant_tx(world.acme.tenant.id):
        next_position = load_memory_state(world.acme.subject.id).next_position
        claim_positions(world.acme.subject.id, BLOCK_POSITIONS - next_position % BLOCK_POSITIONS)
    assert seal_memories(world.acme.tenant.id) == 1
    read(world.acme)
    with tenant_tx(world.acme.tenant.id):
        assert not MemoryBlock.objects.exists()
    assert seal_memories(world.acme.tenant.id) == 1
    assert len(recall_texts(world.acme, "jazz")) == 3


def test_a_memory_that_was_edited_meanwhile_keeps_the_number_of_its_new_text(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    (memory_id,) = store(world.acme, "I love jazz")
    with tenant_tx(world.acme.tenant.id):
        SnapshotWords.objects.update(saying=None)
    renew = index_repair._store_reindexed_words
    address = SnapshotAddress(world.acme.subject.external_id, memory_id)

    def after_an_edit(*found: object) -> None:
        edit(world.acme, address, text="I love tango music")
        renew(*found)  # type: ignore[arg-type]

    monkeypatch.setattr(index_repair, "_store_reindexed_words", after_an_edit)
    read(world.acme)
    assert numbers(world.acme) == {"I love tango music": hash_saying("I love tango music", None)}


def test_two_runs_at_once_come_to_the_same(world: World) -> None:
    from_before(world.acme, *(f"I love jazz number {number}" for number in range(12)))

    def run(_: int) -> None:
        try:
            read(world.acme, SMALL)
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as threads:
        list(threads.map(run, range(3)))
    assert all(saying == hash_saying(text, None) for text, saying in numbers(world.acme).items())


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
    read(world.acme)
    assert len(recall_texts(world.acme, "jazz")) == 2


def word_rows(house: House) -> dict[str, tuple[bytes, str, int | None]]:
    with tenant_tx(house.tenant.id):
        rows = SnapshotWords.objects.values_list("snapshot__text", "words", "language", "saying")
        return {text: (bytes(words), language, saying) for text, words, language, saying in rows}


def damage(house: House, text: str, words: bytes = b"damaged") -> None:
    """Spoil the words of one memory, and let every process read it again."""
    with tenant_tx(house.tenant.id):
        row = SnapshotWords.objects.select_related("snapshot").get(snapshot__text=text)
        begin_memory_epoch(house.subject.id, changed=[row.position])
        SnapshotWords.objects.filter(id=row.id).update(words=words)


@pytest.mark.parametrize("words", [b"damaged", b"\x00"])
def test_damaged_words_fail_no_question_and_are_made_again_of_the_text(
    world: World, words: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    store(world.acme, *TEXTS, "My cello is at the repair shop", "钢琴在修理店")
    whole, counted = word_rows(world.acme), count_of("words")
    answers = recall_texts(world.acme, "jazz")
    damage(world.acme, "I love jazz", words)
    damage(world.acme, "我喜欢听爵士乐", words)
    assert recall_texts(world.acme, "cello")[0] == "My cello is at the repair shop"
    assert recall_texts(world.acme, "钢琴")[0] == "钢琴在修理店"
    assert recall_texts(world.acme, "jazz")
    assert word_rows(world.acme)["I love jazz"] == (words, "en", None)
    assert count_of("words") == counted + 2
    assert "jazz" not in caplog.text
    backfill_vectors_job()
    assert word_rows(world.acme) == whole
    assert recall_texts(world.acme, "jazz") == answers
    assert count_of("words") == counted + 2


def test_a_memory_without_its_words_is_found_by_its_meaning(world: World) -> None:
    (memory_id,) = store(world.acme, "I love jazz")
    damage(world.acme, "I love jazz")
    assert recall_texts(world.acme, "jazz music") == ["I love jazz"]
    edit(world.acme, SnapshotAddress(world.acme.subject.external_id, memory_id), text="I love tango")
    assert recall_texts(world.acme, "tango") == ["I love tango"]
    assert read(world.acme) == 0


def test_damaged_words_fail_no_question_about_an_earlier_moment(world: World) -> None:
    (memory_id,) = store(world.acme, "I love jazz")
    before = utc_now()
    store(world.acme, "I sing in the jazz choir")
    edit(world.acme, SnapshotAddress(world.acme.subject.external_id, memory_id), text="I love jazz and tango")
    damage(world.acme, "I love jazz and tango")
    assert recall_texts(world.acme, "jazz", known_at=before) == ["I love jazz"]
    assert read(world.acme) == 1


def test_a_block_with_damaged_words_is_sealed_when_they_are_whole(world: World) -> None:
    store(world.acme, *TEXTS)
    with tenant_tx(world.acme.tenant.id):
        claim_positions(world.acme.subject.id, BLOCK_POSITIONS)
    damage(world.acme, "I love jazz")
    assert seal_memories(world.acme.tenant.id) == 0
    assert read(world.acme) == 1
    assert seal_memories(world.acme.tenant.id) == 1


def test_vectors_of_another_length_fail_no_question(world: World) -> None:
    store(world.acme, "I love jazz", "My cello is at the repair shop")
    with tenant_tx(world.acme.tenant.id):
        short = HalfVector([1.0, 0.5, 0.25])
        SnapshotVector.objects.filter(snapshot__text="I love jazz").update(dated=short, previous=short)
    assert recall_texts(world.acme, "jazz")[0] == "I love jazz"


def count_of(part: str) -> float:
    """Return how many damaged parts this process has counted."""
    return REGISTRY.get_sample_value("recall_index_damaged_total", {"kind": part}) or 0.0

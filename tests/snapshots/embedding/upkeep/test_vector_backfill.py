"""Memories that missed their vectors get them later. Rows: S5, R6. Matrix: 40, 41."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.test import override_settings

from memory_platform.kernel.clock import utc_now
from memory_platform.providers.embedders.hashing import HashingEmbedder
from snapshots.embedding.config import BackfillConfig
from snapshots.embedding.embedding_spaces import space_id
from snapshots.embedding.indexed_text import SpokenTurn, index_text
from snapshots.embedding.upkeep.index_entry_walk import walk_memories
from snapshots.embedding.upkeep.vector_backfill import (
    SpaceLanguages,
    UnembeddedMemory,
    backfill_vectors,
    embed_memories,
    list_missing_vectors,
    load_unembedded,
    store_unless_edited,
)
from snapshots.models import Conversation, Message, Snapshot, SnapshotVector
from snapshots.sensitive.detector import mask_sensitive
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.embedding.world import SAID_AT, counts, prepare_texts, refused_vectors, store, version

SMALL = BackfillConfig(batch=2)


def heal(house: House, limit: int) -> int:
    return backfill_vectors(house.tenant.id, limit, mask=mask_sensitive, config=SMALL)


def missing(house: House, embedder: HashingEmbedder = HashingEmbedder()) -> list[UnembeddedMemory]:  # noqa: B008 - no state
    own = SpaceLanguages(space_id(embedder), embedder.languages)
    (page,) = walk_memories(house.tenant.id)
    with tenant_tx(house.tenant.id):
        ids = [one for batch in list_missing_vectors(own, page, 10) for one in batch]
        return load_unembedded(ids, mask_sensitive)


def test_what_pgvector_refused_is_healed_when_it_is_back(world: World) -> None:
    with refused_vectors():
        store(world.acme, "allergic to peanuts", "对花生过敏")
        assert heal(world.acme, 10) == 0
    before = version(world.acme)
    assert heal(world.acme, 10) == 2
    assert counts(world.acme) == (2, 2, 2)
    assert version(world.acme) == before + 1  # images without vectors are built anew
    assert heal(world.acme, 10) == 0
    assert version(world.acme) == before + 1


def test_what_the_model_missed_is_embedded_as_at_first(world: World) -> None:
    store(world.acme, "allergic to peanuts", embed=False)
    assert heal(world.acme, 10) == 1
    (ready,) = prepare_texts(world.acme, "allergic to peanuts")
    assert ready.vectors is not None
    with tenant_tx(world.acme.tenant.id):
        stored = SnapshotVector.objects.get()
    assert stored.dated == pytest.approx(ready.vectors.dated.tolist(), abs=1e-3)


def test_the_limit_holds_and_the_next_run_goes_on(world: World) -> None:
    store(world.acme, *(f"memory {n}" for n in range(5)), embed=False)
    assert heal(world.acme, 3) == 3
    assert heal(world.acme, 3) == 2


def test_another_tenants_memories_stay_as_they_are(world: World) -> None:
    store(world.globex, "gil likes tea", embed=False)
    assert heal(world.acme, 10) == 0
    assert counts(world.globex) == (1, 1, 0)


def test_a_language_that_the_model_does_not_know_is_not_missing(world: World) -> None:
    store(world.acme, "allergic to peanuts", "对花生过敏", embed=False)
    english = HashingEmbedder(languages=("en",))
    assert [one.draft.text for one in missing(world.acme, english)] == ["allergic to peanuts"]


def test_retired_and_expired_memories_are_left_out(world: World) -> None:
    retired, expired = store(world.acme, "one", "two", embed=False)
    past = utc_now() - timedelta(seconds=1)
    with tenant_tx(world.acme.tenant.id):
        Snapshot.objects.filter(id=retired).update(retired_at=past)
        Snapshot.objects.filter(id=expired).update(expires_at=past)
    assert heal(world.acme, 10) == 0


def test_without_a_model_nothing_is_done(world: World) -> None:
    store(world.acme, "allergic to peanuts", embed=False)
    with override_settings(EMBEDDER="none"):
        assert heal(world.acme, 10) == 0


def test_two_runs_at_once_store_each_vector_once(world: World) -> None:
    store(world.acme, *(f"memory {n}" for n in range(6)), embed=False)

    def run(_: int) -> None:
        try:
            heal(world.acme, 10)
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as threads:
        list(threads.map(run, range(3)))
    assert counts(world.acme) == (6, 6, 6)


def test_the_turn_before_is_found_again(world: World) -> None:
    post_turns(world.acme, "assistant", "Do you eat nuts?", "user", "No, they make me ill")
    (one,) = missing(world.acme)
    assert one.draft.previous == SpokenTurn("Do you eat nuts?", None, SAID_AT)
    assert not one.draft.previous_is_memory
    (found,) = embed_memories([one], [HashingEmbedder()])
    expected = index_text(SpokenTurn("No, they make me ill", None, SAID_AT), previous=one.draft.previous)
    assert found.vectors.previous.tolist() == HashingEmbedder().embed([expected.continued])[0].tolist()


def test_a_secret_in_the_turn_before_stays_masked(world: World) -> None:
    post_turns(world.acme, "assistant", "Is your card 4111 1111 1111 1111?", "user", "Yes, that is the one")
    (one,) = missing(world.acme)
    assert one.draft.previous == SpokenTurn("Is your card [masked card number]?", None, SAID_AT)


def post_turns(house: House, *turns: str) -> None:
    """Store a conversation (role, text, role, text, ...) and a statement, without vectors, of its last message."""
    with tenant_tx(house.tenant.id):
        conversation = Conversation.objects.create(subject=house.subject, external_id="c1")
        for seq, (role, text) in enumerate(zip(turns[::2], turns[1::2], strict=True), 1):
            Message.objects.create(
                subject=house.subject,
                conversation=conversation,
                external_id=str(seq),
                seq=seq,
                role=role,
                content=text,
                content_hash=b"",
                said_at=SAID_AT,
            )
    store(house, turns[-1], embed=False)
    with tenant_tx(house.tenant.id):
        Snapshot.objects.update(kind="statement", conversation=conversation, seq=seq)


def test_a_memory_edited_in_the_meantime_gets_no_vectors_of_its_old_words(world: World) -> None:
    (edited,) = store(world.acme, "allergic to peanuts", embed=False)
    found = embed_memories(missing(world.acme), [HashingEmbedder()])
    with tenant_tx(world.acme.tenant.id):
        Snapshot.objects.filter(id=edited).update(text="allergic to walnuts", version=2)
        assert store_unless_edited(world.acme.subject.id, found) == 0
    assert counts(world.acme) == (1, 1, 0)

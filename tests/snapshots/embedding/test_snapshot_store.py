"""The one writer of snapshots: rows, words, vectors and version together. Rows: S3, S5, R6. Matrix: 34, 40, 41."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from django.db import connection

from memory_platform.providers.contracts import Vectors
from memory_platform.providers.embedders.hashing import HashingEmbedder
from profiles.models import Subject
from snapshots.embedding.near_duplicates import hash_saying
from snapshots.embedding.snapshot_drafts import prepare_snapshots
from snapshots.embedding.snapshot_store import lock_memory, store_snapshots
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import Snapshot, SnapshotVector, SnapshotWords
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.embedding.world import counts, draft, prepare_texts, refused_vectors, store, version
from tests.snapshots.lifecycle.world import edit


def test_a_draft_stored_twice_is_one_row_of_each(world: World) -> None:
    first = store(world.acme, "allergic to peanuts", "对花生过敏")
    assert store(world.acme, "allergic to peanuts", "对花生过敏") == first
    assert counts(world.acme) == (2, 2, 2)
    assert counts(world.globex) == (0, 0, 0)


def test_ids_come_back_in_the_order_of_the_drafts(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        other = Subject.objects.create(external_id="bob")
    drafts = [draft(world.acme.subject.id, "a"), draft(other.id, "b"), draft(world.acme.subject.id, "c")]
    with tenant_tx(world.acme.tenant.id):
        assert store_snapshots(prepare_snapshots_outside(drafts)) == [d.id for d in drafts]
        assert Snapshot.objects.filter(subject=other).count() == 1


def prepare_snapshots_outside(drafts: Any) -> Any:
    return prepare_snapshots(drafts, ())  # without a model nothing is called


def test_every_write_raises_the_version_and_takes_fresh_positions(world: World) -> None:
    store(world.acme, "one", "two")
    before = version(world.acme)
    store(world.acme, "three")
    assert version(world.acme) == before + 1
    with tenant_tx(world.acme.tenant.id):
        positions = list(Snapshot.objects.order_by("position").values_list("position", "text"))
    assert positions == [(1, "one"), (2, "two"), (3, "three")]


def test_holding_the_memory_does_not_change_its_version(world: World) -> None:
    store(world.acme, "one")
    before = version(world.acme)
    with tenant_tx(world.acme.tenant.id):
        lock_memory(world.acme.subject.id)
    assert version(world.acme) == before


def test_words_know_their_language(world: World) -> None:
    store(world.acme, "allergic to peanuts", "对花生过敏")
    with tenant_tx(world.acme.tenant.id):
        assert set(SnapshotWords.objects.values_list("language", flat=True)) == {"en", "zh"}


def test_words_know_their_saying_and_forget_it_when_they_change(world: World) -> None:
    (memory_id,) = store(world.acme, "I love jazz")
    with tenant_tx(world.acme.tenant.id):
        assert SnapshotWords.objects.get().saying == hash_saying("I love jazz", None) != 0
    edit(world.acme, SnapshotAddress(world.acme.subject.external_id, memory_id), text="I love tango music")
    with tenant_tx(world.acme.tenant.id):
        assert SnapshotWords.objects.get().saying == hash_saying("I love tango music", None) != 0


def test_writers_of_one_subject_neither_lose_nor_share_a_position(world: World) -> None:
    writers, each = 6, 5
    ready = [prepare_texts(world.acme, *(f"memory {w} {n}" for n in range(each))) for w in range(writers)]
    barrier = Barrier(writers)

    def write(number: int) -> None:
        barrier.wait(timeout=30)
        try:
            with tenant_tx(world.acme.tenant.id):
                store_snapshots(ready[number])
        finally:
            connection.close()

    with ThreadPoolExecutor(writers) as threads:
        list(threads.map(write, range(writers)))
    assert counts(world.acme) == (30, 30, 30)
    with tenant_tx(world.acme.tenant.id):
        assert sorted(Snapshot.objects.values_list("position", flat=True)) == list(range(1, 31))
    assert version(world.acme) == writers


def test_a_memory_survives_a_pgvector_that_refuses(world: World) -> None:
    with refused_vectors():
        store(world.acme, "allergic to peanuts")
    assert counts(world.acme) == (1, 1, 0)


@pytest.mark.parametrize(
    "answer",
    [
        np.ones((2, 63), np.float32),
        np.ones((1, 64), np.float32),
        np.full((2, 64), np.nan, np.float32),
        np.full((2, 64), np.inf, np.float32),
    ],
    ids=["wrong-dimension", "wrong-count", "nan", "inf"],
)
def test_a_model_that_answers_nonsense_leaves_the_memory_without_vectors(world: World, answer: Vectors) -> None:
    broken: Any = SimpleNamespace(name="broken", dimensions=64, languages=("en",), embed=lambda _: answer)
    ready = prepare_snapshots([draft(world.acme.subject.id, "allergic to peanuts")], [broken])
    with tenant_tx(world.acme.tenant.id):
        store_snapshots(ready)
    assert counts(world.acme) == (1, 1, 0)


def test_two_models_keep_their_vectors_apart(world: World) -> None:
    drafts = [draft(world.acme.subject.id, "allergic to peanuts")]
    for embedder in (HashingEmbedder(64), HashingEmbedder(32)):
        ready = prepare_snapshots(drafts, [embedder])
        with tenant_tx(world.acme.tenant.id):
            store_snapshots(ready)
    with tenant_tx(world.acme.tenant.id):
        found = SnapshotVector.objects.order_by("space__dimensions").values_list("space__name", flat=True)
        assert list(found) == ["hashing-32", "hashing-64"]

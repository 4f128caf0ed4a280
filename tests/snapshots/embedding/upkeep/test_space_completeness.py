"""What each embedding space holds and lacks, and how a replaced one leaves. Rows: S5, T7."""

from datetime import timedelta
from uuid import UUID

import pytest
from django.test import override_settings

from memory_platform.kernel.clock import utc_now
from snapshots.embedding.config import DropConfig
from snapshots.embedding.embedding_spaces import measure_active_embedders, space_id
from snapshots.embedding.upkeep.space_completeness import (
    NOTHING,
    SpaceCount,
    add_counts,
    count_memories_only_in,
    count_space_memories,
    delete_empty_space,
    drop_vectors,
    store_counts,
)
from snapshots.embedding.upkeep.vector_backfill import backfill_vectors
from snapshots.jobs import count_embedding_spaces_job
from snapshots.models import EmbeddingSpace, Snapshot, SnapshotVector
from snapshots.sensitive.detector import mask_sensitive
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, JobRun
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.snapshots.embedding.world import counts, store

OLD, NEW, BOTH = "hashing:64", "hashing:32", "hashing:32,hashing:64"


def count_by_length(house: House) -> dict[str, SpaceCount]:
    """Return the house's counts by the lengths of the listed spaces."""
    embedders = measure_active_embedders()
    found = count_space_memories(house.tenant.id, embedders)
    return {str(embedder.dimensions): found[space_id(embedder)] for embedder in embedders}


def old_space() -> EmbeddingSpace:
    return EmbeddingSpace.objects.get(name="hashing-64")


@pytest.fixture
def migrating(world: World) -> World:
    """Three memories of acme and one of globex in the old space; one more of acme's in the new one."""
    with override_settings(EMBEDDER=OLD):
        store(world.acme, "one", "two", "three")
        store(world.globex, "four")
    with override_settings(EMBEDDER=BOTH):
        store(world.acme, "five")
    return world


@override_settings(EMBEDDER=BOTH)
def test_a_new_space_lacks_what_only_the_old_one_holds(migrating: World) -> None:
    found = count_by_length(migrating.acme)
    assert (found["64"].held, found["64"].belonging, found["64"].percent) == (3, 0, None)
    assert (found["32"].held, found["32"].belonging, found["32"].missing, found["32"].percent) == (1, 4, 3, 25)
    with tenant_tx(migrating.acme.tenant.id):
        assert found["32"].oldest_missing_at == Snapshot.objects.order_by("recorded_at")[0].recorded_at
    assert backfill_vectors(migrating.acme.tenant.id, 100, mask=mask_sensitive) == 3
    assert count_by_length(migrating.acme)["32"] == SpaceCount(held=4, belonging=4)
    assert count_by_length(migrating.globex)["32"].missing == 1


@override_settings(EMBEDDER=BOTH)
def test_what_is_retired_or_expired_is_neither_held_nor_lacking(migrating: World) -> None:
    past = utc_now() - timedelta(seconds=1)
    with tenant_tx(migrating.acme.tenant.id):
        Snapshot.objects.filter(text="one").update(retired_at=past)
        Snapshot.objects.filter(text="two").update(expires_at=past)
    found = count_by_length(migrating.acme)
    assert (found["64"].held, found["32"].belonging, found["32"].missing) == (1, 2, 1)


@override_settings(EMBEDDER=NEW)
def test_what_would_be_left_to_words_is_known_before_a_space_is_dropped(migrating: World) -> None:
    embedders, old = measure_active_embedders(), old_space().id
    assert count_memories_only_in(migrating.acme.tenant.id, old, embedders) == 3
    backfill_vectors(migrating.acme.tenant.id, 100, mask=mask_sensitive)
    assert count_memories_only_in(migrating.acme.tenant.id, old, embedders) == 0


def test_a_space_is_dropped_in_batches_for_one_tenant_at_a_time_and_on_record(migrating: World) -> None:
    advanced: list[int] = []
    space = old_space()
    small = DropConfig(batch=2)
    acme, globex = migrating.acme, migrating.globex
    dropped = drop_vectors(acme.tenant.id, space, by=COMMAND_LINE, advance=advanced.append, config=small)
    assert (dropped, advanced) == (3, [2, 1])
    assert (counts(acme), counts(globex)) == ((4, 4, 1), (1, 1, 1))
    assert drop_vectors(acme.tenant.id, space, by=COMMAND_LINE) == 0
    with tenant_tx(acme.tenant.id):
        (record,) = AuditRecord.objects.filter(action="embedding_space.dropped")
        assert (record.object_id, record.reason, record.actor_id) == (str(space.id), "hashing-64", "command-line")
    with tenant_tx(globex.tenant.id):
        assert not AuditRecord.objects.filter(action="embedding_space.dropped").exists()


def test_a_space_that_still_holds_vectors_is_not_forgotten(migrating: World) -> None:
    space = old_space()
    drop_vectors(migrating.acme.tenant.id, space, by=COMMAND_LINE)
    assert not delete_empty_space(space)
    drop_vectors(migrating.globex.tenant.id, space, by=COMMAND_LINE)
    assert delete_empty_space(space)
    assert not EmbeddingSpace.objects.filter(name="hashing-64").exists()
    with tenant_tx(migrating.acme.tenant.id):
        assert set(SnapshotVector.objects.values_list("space__name", flat=True)) == {"hashing-32"}


@override_settings(EMBEDDER=BOTH)
def test_the_job_keeps_the_platforms_count_on_the_spaces(migrating: World) -> None:
    count_embedding_spaces_job()
    new, old = EmbeddingSpace.objects.order_by("dimensions")
    assert (new.is_listed, new.held, new.belonging, new.missing) == (True, 1, 5, 4)
    assert (old.is_listed, old.held, old.belonging, old.missing) == (True, 4, 0, 0)
    assert new.oldest_missing_at is not None
    assert new.counted_at is not None
    assert JobRun.objects.get(job="count-embedding-spaces").rows == 2


def test_a_space_that_nobody_lists_or_wrote_to_is_counted_too(migrating: World) -> None:
    with override_settings(EMBEDDER="hashing:16"):
        store_counts({}, measure_active_embedders())
    told = {space.name: (space.is_listed, space.held) for space in EmbeddingSpace.objects.all()}
    assert told == {"hashing-16": (True, 0), "hashing-32": (False, 0), "hashing-64": (False, 0)}


def test_counts_of_tenants_add_up() -> None:
    early, late = utc_now(), utc_now() + timedelta(days=1)
    one, other = SpaceCount(1, 3, 2, late), SpaceCount(2, 4, 2, early)
    here, there = UUID(int=1), UUID(int=2)
    assert add_counts({here: one}, {here: other, there: NOTHING}) == {here: SpaceCount(3, 7, 4, early), there: NOTHING}
    assert SpaceCount(held=0, belonging=1_000, missing=1).percent == 99  # a hundred is said of a whole alone

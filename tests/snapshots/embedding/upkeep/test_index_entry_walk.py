"""All memories of a tenant with their index, page by page, whatever statistics say. Rows: S5, R6."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from memory_platform.kernel.clock import utc_now
from snapshots.embedding.config import WalkConfig
from snapshots.embedding.embedding_spaces import active_embedders, space_id
from snapshots.embedding.upkeep.index_entry_walk import walk_memories
from snapshots.embedding.upkeep.space_completeness import count_memories_only_in, count_space_memories
from snapshots.embedding.upkeep.vector_backfill import backfill_vectors
from snapshots.jobs import backfill_vectors_job
from snapshots.models import Snapshot, SnapshotVector, SnapshotWords
from snapshots.sensitive.detector import mask_sensitive
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.embedding.upkeep.test_vector_backfill import post_turns
from tests.snapshots.embedding.world import counts, store, version
from tests.snapshots.lifecycle.world import recall_texts

SMALL = WalkConfig(page=2)
TABLES = ("snapshot", "snapshot_words", "snapshot_vector", "message")
ANALYZE = f"ANALYZE {', '.join(TABLES)}"


@pytest.fixture
def stale(world: World) -> Iterator[World]:
    """Statistics from when acme had nothing, and sixty memories of acme's since."""
    store(world.globex, "gil likes tea", "吉尔喜欢喝茶")
    as_owner(ANALYZE)
    store(world.acme, *(f"ada likes tea number {number}" for number in range(60)))
    post_turns(world.acme, "assistant", "Do you eat nuts?", "user", "No, they make me ill")
    yield world
    as_owner(ANALYZE)


def as_owner(sql: str) -> None:
    with connections["owner"].cursor() as owner:
        owner.execute(sql)


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from nodes(part)


def plans_of(house: House, work: Any) -> list[dict[str, Any]]:
    """Return the plans of all that ``work`` asks of the tables of memories."""
    with CaptureQueriesContext(connection) as asked:
        work()
    said = [
        query["sql"]
        for query in asked
        if query["sql"].lstrip().startswith("SELECT") and any(one in query["sql"] for one in TABLES)
    ]
    with tenant_tx(house.tenant.id), connection.cursor() as cursor:
        plans = []
        for sql in said:
            cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}")
            (answer,) = cursor.fetchone()
            plans.append((answer if isinstance(answer, list) else json.loads(answer))[0]["Plan"])
    return plans


def test_no_statement_reads_a_table_more_than_once_whatever_statistics_say(stale: World) -> None:
    acme = stale.acme
    listed = active_embedders()

    def work() -> None:
        backfill_vectors(acme.tenant.id, 10, mask=mask_sensitive)
        count_space_memories(acme.tenant.id, listed)
        count_memories_only_in(acme.tenant.id, space_id(listed[0]), [])

    for _ in ("stale", "fresh"):
        plans = plans_of(acme, work)
        assert len(plans) >= 3 * len(TABLES)
        assert {node.get("Relation Name") for plan in plans for node in nodes(plan)} >= {*TABLES}
        for plan in plans:
            kinds = [node["Node Type"] for node in nodes(plan)]
            assert not [kind for kind in kinds if "Join" in kind or kind == "Nested Loop"], kinds
            assert len({node["Relation Name"] for node in nodes(plan) if "Relation Name" in node}) == 1
        with tenant_tx(acme.tenant.id):
            SnapshotVector.objects.filter(snapshot__conversation__isnull=False).delete()
        as_owner(ANALYZE)


def test_each_memory_in_use_is_met_once_with_what_the_index_holds(world: World) -> None:
    written = set(store(world.acme, "one tea", "two teas", "三杯茶", "four", "五"))
    bare = set(store(world.acme, "six", embed=False))
    (expired,) = store(world.acme, "seven")
    store(world.globex, "eight")
    with tenant_tx(world.acme.tenant.id):
        Snapshot.objects.filter(id=expired).update(expires_at=utc_now() - timedelta(seconds=1))
    pages = list(walk_memories(world.acme.tenant.id, config=SMALL))
    assert [len(page) for page in pages] == [2, 2, 2]
    met = [one for page in pages for one in page]
    assert [one.id for one in met] == sorted(written | bare)
    (space,) = map(space_id, active_embedders())
    assert {one.id: one.spaces for one in met} == {one: {space} if one in written else set() for one in written | bare}
    assert {one.language for one in met} == {"en", "zh"}


def test_a_memory_whose_words_are_missing_gets_them_again_and_is_found(world: World) -> None:
    store(world.acme, "My cello is at the repair shop", "钢琴在修理店", "I love jazz")
    store(world.globex, "Gil plays the cello")
    with tenant_tx(world.acme.tenant.id):
        whole = set(SnapshotWords.objects.values_list("snapshot_id", "words", "language", "saying", "position"))
        lost = SnapshotWords.objects.filter(snapshot__text__in=["My cello is at the repair shop", "钢琴在修理店"])
        assert lost.delete()[0] == 2
    assert "My cello is at the repair shop" not in recall_texts(world.acme, "cello")
    before, strange = version(world.acme), version(world.globex)
    backfill_vectors_job()
    with tenant_tx(world.acme.tenant.id):
        assert whole == set(SnapshotWords.objects.values_list("snapshot_id", "words", "language", "saying", "position"))
    assert recall_texts(world.acme, "cello")[0] == "My cello is at the repair shop"
    assert recall_texts(world.acme, "钢琴")[0] == "钢琴在修理店"
    assert (version(world.acme), version(world.globex)) == (before + 1, strange)
    backfill_vectors_job()
    assert version(world.acme) == before + 1


def test_a_memory_without_words_and_vectors_gets_both(world: World) -> None:
    store(world.acme, "I love jazz", embed=False)
    with tenant_tx(world.acme.tenant.id):
        SnapshotWords.objects.all().delete()
    assert [backfill_vectors(world.acme.tenant.id, 10, mask=mask_sensitive) for _ in range(3)] == [0, 1, 0]
    assert counts(world.acme) == (1, 1, 1)
    with tenant_tx(world.acme.tenant.id):
        assert SnapshotVector.objects.get().snapshot_id == SnapshotWords.objects.get().snapshot_id

"""What a product hangs on memories narrows an answer, and weighs on nothing else. Rows: R2, R1, T1."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory_platform.kernel.clock import utc_now
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.recall.config import FilterConfig
from snapshots.recall.filtering.filter_grammar import parse_filter
from snapshots.recall.filtering.filter_matching import FilterTooCostly
from snapshots.recall.loading.load_stored_memory import make_reader_in_scope
from snapshots.recall.loading.metadata_filters import resolve_metadata_conditions
from snapshots.recall.pipeline import recall
from snapshots.recall.ranking.memory_ranking import find_filtered_rows, find_valid_rows
from snapshots.recall.values import SNAPSHOTS, RecallQuery
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.held import remember
from tests.snapshots.lifecycle.world import edit
from tests.snapshots.recall.loading.test_block_sealing import index


def find_cellos(house: House, **conditions: Any) -> set[str]:
    """Return what answers of those that say "cello" and whose metadata satisfies ``conditions``."""
    raw = {f"metadata.{key}": condition for key, condition in conditions.items()}
    query = RecallQuery("cello 大提琴", asked_at=utc_now(), top_k=50, filter=parse_filter(raw) if raw else None)
    return {memory.text for memory in recall(house.tenant.id, house.subject.external_id, query).memories}


def test_values_keep_their_types(world: World) -> None:
    held: dict[str, Any] = {
        "cello true": True,
        "cello 1": 1,
        "cello 1.5": 1.5,
        "cello large": 2**60,
        "cello text": "1",
        "cello list": [1, ["上海", None], {"a": 2}],
        "cello null": None,
        "cello object": {"a": 1},
        "大提琴 cello": "我家在上海",
    }
    for text, value in held.items():
        remember(world.acme, text, metadata={"k": value, 'other "key"': "x"})
    remember(world.acme, "cello nothing")

    assert find_cellos(world.acme, k={"eq": 1}) == {"cello 1", "cello list"}
    assert find_cellos(world.acme, k={"eq": True}) == {"cello true"}
    assert find_cellos(world.acme, k={"in": ["1", True]}) == {"cello text", "cello true"}
    assert find_cellos(world.acme, k={"gt": 1}) == {"cello 1.5", "cello large"}
    assert find_cellos(world.acme, k={"lte": 2**60}) == {"cello 1", "cello 1.5", "cello large"}
    assert find_cellos(world.acme, k={"contains": "上海"}) == {"cello list", "大提琴 cello"}
    assert find_cellos(world.acme, k={"exists": False}) == {"cello null", "cello nothing"}
    assert find_cellos(world.acme, k={"ne": 1}) == {*held, "cello nothing"} - {"cello 1", "cello list"}
    assert find_cellos(world.acme, **{'other "key"': {"eq": "x"}, "k": {"lt": 2}}) == {"cello 1", "cello 1.5"}
    assert find_cellos(world.acme, unheard={"eq": "x"}) == set()


def test_an_index_holds_none_of_it(world: World) -> None:
    remember(world.acme, "cello")
    bare = index(world.acme).nbytes
    remember(world.globex, "cello", metadata={"k": ["x" * 10] * 5_000})
    assert index(world.globex).nbytes == bare


def test_it_is_read_for_the_filter_that_names_it_alone(world: World) -> None:
    remember(world.acme, "cello", metadata={"k": 1})
    find_cellos(world.acme, k={"eq": 1})
    with CaptureQueriesContext(connection) as asked:
        find_cellos(world.acme, k={"eq": 1}, l={"ne": 2})
    assert sum("metadata ->" in query["sql"] for query in asked.captured_queries) == 1
    with CaptureQueriesContext(connection) as asked:
        find_cellos(world.acme)
    assert not any("metadata ->" in query["sql"] for query in asked.captured_queries)


def test_what_was_changed_or_added_since_the_index_counts(world: World) -> None:
    (held,) = remember(world.acme, "cello old", metadata={"k": 1})
    assert find_cellos(world.acme, k={"eq": 1}) == {"cello old"}
    remember(world.acme, "cello new", metadata={"k": 1})
    assert find_cellos(world.acme, k={"eq": 1}) == {"cello old", "cello new"}
    edit(world.acme, SnapshotAddress(world.acme.subject.external_id, held), metadata={"k": 2})
    assert find_cellos(world.acme, k={"eq": 1}) == {"cello new"}


def test_another_tenants_metadata_is_never_looked_at(world: World) -> None:
    remember(world.acme, "cello", metadata={"k": 1})
    query = RecallQuery("cello", asked_at=utc_now(), filter=parse_filter({"metadata.k": {"eq": 1}}))
    held = index(world.acme)
    for house, expected in ((world.acme, [True]), (world.globex, [False])):
        with tenant_tx(house.tenant.id):
            asked = resolve_metadata_conditions(query, make_reader_in_scope(world.acme.subject.id), {SNAPSHOTS: held})[
                SNAPSHOTS
            ]
        assert (
            find_valid_rows(held.columns, asked, skew=0) & find_filtered_rows(held.columns, asked)
        ).tolist() == expected


@pytest.mark.parametrize(
    ("config", "named"),
    [
        (FilterConfig(metadata_bytes=500), "filter.metadata.k"),
        (FilterConfig(metadata_held_bytes=300), "filter.metadata.long"),
        (FilterConfig(looked_at=20), "filter.metadata.long"),
    ],
)
def test_more_than_a_question_may_look_at_is_refused(world: World, config: FilterConfig, named: str) -> None:
    remember(world.acme, "cello", metadata={"k": 1, "long": list(range(100))})
    raw = {"metadata.k": {"eq": 1}, "metadata.long": {"gt": 7}}
    query = RecallQuery("cello", asked_at=utc_now(), filter=parse_filter(raw))
    held = index(world.acme)
    with tenant_tx(world.acme.tenant.id), pytest.raises(FilterTooCostly) as refused:
        resolve_metadata_conditions(
            query, make_reader_in_scope(world.acme.subject.id), {SNAPSHOTS: held}, config=config
        )
    assert refused.value.faults[0].field == named


NEAR_THE_LIMIT: dict[str, dict[str, Any]] = {
    "texts": {f"k{number}": f"{number}" + "abcdé猫" * 800 for number in range(10)},
    "keys": {f"k{number}": "x" * 40 for number in range(1_000)},
    "control characters": {"k0": "\u0001" * 10_000, "k1": 3},
    "a list of numbers": {"k0": [number / 7 for number in range(3_400)], "k1": 3},
    "nested lists": {"k0": [[[[[["x", 1], "y"], "y"], "y"], "y"]] * 1_900},
}
"""What the API lets a product hang on one memory: 64 KiB of JSON."""


@pytest.mark.parametrize("shape", sorted(NEAR_THE_LIMIT))
def test_fifty_memories_with_as_much_as_they_may_hold_are_filtered_or_refused(world: World, shape: str) -> None:
    remember(world.acme, *(f"cello {number}" for number in range(50)), metadata=NEAR_THE_LIMIT[shape])
    remember(world.acme, "cello alone", metadata={"k1": "猫"})
    refused = []
    conditions: tuple[tuple[str, dict[str, Any], int], ...] = (
        ("k1", {"eq": "猫"}, 1),
        ("k0", {"contains": "no such text"}, 0),
        ("k0", {"gt": 10**9}, 0),
        ("unheard", {"exists": False}, 50),
    )
    for key, condition, expected in conditions:
        try:
            assert len(find_cellos(world.acme, **{key: condition})) == expected
        except FilterTooCostly:
            refused.append(key)
    assert set(refused) <= {"k0"}
    assert len(find_cellos(world.acme)) == 50

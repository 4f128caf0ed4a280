"""The packed memory of one subject. Rows: R2, S5."""

import gc
import tracemalloc
from dataclasses import fields, is_dataclass, replace
from datetime import timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapshots.recall.filtering.filter_grammar import Condition, FilterValue
from snapshots.recall.filtering.filter_matching import FilterMatcher
from snapshots.recall.memory_indexes.memory_index import MemoryIndex, build_index, extend_index, unpack_memories
from snapshots.recall.values import MemoryRow
from tests.snapshots.recall.world import EMBEDDER, NOW, conversation, index_of, memory


def test_memories_of_one_conversation_are_neighbours_in_order_of_seq() -> None:
    first, second, third = conversation("one apple", "two pears", "three plums")
    index = index_of([third, first, second])
    assert index.neighbours.previous.tolist() == [2, 3, 1, 3]
    assert index.neighbours.next.tolist() == [3, 2, 0, 3]
    assert index.neighbours.previous2.tolist() == [1, 3, 3, 3]


def test_conversations_do_not_touch_and_a_memory_without_seq_stands_alone() -> None:
    rows = [
        *conversation("one", conversation_id="c1"),
        *conversation("two", conversation_id="c2"),
        memory("three", conversation_id="c2"),
    ]
    assert index_of(rows).neighbours.previous.tolist() == [3] * 4


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 100])
def test_the_index_knows_its_bytes(size: int) -> None:
    def make() -> MemoryIndex:
        return index_of(
            [
                memory(
                    f"memory {i} of a long day",
                    name=f"Speaker {i} 说",
                    conversation_id=f"conversation {i}",
                    topics=tuple(f"{i} {j} {'t' * 80}" for j in range(20)),
                )
                for i in range(size)
            ]
        )

    def trace() -> tuple[int, int]:
        gc.collect()
        tracemalloc.start()
        held = make()
        gc.collect()
        traced = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        return held.nbytes, traced

    make()
    told = (trace() for _ in range(3))  # again where something else allocated meanwhile
    assert any(0.8 * traced < held < 1.3 * traced for held, traced in told)


def test_without_an_embedding_space_there_are_no_dense_views() -> None:
    assert build_index([memory("one")]).spaces == ()
    assert index_of([memory("one", embed=False)]).spaces == ()
    (space,) = index_of([memory("one", embed=False), memory("two")]).spaces
    assert space.rows.tolist() == [1]


def test_nothing_remembered_is_an_index_too() -> None:
    assert len(index_of([]).ids) == 0


def test_a_filter_reads_every_field_of_a_row() -> None:
    row = memory(
        "aisle",
        topics=("seats",),
        name="Ada",
        confidence=0.6,
        importance=0.3,
        valid_at=None,
        expires_at=NOW + timedelta(days=1),
        conversation_id="c1",
    )
    columns = index_of([row, memory("window")]).columns
    expected: dict[str, FilterValue] = {
        "kind": "statement",
        "topics": "seats",
        "name": "Ada",
        "conversation_id": "c1",
        "confidence": 0.6,
        "importance": 0.3,
        "provenance": "observation",
        "said_at": NOW - timedelta(hours=1),
        "expires_at": NOW + timedelta(days=1),
        "created_at": NOW,
    }
    for field, value in expected.items():
        (matched, _) = FilterMatcher(columns.field_values).match_rows(Condition(field, "eq", value)).tolist()
        assert matched, field
    missing = [
        FilterMatcher(columns.field_values).match_rows(Condition(field, "exists", False)).tolist()
        for field in ("valid_at", "name")
    ]
    assert missing == [[True, True], [False, True]]


def test_the_order_of_rows_changes_no_row() -> None:
    rows = conversation("one apple", "two pears")
    there, back = index_of(rows), index_of(rows[::-1])
    assert np.array_equal(np.sort(there.dated_length), np.sort(back.dated_length))
    assert there.postings.keys.tolist() == back.postings.keys.tolist()
    assert [space.dated.shape for space in there.spaces] == [(2, EMBEDDER.dimensions)]
    assert replace(rows[0], seq=None).seq is None


def same(one: Any, other: Any) -> bool:
    """Return whether two values of an index are equal, arrays by their numbers."""
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, other, equal_nan=one.dtype.kind == "f"))
    if isinstance(one, dict):
        return True  # what was worked out, not what is held
    if is_dataclass(one):
        return all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


_rows = st.lists(
    st.builds(
        memory,
        st.text(alphabet="ab 家门?", max_size=12),
        embed=st.booleans(),
        conversation_id=st.sampled_from([None, "c1", "c2", "c3"]),
        seq=st.none() | st.integers(0, 6),
        name=st.sampled_from([None, "Ada", "Gil"]),
        said_at=st.none() | st.sampled_from([NOW, NOW - timedelta(hours=5), NOW - timedelta(days=2)]),
    ),
    max_size=12,
)


@given(_rows, st.lists(st.integers(0, 12), max_size=3))
def test_an_index_that_grew_is_the_index_of_all_of_it(rows: list[MemoryRow], cuts: list[int]) -> None:
    whole = {EMBEDDER.name: EMBEDDER.dimensions}
    steps = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    grown = build_index([], whole)
    for first, end in pairwise(steps):
        before = len(grown.ids)
        longer = extend_index(grown, unpack_memories(rows[first:end], whole))
        assert len(grown.ids) == before, "an index that others read does not change"
        grown = longer
    assert same(grown, build_index(rows, whole))

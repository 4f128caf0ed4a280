"""The index of an earlier moment is the one that would have been built then. Rows: P4, R2."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_platform.kernel.clock import utc_now
from snapshots.recall.answer import BestHits
from snapshots.recall.loading.past_indexes import make_index_at
from snapshots.recall.memory_indexes.memory_index import (
    join_rows,
    link_rows,
    make_unlinked_rows,
    take_rows,
    unpack_memories,
)
from snapshots.recall.pipeline import rank_lanes, recall
from snapshots.recall.values import MemoryRow, RecallQuery
from tests.conftest import World
from tests.snapshots.lifecycle.world import create_one, edit
from tests.snapshots.recall.memory_indexes.test_memory_index import same
from tests.snapshots.recall.world import EMBEDDER, NOW, index_of, memory

SPACES = {EMBEDDER.name: EMBEDDER.dimensions}
SOON, LATER = NOW + timedelta(seconds=1), NOW + timedelta(microseconds=1)

_rows = st.lists(
    st.builds(
        memory,
        st.text(alphabet="ab 家门?", max_size=12),
        embed=st.booleans(),
        conversation_id=st.sampled_from([None, "c1", "c2"]),
        seq=st.none() | st.integers(0, 6),
        name=st.sampled_from([None, "Ada", "小明"]),
        said_at=st.sampled_from([None, NOW, NOW - timedelta(days=2)]),
        created_at=st.sampled_from([NOW, LATER, SOON]),
        retired_at=st.sampled_from([None, NOW, LATER, SOON]),
        topics=st.sampled_from([(), ("旅行", "travel"), ("travel",)]),
    ),
    max_size=12,
    unique_by=lambda row: row.id,
)
_changes = st.lists(st.none() | st.text(alphabet="ab 家门?", max_size=12), min_size=12, max_size=12)


def was_known(row: MemoryRow, moment: datetime) -> bool:
    return row.created_at <= moment and (row.retired_at is None or row.retired_at > moment)


@settings(suppress_health_check=[HealthCheck.too_slow])  # the first text loads what reads Chinese
@given(_rows, _changes, st.sampled_from([NOW, LATER, SOON]))
def test_it_is_the_index_of_what_was_held_then(
    rows: list[MemoryRow], changes: list[str | None], moment: datetime
) -> None:
    then = [
        row if said is None else replace(memory(said, embed=False), id=row.id, created_at=row.created_at)
        for row, said in zip(rows, changes, strict=False)
    ]
    then = [replace(one, retired_at=row.retired_at) for one, row in zip(then, rows, strict=True)]
    changed = [one for one, said in zip(then, changes, strict=False) if said is not None]
    made = make_index_at(index_of(rows), moment, [one.id for one in changed], unpack_memories(changed, SPACES))
    built = index_of([one for one in then if was_known(one, moment)])
    assert same(made.columns.speaker, built.columns.speaker)
    assert same(without_spaces(made), without_spaces(built))
    assert all(same(space, other) for space, other in zip(made.spaces, built.spaces, strict=True))


def without_spaces(index: object) -> object:
    return replace(index, spaces=(), nbytes=0)  # type: ignore[type-var]


@given(_rows, st.randoms(use_true_random=False))
def test_rows_are_taken_in_any_order(rows: list[MemoryRow], chance: object) -> None:
    order = list(range(len(rows)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    order = order[: len(rows) // 2 + 1]
    wanted = index_of([rows[place] for place in order])
    assert same(link_rows(take_rows(make_unlinked_rows(index_of(rows)), np.array(order, np.int64))), wanted)
    assert same(link_rows(join_rows([take_rows(unpack_memories(rows, SPACES), np.array(order, np.int64))])), wanted)


def test_what_was_not_changed_since_is_the_index_itself() -> None:
    index = index_of([memory("jazz"), memory("钢琴")])
    assert make_index_at(index, NOW, [], unpack_memories([], SPACES)) is index
    assert len(make_index_at(index, NOW - timedelta(days=1), [], unpack_memories([], SPACES)).ids) == 0


def test_no_transaction_is_open_while_the_past_is_ranked(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    address = create_one(world.acme, "The key is under the mat")
    before = utc_now()
    edit(world.acme, address, text="The key is under the pot")
    opened: list[bool] = []

    def watch_ranking(*asked: Any) -> BestHits:
        opened.append(connection.in_atomic_block)
        return rank_lanes(*asked)

    monkeypatch.setattr("snapshots.recall.pipeline.rank_lanes", watch_ranking)
    found = recall(world.acme.tenant.id, "ada", RecallQuery("mat", asked_at=utc_now(), known_at=before))
    assert [memory.text for memory in found.memories] == ["The key is under the mat"]
    assert opened == [False]

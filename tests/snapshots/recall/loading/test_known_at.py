"""What was held at an earlier moment is what a question about that moment gets. Rows: P4, R2."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory_platform.kernel.clock import utc_now
from snapshots.embedding.snapshot_history import supersede_snapshots
from snapshots.lifecycle.product_snapshots import retire_snapshot
from snapshots.lifecycle.selectors import load_snapshot_history
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import Snapshot
from snapshots.recall.filtering.filter_grammar import parse_filter
from snapshots.recall.loading.loaded_indexes import INDEXES
from snapshots.recall.pipeline import recall_in_scope
from snapshots.recall.question import prepare_question
from snapshots.recall.values import RecalledMemory, RecallQuery
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.held import remember
from tests.snapshots.lifecycle.world import anything, create_one, edit, recall_texts

OLD = datetime(2025, 3, 1, tzinfo=UTC)


def ask_index(house: House, text: str, **query: Any) -> tuple[RecalledMemory, ...]:
    question = prepare_question(text)
    with tenant_tx(house.tenant.id):
        return recall_in_scope(house.subject.id, RecallQuery(text=text, asked_at=utc_now(), **query), question).memories


@pytest.mark.parametrize(
    ("was", "becomes", "word"),
    [
        ("The key is under the mat", "The key is under the pot", "mat"),
        ("钥匙在门垫下面", "钥匙在花盆下面", "门垫"),
        ("The key is under the mat", "钥匙在花盆下面", "mat"),
    ],
)
def test_an_edited_memory_answers_with_the_words_it_had(world: World, was: str, becomes: str, word: str) -> None:
    address = create_one(world.acme, was)
    before = utc_now()
    edit(world.acme, address, text=becomes)
    assert recall_texts(world.acme, word, known_at=before) == [was]
    assert was not in recall_texts(world.acme, word, known_at=utc_now())
    assert was not in recall_texts(world.acme, word)


def test_of_several_edits_the_one_held_at_that_moment_answers(world: World) -> None:
    address = create_one(world.acme, "Parked on level one")
    moments = []
    for level in ("two", "three"):
        moments.append(utc_now())
        edit(world.acme, address, importance=0.9)
        edit(world.acme, address, text=f"Parked on level {level}")
    moments.append(utc_now())
    held = [recall_texts(world.acme, "parked", known_at=moment) for moment in moments]
    assert held == [["Parked on level one"], ["Parked on level two"], ["Parked on level three"]]


def test_what_is_a_repeat_today_was_none_then_and_the_other_way_round(world: World) -> None:
    remember(world.acme, "The key is under the mat", said_at=OLD)
    address = create_one(world.acme, "The key is under the pot")
    before = utc_now()
    edit(world.acme, address, text="The KEY is under the mat!")
    assert len(recall_texts(world.acme, "key", known_at=before)) == 2
    assert len(recall_texts(world.acme, "key", known_at=utc_now())) == 1
    between = utc_now()
    edit(world.acme, address, text="The key is under the bed")
    assert len(recall_texts(world.acme, "key", known_at=between)) == 1
    assert len(recall_texts(world.acme, "key")) == 2


def test_columns_and_filters_are_those_of_then(world: World) -> None:
    (held,) = remember(
        world.acme, "Prefers tea", said_at=OLD, category="food", topics=("drinks",), confidence=0.4, metadata={"a": "x"}
    )
    before = utc_now()
    address = SnapshotAddress(world.acme.subject.external_id, held)
    edit(world.acme, address, category="", topics=["work"], confidence=0.6, metadata={"a": "y"}, said_at=utc_now())

    then = ask_index(world.acme, "tea", known_at=before)[0]
    assert (then.category, then.topics, then.confidence, then.said_at) == ("food", ("drinks",), 0.4, OLD)
    assert ask_index(world.acme, "drinks", known_at=before)
    now = ask_index(world.acme, "tea", known_at=utc_now())[0]
    assert (now.category, now.topics, now.confidence) == (None, ("work",), 0.6)

    for narrowing in (
        {"topics": frozenset({"drinks"})},
        {"until": OLD},
        {"filter": parse_filter({"metadata.a": {"eq": "x"}})},
        {"filter": parse_filter({"confidence": {"lt": 0.5}})},
    ):
        assert len(ask_index(world.acme, "tea", known_at=before, **narrowing)) == 1
        assert ask_index(world.acme, "tea", **narrowing) == ()


def test_what_was_superseded_or_retired_later_is_still_found(world: World) -> None:
    mat, pot, gone = remember(world.acme, "The key is under the mat", "The key is under the pot", "key of the shed")
    before = utc_now()
    with tenant_tx(world.acme.tenant.id):
        rows = Snapshot.objects.filter(id=mat)
        supersede_snapshots(world.acme.subject.id, rows, by=pot, invalid_at=before - timedelta(minutes=5))
        retire_snapshot(SnapshotAddress("ada", gone), accept=anything)
    assert {memory.id for memory in ask_index(world.acme, "key", known_at=before)} == {mat, pot, gone}
    assert {memory.id for memory in ask_index(world.acme, "key", known_at=utc_now())} == {pot}
    assert {memory.id for memory in ask_index(world.acme, "key")} == {pot}


def test_a_superseded_memory_shows_so_in_its_history(world: World) -> None:
    mat, pot = remember(world.acme, "under the mat", "under the pot")
    with tenant_tx(world.acme.tenant.id):
        supersede_snapshots(world.acme.subject.id, Snapshot.objects.filter(id=mat), by=pot, invalid_at=OLD)
        first, second = load_snapshot_history(Snapshot.objects.get(id=mat))
    assert (first.snapshot.invalid_at, first.snapshot.superseded_by_id) == (None, None)
    assert (second.snapshot.invalid_at, second.snapshot.superseded_by_id) == (OLD, pot)
    assert first.retired_at == second.recorded_at
    assert (first.snapshot.version, second.snapshot.version) == (1, 2)
    edit(world.acme, SnapshotAddress("ada", mat), importance=0.9)


def test_what_was_recorded_later_is_not_known_then_although_it_was_true(world: World) -> None:
    before = utc_now()
    remember(world.acme, "The key is under the mat", said_at=OLD)
    assert recall_texts(world.acme, "key", known_at=before) == []
    assert recall_texts(world.acme, "key") == ["The key is under the mat"]


def test_the_past_is_built_for_one_question_and_leaves_the_usual_path_alone(world: World) -> None:
    create_one(world.acme, "The key is under the mat")
    ask_index(world.acme, "key", known_at=utc_now())
    INDEXES.clear()
    with CaptureQueriesContext(connection) as first:
        ask_index(world.acme, "key")
    with CaptureQueriesContext(connection) as second:
        ask_index(world.acme, "key")
    assert not any("snapshot_version" in query["sql"] for query in [*first.captured_queries, *second.captured_queries])
    assert len(second.captured_queries) == len(first.captured_queries)


def test_another_tenants_past_stays_its_own(world: World) -> None:
    address = create_one(world.acme, "The key is under the mat")
    before = utc_now()
    edit(world.acme, address, text="The key is under the pot")
    question, query = prepare_question("mat"), RecallQuery("mat", asked_at=utc_now(), known_at=before)
    with tenant_tx(world.globex.tenant.id):
        assert recall_in_scope(world.acme.subject.id, query, question).memories == ()

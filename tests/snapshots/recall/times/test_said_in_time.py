"""A question that names a time prefers what was said then, and loses nothing else. Rows: R2, R7."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import numpy as np
import pytest

from snapshots.recall.config import ScoringPolicy
from snapshots.recall.memory_indexes.memory_index import MemoryIndex
from snapshots.recall.question import make_probe, resolve_probe_times
from snapshots.recall.ranking.memory_ranking import list_ids
from snapshots.recall.ranking.memory_scores import score_memories
from snapshots.recall.values import MemoryRow
from tests.snapshots.recall.world import NOW, ask, id_of, index_of, memory

POLICY = ScoringPolicy()


def make_sailing_rows(*days_ago: int) -> list[MemoryRow]:
    """Return one memory of sailing for each of ``days_ago``, its words worth the same."""
    names = ("Ada", "Gil", "Lee", "Mia")
    return [
        memory(f"went sailing with {name}", said_at=NOW - timedelta(days))
        for name, days in zip(names, days_ago, strict=False)
    ]


def compute_gain(question: str, index: MemoryIndex, policy: ScoringPolicy = POLICY) -> list[float]:
    probe = resolve_probe_times(make_probe(question, {}, policy), question, NOW)
    without = score_memories(index, make_probe(question, {}, policy), policy)
    return [round(float(score), 4) for score in score_memories(index, probe, policy).preferred - without.preferred]


def first(question: str, rows: list[MemoryRow]) -> UUID:
    return ask(question, index_of(rows), dense=False)[0].id


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("Who went sailing last week?", 7),
        ("Who went sailing two weeks ago?", 15),
        ("Who went sailing in March?", 50),
        ("Who went sailing in May 2025?", 350),
    ],
)
def test_what_was_said_in_the_time_asked_for_comes_first(question: str, days: int) -> None:
    rows = make_sailing_rows(*sorted({7, 15, 50, 350}))
    said = next(row for row in rows if row.said_at == NOW - timedelta(days))
    assert first(question, rows) == said.id


@pytest.mark.parametrize(
    ("question", "days"), [("上周我去哪里划船", 7), ("三月我去哪里划船", 50), ("去年五月划船", 350)]
)
def test_the_same_in_chinese(question: str, days: int) -> None:
    rows = [
        memory(f"我去{place}划船", said_at=NOW - timedelta(ago))
        for place, ago in (("北湖", 7), ("南湖", 50), ("东湖", 350))
    ]
    said = next(row for row in rows if row.said_at == NOW - timedelta(days))
    assert first(question, rows) == said.id


def test_nothing_is_lost_by_being_said_at_another_time() -> None:
    index = index_of(make_sailing_rows(7, 50, 350))
    assert {hit.id for hit in ask("Who went sailing last week?", index)} == set(
        list_ids(index, np.arange(len(index.ids)))
    )


def test_a_question_without_a_time_prefers_none() -> None:
    assert compute_gain("Who went sailing?", index_of(make_sailing_rows(7, 50, 350))) == [0, 0, 0]


def test_the_worth_falls_in_the_days_after_the_time() -> None:
    end_of_april = datetime(2026, 5, 1, tzinfo=UTC)
    said = [end_of_april - timedelta(1), end_of_april + timedelta(POLICY.said_after_days / 2), None]
    index = index_of([memory(f"went sailing {i}", said_at=at) for i, at in enumerate(said)])
    within, after, unknown = compute_gain("Who went sailing in April?", index)
    assert within == POLICY.said_in_time
    assert after == pytest.approx(POLICY.said_in_time / 2, abs=1e-4)
    assert unknown == 0


def test_what_was_said_before_the_time_gains_nothing() -> None:
    assert compute_gain("Who went sailing in April?", index_of(make_sailing_rows(60))) == [0]


def test_recently_is_a_hint_only() -> None:
    recent, old = compute_gain("Who went sailing recently?", index_of(make_sailing_rows(3, 300)))
    assert recent == pytest.approx(POLICY.said_recently, abs=1e-4)
    assert old == 0


def test_a_question_that_asks_when_still_prefers_the_month_it_names() -> None:
    in_march, in_january = compute_gain("When did we go sailing in March?", index_of(make_sailing_rows(50, 110)))
    assert (in_march, in_january) == (POLICY.said_in_time, 0)


@pytest.mark.parametrize(
    "question",
    ["What did I say last week?", "What happened last week?", "What did Ada tell me last week?", "上周我说了什么"],
)
def test_a_question_for_nothing_but_a_time_finds_what_was_said_then(question: str) -> None:
    then, earlier = "My sister found work in Oslo", "The dentist moved to Elm Street"
    rows = [memory(text, said_at=NOW - timedelta(days), name="Ada") for text, days in ((then, 7), (earlier, 70))]
    assert first(question, rows) == id_of(then)


def test_a_question_for_more_than_a_time_finds_by_what_it_asks_for() -> None:
    rows = make_sailing_rows(7)
    assert not ask("Which opera did I hear last week?", index_of(rows), dense=False)


def test_the_preference_is_explained() -> None:
    hits = {hit.id: hit for hit in ask("Who went sailing last week?", index_of(make_sailing_rows(7, 350)), dense=False)}
    then, earlier = (hits[id_of(f"went sailing with {name}")].explain for name in ("Ada", "Gil"))
    assert then
    assert earlier
    assert then.preferred - earlier.preferred == pytest.approx(POLICY.said_in_time, abs=0.01)


def test_a_time_is_seen_from_the_moment_asked_about() -> None:
    rows = make_sailing_rows(7, 372)
    then = NOW - timedelta(365)
    hits = ask("Who went sailing last week?", index_of(rows), as_of=then, dense=False)
    assert hits[0].id == rows[1].id

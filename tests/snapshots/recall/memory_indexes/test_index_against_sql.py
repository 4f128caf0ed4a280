"""Recall through the indexes of processes is what plain SQL says of the tables. Rows: R1, R2, R3, R6, S5, E6, E8.

Random histories; after every step the same question goes to one SQL statement, which keeps nothing, to a process, which
keeps its indexes from question to question, and now and then to another, whose indexes lag behind. Ids and order must
be equal, and each score.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.test import override_settings

from memory_platform.kernel.clock import utc_now
from memory_platform.providers import registry
from memory_platform.providers.redis.client import redis_client
from snapshots.recall.loading.loaded_indexes import SUBJECTS, IndexCache
from snapshots.recall.pipeline import recall
from snapshots.recall.question import prepare_question
from snapshots.recall.values import RecalledMemory, RecallQuery
from tests.conftest import World
from tests.snapshots.recall.grid_embedder import GridEmbedder
from tests.snapshots.recall.histories import ASKED, History, remembers
from tests.snapshots.recall.memory_indexes.plain_sql import RankedRow, rank_plainly

SEEDS = range(12)
STEPS = (30, 32)
TOP_KS = (1, 8, 20, 40)
"""How many memories a question asks for. Of more than 25, more than the depth of a lane are candidates."""

EPSILON = 2e-6
"""Scores that are nearer may change places. What recall multiplies it rounds to 6 digits first, which is off by 5e-7 at
most; single precision is off by less. The largest distance in 72 histories was 6e-7."""
TIED = 1e-9
"""Double precision: memories that are equal in everything. Among them the newer comes first."""

MODELS = {
    "first": GridEmbedder("wordllama-l2_supercat-256", 32),
    "second": GridEmbedder("use-multilingual-v3", 24),
    "english": GridEmbedder("grid-16", 16, ("en",)),
}
"""By how the configuration lists them: two that the policy knows, with floors and a weight, one for English alone."""


@pytest.fixture(autouse=True)
def models(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make the models known, and let no test know what another asked."""
    made: Any = registry._EMBEDDED
    for name in MODELS:
        monkeypatch.setitem(made, name, partial(MODELS.__getitem__, name))
    redis_client().call("tests", lambda client: client.flushdb())
    SUBJECTS.clear()
    yield
    registry.forget_providers()


@pytest.mark.parametrize("seed", SEEDS)
def test_recall_is_what_plain_sql_says(world: World, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a history, not a secret
    history = History(world.acme, chance)
    processes = {"a process": IndexCache(10**8), "a process that was asked long ago": IndexCache(10**8)}
    for number in range(1, chance.randint(*STEPS) + 1):
        happened, query = history.step(), draw_question(history)
        plain = by_sql(history, query)
        for process in list(processes)[: 2 if chance.random() < 0.25 else 1]:
            difference = first_difference(by_recall(history, query, processes[process], monkeypatch), plain, query)
            step = f"seed {seed}, step {number} ({happened}), {process} with models {history.models}"
            assert difference is None, f"{step}, top {query.top_k} for {query.text!r}: {difference}"


def test_of_many_memories_that_are_equal_the_newest_are_answered(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    history = History(world.acme, random.Random(0))  # noqa: S311 - a history, not a secret
    with override_settings(EMBEDDER=history.models):
        remembers(history, ["I bought a red boat"] * 5 + ["昨天打开空调 the boat"] * 195)
    query = RecallQuery(text="red boat", asked_at=ASKED, top_k=20)
    found = by_recall(history, query, IndexCache(10**8), monkeypatch)
    assert first_difference(found, by_sql(history, query), query) is None


def draw_question(history: History) -> RecallQuery:
    """Return a question as it may be asked: now, long after, of an earlier moment, of some kinds, of a time."""
    chance = history.chance
    query = RecallQuery(
        text=history.question(), asked_at=ASKED, top_k=chance.choice(TOP_KS), lanes=frozenset({"snapshots"})
    )
    changes: tuple[dict[str, Any], ...] = (
        {"asked_at": utc_now() + timedelta(days=chance.choice((40, 100)))},
        {"as_of": ASKED - timedelta(days=chance.randint(5, 90))},
        {"kinds": frozenset({"statement", "conversation"})},
        {"since": ASKED - timedelta(days=chance.randint(30, 110))},
    )
    return replace(query, **chance.choice(changes)) if chance.random() < 0.4 else query


def by_sql(history: History, query: RecallQuery) -> list[RankedRow]:
    """Return all candidates as the statement ranks them."""
    with override_settings(EMBEDDER=history.models):
        question = prepare_question(query.text)
        return rank_plainly(history.house.tenant.id, history.house.subject.id, query, question)


def by_recall(
    history: History, query: RecallQuery, indexes: IndexCache, monkeypatch: pytest.MonkeyPatch
) -> tuple[RecalledMemory, ...]:
    """Return what a process answers that holds ``indexes``."""
    monkeypatch.setattr("snapshots.recall.loading.loaded_indexes.INDEXES", indexes)
    with override_settings(EMBEDDER=history.models):
        found = recall(history.house.tenant.id, history.house.subject.external_id, query)
    assert not found.degraded
    return found.memories


def first_difference(found: Sequence[RecalledMemory], plain: Sequence[RankedRow], query: RecallQuery) -> str | None:
    """Compare an answer with all candidates as SQL ranks them, place by place; None when they are the same."""
    expected, ranks = plain[: query.top_k], {one.id: one for one in plain}
    if len(found) != len(expected):
        return f"{len(found)} memories instead of {len(expected)}"
    for place, (memory, wanted) in enumerate(zip(found, expected, strict=True), 1):
        here = f"place {place}: {memory.id} ({memory.text!r})"
        rank = ranks.get(memory.id)
        if rank is None:
            return f"{here} is no candidate"
        if abs(memory.score - rank.score) > EPSILON:
            return f"{here} scored {memory.score:.7f} instead of {rank.score:.7f}"
        apart = abs(rank.score - wanted.score)
        if memory.id != wanted.id and (apart > EPSILON or apart < TIED):
            return f"{here} instead of {wanted.id}" + (", which is equal and newer" if apart < TIED else "")
    return None

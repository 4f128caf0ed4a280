"""The head of a recall in a reranker's order, and what happens when it does not answer. Rows: R4, R6, R7, R8."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import Unavailable
from memory_platform.kernel.ids import new_id
from memory_platform.providers.config import RERANK, RerankConfig
from memory_platform.providers.registry import forget_providers
from snapshots.recall.answer import RecallAnswer
from snapshots.recall.pipeline import recall
from snapshots.recall.ranking.rerank import render_for_reranker, rerank_head, trim_to_query
from snapshots.recall.values import DegradedReason, RecalledMemory, RecallQuery
from tests.conftest import House, World
from tests.model_server import ModelServer, Reply, Request, model_server
from tests.snapshots.held import remember
from tests.snapshots.notes_held import note_down

SAID = ("the dog barked", "my dog is called Rex", "dog food is expensive", "I walk the dog at seven")


def by_name(request: Request) -> Reply:
    """Find only the name relevant."""
    relevances = [0.9 if "Rex" in text else 0.1 for text in request.body["documents"]]
    return Reply({"results": [{"index": i, "relevance_score": score} for i, score in enumerate(relevances)]})


@pytest.fixture
def server(settings: Settings) -> Iterator[ModelServer]:
    with model_server(by_name) as running:
        settings.RERANKER, settings.RERANK_MODEL, settings.RERANK_URL = "http", "some-reranker", running.url
        yield running
    forget_providers()


def ask(house: House, text: str = "dog", **query: Any) -> RecallAnswer:
    return recall(house.tenant.id, "ada", RecallQuery(text=text, asked_at=utc_now(), **query))


def texts(found: RecallAnswer) -> list[str]:
    return [memory.text for memory in found.memories]


def test_the_reranker_orders_the_head_and_every_score_can_be_recomputed(world: World, server: ModelServer) -> None:
    remember(world.acme, *SAID)
    found = ask(world.acme, rerank=True, explain=True)
    assert texts(found)[0] == "my dog is called Rex"
    assert sorted(texts(found)) == sorted(SAID)
    assert found.degraded == frozenset()
    assert found.timings_ms["rerank"] > 0
    assert [memory.score for memory in found.memories] == sorted((one.score for one in found.memories), reverse=True)
    for memory in found.memories:
        assert memory.explain is not None
        assert memory.explain.reranked == (0.9 if "Rex" in memory.text else 0.1)
        assert memory.score == pytest.approx(memory.explain.reranked * memory.explain.factors.product)


def test_a_memory_beyond_top_k_can_come_first_and_top_k_holds(world: World, server: ModelServer) -> None:
    remember(world.acme, *SAID)
    last = texts(ask(world.acme))[-1]
    server.answer = lambda request: Reply(
        {
            "results": [
                {"index": i, "relevance_score": float(t.endswith(last))}
                for i, t in enumerate(request.body["documents"])
            ]
        }
    )
    found = ask(world.acme, rerank=True, top_k=1)
    assert texts(found) == [last]
    assert found.memories[0].explain is None


def test_the_reranker_reads_when_and_by_whom_each_memory_was_said(world: World, server: ModelServer) -> None:
    remember(world.acme, "my dog is called Rex", said_at=datetime(2023, 5, 8, 9, tzinfo=UTC))
    remember(world.acme, "the dog is mine", name="Bob", said_at=datetime(2024, 12, 1, tzinfo=UTC))
    remember(world.acme, "我的 dog 叫小白", name="小王", said_at=datetime(2025, 1, 31, tzinfo=UTC))
    ask(world.acme, rerank=True)
    assert sorted(server.requests[0].body["documents"]) == [
        "[1 December 2024] Bob: the dog is mine",
        "[2025年1月31日] 小王: 我的 dog 叫小白",
        "[8 May 2023] my dog is called Rex",
    ]
    long = "dog" + " and more" * 1_000
    remember(world.acme, long, name="Bob", said_at=datetime(2023, 5, 8, 9, tzinfo=UTC))
    ask(world.acme, rerank=True)
    cut = [text for text in server.requests[1].body["documents"] if "and more" in text]
    assert cut == [f"[8 May 2023] Bob: {long}"[: RERANK.text_chars]]


def test_a_memory_without_a_time_is_read_without_one() -> None:
    assert render_for_reranker(memory("my dog is called Rex", 1)) == "my dog is called Rex"


def test_no_model_is_asked_unless_the_question_asks_for_it(world: World, server: ModelServer) -> None:
    remember(world.acme, *SAID)
    plain = ask(world.acme)
    assert server.requests == []
    assert "rerank" not in plain.timings_ms


def test_notes_stand_in_the_order_of_the_question_and_as_many(world: World, server: ModelServer) -> None:
    note_down(world.acme, *SAID, *(f"my dog number {n}" for n in range(30)))
    remember(world.acme, *SAID)
    now, lanes = utc_now(), frozenset({"snapshots", "notes"})
    for explain in (True, False):
        query = RecallQuery("dog", now, top_k=3, explain=explain, lanes=lanes)
        plain, reranked = (
            recall(world.acme.tenant.id, "ada", replace(query, rerank=rerank)) for rerank in (False, True)
        )
        assert len(plain.notes) == 3
        assert reranked.notes == plain.notes


def test_without_a_reranker_the_option_changes_nothing(world: World, settings: Settings) -> None:
    settings.RERANKER = "none"
    remember(world.acme, *SAID)
    assert texts(ask(world.acme, rerank=True)) == texts(ask(world.acme))


@pytest.mark.parametrize(
    "reply",
    [Reply({}, status=429), Reply({}, status=500), Reply(b"<html>"), Reply({}, hang_s=RERANK.seconds + 60)],
    ids=["429", "500", "garbage", "silence"],
)
def test_when_it_does_not_answer_the_order_before_stands_and_the_answer_says_so(
    world: World, server: ModelServer, reply: Reply
) -> None:
    remember(world.acme, *SAID)
    before = ask(world.acme, top_k=2)
    server.answer = lambda _: reply
    found = ask(world.acme, rerank=True, top_k=2)
    assert texts(found) == texts(before)
    assert found.degraded == {DegradedReason.RERANK_TIMEOUT}
    assert [memory.explain for memory in found.memories] == [None, None]
    assert found.timings_ms["total"] < 1000 * (RERANK.seconds + 30)


def test_an_unknown_subject_and_an_empty_question_ask_nobody(world: World, server: ModelServer) -> None:
    assert recall(world.acme.tenant.id, "nobody", RecallQuery("dog", utc_now(), rerank=True)).memories == ()
    remember(world.acme, *SAID)
    ask(world.acme, " ", rerank=True)
    assert server.requests == []


def memory(text: str, score: float) -> RecalledMemory:
    return RecalledMemory(new_id(), "snapshots", "statement", text, score, 0.6, "observation")


class Lengths:
    """A reranker for which longer is better."""

    name = "lengths"

    def rerank(self, query: str, texts: Any) -> list[float]:
        return [len(text) / 100 for text in texts]


class Silent:
    """A reranker that never answers."""

    name = "silent"

    def rerank(self, query: str, texts: Any) -> list[float]:
        raise Unavailable


def test_what_lies_behind_the_head_stays_behind_it() -> None:
    memories = [memory("a", 0.9), memory("bb", 0.8), memory("cccccc", 0.7)]
    found = rerank_head("q", memories, Lengths(), RerankConfig(head=2))
    assert found is not None
    assert [(one.text, one.score) for one in found] == [("bb", 0.02), ("a", 0.01), ("cccccc", 0.01)]


def test_nothing_found_and_no_answer_are_two_things() -> None:
    assert rerank_head("q", [], Silent()) == ()
    assert rerank_head("q", [memory("a", 1)], Silent()) is None
    assert trim_to_query(RecallQuery("q", utc_now(), top_k=0), [memory("a", 1)]) == ()

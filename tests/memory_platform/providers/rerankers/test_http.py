"""Reranking over HTTP, in the forms of Jina, Cohere and TEI, and what is refused. Rows: L1, R4."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction
from pytest_django.fixtures import Settings

from memory_platform.providers.config import EndpointConfig, RerankConfig
from memory_platform.providers.contracts import Reranker, RerankUnavailable
from memory_platform.providers.endpoints.endpoint import Endpoint, JsonService
from memory_platform.providers.open_transaction_guard import ModelCallInTransaction
from memory_platform.providers.registry import UnknownProvider, forget_providers, reranker
from memory_platform.providers.rerankers.http import HttpReranker
from tests.model_server import ModelServer, Reply, Request, model_server

SECRET = "rk-never-shown"
TEXTS = ["tax", "my dog is Rex", "a cat"]
SCORES = [0.1, 0.9, 0.4]
HASTY = EndpointConfig(first_wait_s=0.01, longest_wait_s=0.02, jitter_s=0.01)


def jina(request: Request) -> Reply:
    return Reply({"model": "m", "results": [{"index": i, "relevance_score": SCORES[i]} for i in (1, 2, 0)]})


def tei(request: Request) -> Reply:
    return Reply([{"index": i, "score": SCORES[i]} for i in (1, 2, 0)])


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server(jina) as running:
        yield running


def ask(server: ModelServer, model: str = "m", *, seconds: float = 0.5) -> Any:
    service = JsonService(Endpoint("rerank", f"{server.url}/rerank", SECRET), HASTY)
    return HttpReranker(model, service, RerankConfig(seconds=seconds)).rerank("what is my dog called", TEXTS)


def test_jina_and_cohere_are_asked_with_a_model(server: ModelServer) -> None:
    assert ask(server) == SCORES
    (request,) = server.requests
    assert request.path == "/v1/rerank"
    assert request.headers["authorization"] == f"Bearer {SECRET}"
    assert request.body == {"model": "m", "query": "what is my dog called", "documents": TEXTS, "top_n": 3}


def test_tei_is_asked_without_one_and_a_bare_list_is_understood(server: ModelServer) -> None:
    server.answer = tei
    assert ask(server, model="") == SCORES
    assert server.requests[0].body["texts"] == TEXTS


def test_raw_scores_become_relevances_in_the_same_order(server: ModelServer) -> None:
    server.answer = lambda _: Reply(
        {"data": [{"index": i, "relevance_score": score} for i, score in enumerate([-4, 7, 0])]}
    )
    scores = ask(server)
    assert all(0 <= score <= 1 for score in scores)
    assert scores[1] > scores[2] > scores[0]
    assert scores[2] == 0.5


@pytest.mark.parametrize(
    "reply",
    [
        Reply([]),
        Reply({"results": [{"index": 0, "relevance_score": 0.1}]}),
        Reply({"results": [{"index": 0, "relevance_score": 0.1}] * 3}),
        Reply({"results": [{"index": i, "relevance_score": "high"} for i in range(3)]}),
        Reply({"results": [{"index": i} for i in range(3)]}),
        Reply(b'[{"index":0,"score":NaN},{"index":1,"score":0},{"index":2,"score":0}]'),
        Reply({"results": None}),
        Reply([1, 2, 3]),
        Reply(b"x" * 1_000_000),
        Reply({}, status=302, headers={"Location": "/v1/other"}),
        Reply({"detail": TEXTS[1]}, status=422),
        Reply({}, status=429),
        Reply({}, status=500),
        Reply(SCORES, hang_s=60),
        Reply(b" " * 300, drip=True, pause_s=0.2),
    ],
)
def test_anything_but_one_score_for_each_text_in_time_is_unavailable(
    server: ModelServer, reply: Reply, capfd: pytest.CaptureFixture[str]
) -> None:
    server.answer = lambda _: reply
    started = time.monotonic()
    with pytest.raises(RerankUnavailable) as refused:
        ask(server)
    assert time.monotonic() - started < 30, "a minute is what it would take"
    said = f"{refused.value}{capfd.readouterr()}"
    assert SECRET not in said
    assert TEXTS[1] not in said


def test_nothing_to_rerank_asks_nobody(server: ModelServer) -> None:
    assert HttpReranker("m", JsonService(Endpoint("rerank", server.url))).rerank("dog", []) == []
    assert server.requests == []


def test_long_and_hostile_texts_are_sent_cut_and_well_formed(server: ModelServer) -> None:
    service = JsonService(Endpoint("rerank", server.url))
    HttpReranker("m", service).rerank("q" * 65_536, ["x" * 65_536, "\ud800", "\x00"])
    body = server.requests[0].body
    assert (len(body["query"]), len(body["documents"][0]), body["documents"][1]) == (1_000, 2_000, "?")


def test_the_configuration_selects_the_reranker(server: ModelServer, settings: Settings) -> None:
    forget_providers()
    settings.RERANK_URL, settings.RERANK_MODEL = f"{server.url}/rerank", "jina-reranker-v2-base-multilingual"
    found = reranker("http")
    assert isinstance(found, Reranker)
    assert found is reranker("http")
    assert found.rerank("dog", TEXTS) == SCORES
    assert reranker("none") is None
    for unknown in ("magic", "cross-encoder:", "cross-encoder"):
        with pytest.raises(UnknownProvider):
            reranker(unknown)


@pytest.mark.django_db(transaction=True)
def test_no_reranker_is_asked_inside_a_transaction(server: ModelServer) -> None:
    with transaction.atomic(), pytest.raises(ModelCallInTransaction):
        ask(server)
    assert server.requests == []

"""A call of a model has a span: which model, how long, at what cost, how it failed; no words. Rows: D5, L1."""

from collections.abc import Callable

import pytest

from memory_platform.devstack.servers.redis import EmbeddedRedis
from memory_platform.observability.tracing import open_span
from memory_platform.providers.config import EndpointConfig
from memory_platform.providers.contracts import ChatUnavailable, EmbeddingUnavailable, RerankUnavailable
from memory_platform.providers.embedders.openai import OpenAIEmbedder
from memory_platform.providers.endpoints.endpoint import Endpoint, JsonService
from memory_platform.providers.redis.client import redis_client
from memory_platform.providers.rerankers.http import HttpReranker
from tests.memory_platform.observability.trace_collector import TraceCollector
from tests.memory_platform.providers.chatting import ASKED, GOOD, SECRET, TEXT, Colour, chat, replies
from tests.model_server import ModelServer, Reply, completion, model_server

CLIENT = 3
ONE_TRY = EndpointConfig(attempts=1)
VECTOR = Reply({"data": [{"index": 0, "embedding": [1.0, 2.0, 3.0, 4.0]}], "usage": {"total_tokens": 9}})
SCORE = Reply({"results": [{"index": 0, "relevance_score": 0.5}]})
AWAY = Reply({}, status=503)


def ask_chat(server: ModelServer) -> None:
    chat(server).ask_structured(ASKED, Colour)


def embed(server: ModelServer) -> None:
    service = JsonService(Endpoint("embed", server.url, SECRET), ONE_TRY)
    OpenAIEmbedder("some-embedder", service, dimensions=4, languages=("zh",)).embed([TEXT])


def rerank(server: ModelServer) -> None:
    service = JsonService(Endpoint("rerank", f"{server.url}/rerank", SECRET), ONE_TRY)
    HttpReranker("some-reranker", service).rerank(TEXT, [TEXT])


CALLS = [
    pytest.param(
        ask_chat,
        completion(GOOD),
        "chat some-model",
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "some-model",
            "gen_ai.provider.name": "openai",
            "gen_ai.usage.input_tokens": 7,
            "gen_ai.usage.output_tokens": 5,
            "gen_ai.usage.cache_read.input_tokens": 0,
        },
        id="chat",
    ),
    pytest.param(
        embed,
        VECTOR,
        "embeddings some-embedder",
        {
            "gen_ai.operation.name": "embeddings",
            "gen_ai.request.model": "some-embedder",
            "gen_ai.provider.name": "openai",
            "gen_ai.usage.input_tokens": 9,
        },
        id="embeddings",
    ),
    pytest.param(
        rerank,
        SCORE,
        "rerank some-reranker",
        {"gen_ai.operation.name": "rerank", "gen_ai.request.model": "some-reranker"},
        id="rerank",
    ),
]


@pytest.fixture(autouse=True)
def _no_kept_vectors(running_redis: EmbeddedRedis) -> None:
    redis_client().call("tests", lambda client: client.flushdb())


@pytest.mark.parametrize(("call", "reply", "name", "attributes"), CALLS)
def test_a_call_is_a_part_of_what_asked_for_it(
    collector: TraceCollector,
    call: Callable[[ModelServer], None],
    reply: Reply,
    name: str,
    attributes: dict[str, object],
) -> None:
    with model_server(lambda _: reply) as server, open_span("question", {}):
        call(server)
    collector.wait()
    (asking,), (span,) = collector.find("question"), collector.find(name)
    assert (span.kind, span.trace, span.parent, span.is_failed) == (CLIENT, asking.trace, asking.id, False)
    assert span.attributes == attributes
    assert not any(word.encode() in body for body in collector.bodies for word in (TEXT, GOOD, SECRET, "colour"))


@pytest.mark.parametrize(("call", "reply", "name", "attributes"), CALLS)
def test_a_failure_is_told_by_its_kind(
    collector: TraceCollector,
    call: Callable[[ModelServer], None],
    reply: Reply,
    name: str,
    attributes: dict[str, object],
) -> None:
    with (
        model_server(lambda _: AWAY) as server,
        pytest.raises((ChatUnavailable, EmbeddingUnavailable, RerankUnavailable)),
    ):
        call(server)
    collector.wait()
    (span,) = collector.find(name)
    assert (span.is_failed, span.attributes["error.type"], span.events) == (True, "broken", 0)


def test_an_answer_that_is_repaired_is_one_span_with_both_costs(collector: TraceCollector) -> None:
    with model_server(lambda _: completion(GOOD)) as server:
        replies(server, completion("red, I think"), then=completion(GOOD))
        ask_chat(server)
    collector.wait()
    (span,) = collector.find("chat some-model")
    assert span.attributes["gen_ai.usage.output_tokens"] == 10

"""Embedding over HTTP, against an endpoint that answers as badly as endpoints do. Rows: L1, L2, S5, R6."""

import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import numpy as np
import pytest
from django.db import transaction
from pytest_django.fixtures import Settings

from memory_platform.devstack.servers.redis import EmbeddedRedis
from memory_platform.providers.config import CircuitConfig, EndpointConfig, RemoteEmbeddingConfig
from memory_platform.providers.contracts import Embedder, EmbeddingUnavailable
from memory_platform.providers.embedders.openai import OpenAIEmbedder
from memory_platform.providers.endpoints.endpoint import Endpoint, JsonService
from memory_platform.providers.open_transaction_guard import ModelCallInTransaction
from memory_platform.providers.redis.client import redis_client
from memory_platform.providers.registry import embedder, forget_providers
from tests.flows.stage import wait_until
from tests.model_server import ModelServer, Reply, Request, model_server

LANGUAGES = ("en", "zh")
SECRET = "sk-never-shown"
TEXT = "我家的狗叫小白"
HTTPX_CONNECTIONS = 100
POLICY = RemoteEmbeddingConfig(question_s=0.5, further_text_s=0.0, batch=3)
HASTY = EndpointConfig(
    attempts=3, first_wait_s=0.01, longest_wait_s=0.02, jitter_s=0.01, late_s=0.2, answer_bytes=2_000_000
)


def vector(text: str, dimensions: int = 4) -> list[float]:
    return [float(len(text))] + [1.0] * (dimensions - 1)


def answer(request: Request) -> Reply:
    """Answer as OpenAI does, in another order than asked."""
    items = [
        {"index": i, "object": "embedding", "embedding": vector(text)} for i, text in enumerate(request.body["input"])
    ]
    return Reply({"object": "list", "data": items[::-1], "usage": {"prompt_tokens": 3, "total_tokens": 3}})


@pytest.fixture
def server(running_redis: EmbeddedRedis) -> Iterator[ModelServer]:
    redis_client().call("tests", lambda client: client.flushdb())
    with model_server(answer) as running:
        yield running


def service(url: str, *, failures: int = 100, pause_s: float = 0.3) -> JsonService:
    return JsonService(Endpoint("embed", url, SECRET), HASTY, CircuitConfig(failures=failures, pause_s=pause_s))


def model(url: str, *, name: str = "some-model", dimensions: int = 4, **circuit: Any) -> OpenAIEmbedder:
    return OpenAIEmbedder(name, service(url, **circuit), dimensions=dimensions, languages=LANGUAGES, config=POLICY)


def test_texts_become_unit_rows_in_their_order_in_batches_with_the_key(server: ModelServer) -> None:
    texts = ["a", "bb", "", "ccc", "dddd", "  ", "bb"]
    rows = model(server.url).embed(texts)
    assert rows.shape == (7, 4)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), [1, 1, 0, 1, 1, 0, 1])
    assert np.array_equal(rows[1], rows[6])
    assert rows[3][0] / rows[3][1] == pytest.approx(3)
    assert [request.body["input"] for request in server.requests] == [["a", "bb", "ccc"], ["dddd"]]
    first = server.requests[0]
    assert (first.path, first.headers["authorization"]) == ("/v1/embeddings", f"Bearer {SECRET}")
    assert first.body["model"] == "some-model"
    assert "dimensions" not in first.body


def test_a_text_is_asked_once_by_all_processes_and_redis_holds_no_text(server: ModelServer) -> None:
    first = model(server.url).embed([TEXT])
    again = model(server.url).embed([f" {TEXT} "])
    assert np.array_equal(first, again)
    assert len(server.requests) == 1
    keys: Any = redis_client().call("tests", lambda client: client.keys("vector:*"))
    assert len(keys) == 1
    held: Any = redis_client().call("tests", lambda client: client.get(keys[0]))
    lives: Any = redis_client().call("tests", lambda client: client.ttl(keys[0]))
    assert TEXT.encode() not in keys[0] + held
    assert 0 < lives <= POLICY.kept_s
    model(server.url, name="other-model").embed([TEXT])
    assert len(server.requests) == 2


def test_a_damaged_vector_in_redis_is_asked_anew(server: ModelServer) -> None:
    first = model(server.url).embed([TEXT])
    keys: Any = redis_client().call("tests", lambda client: client.keys("vector:*"))
    redis_client().call("tests", lambda client: client.set(keys[0], b"short"))
    assert np.array_equal(model(server.url).embed([TEXT]), first)
    assert len(server.requests) == 2


def test_without_redis_it_embeds_all_the_same(server: ModelServer, settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert model(server.url).embed([TEXT]).shape == (1, 4)


def test_long_and_hostile_texts_are_sent_cut_and_well_formed(server: ModelServer) -> None:
    rows = model(server.url).embed(["x" * 65_536, "\ud800", "\x00", "\ufdfa" * 21_000])
    assert np.isfinite(rows).all()
    lengths = [len(text) for text in server.requests[0].body["input"]]
    assert lengths == [POLICY.text_chars, 1, POLICY.text_chars // 18]  # each of the last is 18 characters to its reader


def test_unknown_dimensions_are_asked_once_and_are_then_kept_to(server: ModelServer) -> None:
    asked = model(server.url, dimensions=0)
    assert (asked.dimensions, asked.ready) == (0, False)
    asked.prepare()
    asked.prepare()
    assert (asked.dimensions, asked.ready, asked.name) == (4, True, "openai:some-model@4")
    assert len(server.requests) == 1
    server.answer = lambda _: Reply({"data": [{"index": 0, "embedding": [1.0] * 5}]})
    with pytest.raises(EmbeddingUnavailable, match="wrong_dimension"):
        asked.embed([TEXT])
    assert not asked.ready
    server.answer = answer
    asked.embed([TEXT])
    assert asked.ready


@pytest.mark.parametrize(
    ("name", "dimensions"),
    [
        ("BAAI/bge-large-zh-v1.5", 1_024),
        ("shibing624/text2vec-base-chinese", 768),
        ("text-embedding-3-small", 1_536),
        ("text-embedding-3-large", 3_072),
        ("intfloat/multilingual-e5-large", 1_024),
        ("sentence-transformers/all-MiniLM-L6-v2", 384),
    ],
)
def test_common_models_work_by_name_alone(server: ModelServer, settings: Settings, name: str, dimensions: int) -> None:
    server.answer = lambda request: Reply(
        {"data": [{"index": i, "embedding": vector(text, dimensions)} for i, text in enumerate(request.body["input"])]}
    )
    settings.EMBEDDING_BASE_URL = server.url
    found = embedder(f"openai:{name}")
    assert isinstance(found, Embedder)
    assert (found.dimensions, found.languages) == (dimensions, ("en", "zh", "ja", "ko", "other"))
    assert found.embed([TEXT]).shape == (1, dimensions)
    assert found is embedder(f"openai:{name}")
    forget_providers()


QWEN = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"


@pytest.mark.parametrize(
    ("name", "question", "passage"),
    [
        ("BAAI/bge-large-zh-v1.5", "为这个句子生成表示以用于检索相关文章：", ""),
        ("bge-small-zh", "为这个句子生成表示以用于检索相关文章：", ""),
        ("BAAI/bge-base-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("BAAI/bge-m3", "", ""),
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("intfloat/e5-small-v2", "query: ", "passage: "),
        ("intfloat/multilingual-e5-large-instruct", f"{QWEN} ", ""),
        ("Alibaba-NLP/gte-Qwen2-1.5B-instruct", f"{QWEN} ", ""),
        ("Qwen/Qwen3-Embedding-0.6B", QWEN, ""),
        ("shibing624/text2vec-base-chinese", "", ""),
        ("text-embedding-3-small", "", ""),
        ("some-model-e5", "", ""),
    ],
)
def test_questions_and_passages_are_sent_as_the_model_was_trained_to_read_them(
    server: ModelServer, name: str, question: str, passage: str
) -> None:
    asked = model(server.url, name=name)
    asked.embed([TEXT, " "])
    rows = asked.embed_questions([TEXT, "", "another"])
    sent = [request.body["input"] for request in server.requests]
    assert sent[0] == [passage + TEXT]
    assert sent[1] == [question + text for text in (TEXT, "another") if question or text != TEXT]
    assert not rows[1].any()
    asked.embed_questions([TEXT])
    assert len(server.requests) == 2


def test_passages_with_something_before_them_are_a_space_of_their_own(server: ModelServer) -> None:
    assert model(server.url, name="intfloat/multilingual-e5-large").name == (
        "openai:intfloat/multilingual-e5-large@4+passage"
    )
    assert model(server.url, name="BAAI/bge-large-zh-v1.5").name == "openai:BAAI/bge-large-zh-v1.5@4"


def test_a_shortened_model_is_asked_for_its_length_and_is_a_space_of_its_own(server: ModelServer) -> None:
    short = model(server.url, name="text-embedding-3-small", dimensions=4)
    short.embed([TEXT])
    assert server.requests[0].body["dimensions"] == 4
    assert short.name == "openai:text-embedding-3-small@4"


def items(*rows: Any) -> dict[str, Any]:
    return {"data": [{"index": i, "embedding": row} for i, row in enumerate(rows)]}


@pytest.mark.parametrize("number", [0.0, 0.5])
def test_an_endpoint_that_tells_no_texts_apart_is_refused(server: ModelServer, number: float) -> None:
    server.answer = lambda request: Reply(items(*[[number] * 4] * len(request.body["input"])))
    one_batch = RemoteEmbeddingConfig(batch=4)
    broken = OpenAIEmbedder("m", service(server.url), dimensions=4, languages=LANGUAGES, config=one_batch)
    with pytest.raises(EmbeddingUnavailable):
        broken.embed(["tea", "bees", "Lisbon", "a red kite"])
    assert broken.embed(["Rose", "rose"]).shape == (2, 4)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(items([1.0] * 5)),
        Reply(items([1.0] * 4, [1.0] * 4)),
        Reply(items()),
        Reply({"data": [{"index": 7, "embedding": [1.0] * 4}]}),
        Reply(b'{"data":[{"index":0,"embedding":[NaN,1,1,1]}]}'),
        Reply(b'{"data":[{"index":0,"embedding":[1e39,1,1,1]}]}'),
        Reply(b'{"data":[{"index":0,"embedding":[1e999,1,1,1]}]}'),
        Reply(items(["a", "b", "c", "d"])),
        Reply(items("AACAPwAAgD8=")),
        Reply(items([None] * 4)),
        Reply({"data": "nothing"}),
        Reply([1, 2]),
        Reply(None),
        Reply(b"<html>"),
        Reply(b"x" * 1_000_000),
        Reply(b"x" * 3_000_000),
        Reply(b"", status=204),
        Reply(items([1.0] * 4), status=302, headers={"Location": "/v1/elsewhere"}),
        Reply({"error": {"message": TEXT}}, status=400),
        Reply({"error": {"message": SECRET}}, status=401),
        Reply({"error": {"message": SECRET}}, status=500),
    ],
)
def test_nothing_but_whole_finite_vectors_of_the_right_length_is_taken(
    server: ModelServer, reply: Reply, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    server.answer = lambda _: reply
    with pytest.raises(EmbeddingUnavailable) as refused:
        model(server.url).embed([TEXT])
    said = f"{refused.value!r}{refused.value.__context__!r}{caplog.text}{capfd.readouterr()}"
    assert TEXT not in said
    assert SECRET not in said
    assert "127.0.0.1" not in said
    assert {request.path for request in server.requests} == {"/v1/embeddings"}


def time_call(call: Callable[[], Any]) -> float:
    started = time.monotonic()
    with pytest.raises(EmbeddingUnavailable):
        call()
    return time.monotonic() - started


@pytest.mark.parametrize(
    "reply", [Reply(items([1.0] * 4), hang_s=60), Reply(b" " * 300, drip=True, pause_s=0.2)], ids=["hangs", "drips"]
)
def test_a_silent_or_dripping_endpoint_costs_the_time_promised(server: ModelServer, reply: Reply) -> None:
    server.answer = lambda _: reply
    assert time_call(lambda: model(server.url).embed_questions([TEXT])) < POLICY.question_s + 30
    assert len(server.requests) == 1


@pytest.mark.slow
def test_answers_that_never_end_take_no_connection_from_those_that_come_after(server: ModelServer) -> None:
    hasty = RemoteEmbeddingConfig(question_s=0.05)
    asked = OpenAIEmbedder(
        "some-model", service(server.url, failures=1_000), dimensions=4, languages=LANGUAGES, config=hasty
    )
    server.answer = lambda _: Reply(drip_head=True, pause_s=0.03)
    before = set(threading.enumerate())
    for number in range(HTTPX_CONNECTIONS + 1):
        time_call(lambda number=number: asked.embed_questions([f"question {number}"]))  # type: ignore[misc]
    server.answer = answer

    again = count()

    def answers() -> bool:
        try:
            return bool(asked.embed_questions([f"{TEXT} {next(again)}"]).any())
        except EmbeddingUnavailable:
            return False

    wait_until(answers, 5)
    left = {one for one in threading.enumerate() if one.name == "time-box"} - before
    wait_until(lambda: answers() and not {one for one in left if one.is_alive()}, 5)  # a later call closes late ones


def test_passing_faults_are_tried_again_and_others_are_not(server: ModelServer) -> None:
    for status, tries in ((500, 3), (503, 3), (429, 3), (400, 1), (401, 1), (404, 1)):
        server.requests.clear()
        server.answer = lambda _, status=status: Reply({}, status=status)  # type: ignore[misc]
        with pytest.raises(EmbeddingUnavailable):
            model(server.url).embed([TEXT])
        assert len(server.requests) == tries, status


def test_a_busy_endpoint_is_asked_again_after_the_time_it_names(server: ModelServer) -> None:
    replies = iter([Reply({}, status=429, headers={"Retry-After": "1"})])
    server.answer = lambda request: next(replies, answer(request))
    patient = OpenAIEmbedder(
        "some-model", service(server.url), dimensions=4, languages=LANGUAGES, config=RemoteEmbeddingConfig(question_s=5)
    )
    started = time.monotonic()
    assert patient.embed([TEXT]).shape == (1, 4)
    assert time.monotonic() - started >= 1
    assert len(server.requests) == 2


def test_a_time_beyond_ours_is_not_waited_for(server: ModelServer) -> None:
    server.answer = lambda _: Reply({}, status=429, headers={"Retry-After": "60"})
    assert time_call(lambda: model(server.url).embed([TEXT])) < 30
    assert len(server.requests) == 1


def test_a_connection_refused_is_unavailable(server: ModelServer) -> None:
    with model_server(answer) as gone:
        url = gone.url
    time_call(lambda: model(url).embed([TEXT]))


def test_the_circuit_opens_after_failures_lets_one_try_and_closes(server: ModelServer) -> None:
    server.answer = lambda _: Reply({}, status=500)
    guarded = model(server.url, failures=2, pause_s=0.4)
    for _ in range(2):
        time_call(lambda: guarded.embed([TEXT]))
    asked = len(server.requests)
    assert not guarded.ready
    time_call(lambda: guarded.embed([TEXT]))
    assert len(server.requests) == asked
    time.sleep(0.45)
    time_call(lambda: guarded.embed([TEXT]))
    assert len(server.requests) == asked + 3
    time_call(lambda: guarded.embed([TEXT]))
    assert len(server.requests) == asked + 3
    time.sleep(0.45)
    server.answer = answer
    assert guarded.embed([TEXT]).shape == (1, 4)
    assert guarded.ready


def test_a_text_that_is_refused_does_not_open_the_circuit_for_others(server: ModelServer) -> None:
    server.answer = lambda _: Reply({}, status=400)
    guarded = model(server.url, failures=1)
    time_call(lambda: guarded.embed([TEXT]))
    server.answer = answer
    assert guarded.embed(["another"]).shape == (1, 4)


@pytest.mark.django_db(transaction=True)
def test_no_endpoint_is_asked_inside_a_transaction(server: ModelServer) -> None:
    with transaction.atomic(), pytest.raises(ModelCallInTransaction):
        model(server.url).embed([TEXT])
    assert server.requests == []

"""The operator sees how models are and calls one on trial, over HTTP; nobody's text is shown. Rows: L1, D2, T3."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from pytest_django.fixtures import Settings

from memory_platform.env.chat_endpoints import ChatEndpoint
from memory_platform.providers.contracts import ChatPrompt, ChatUnavailable
from memory_platform.providers.endpoints.endpoint_health import start_recording, stop_recording
from memory_platform.providers.registry import chat_model, forget_providers
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff, log_in
from tests.model_server import ModelServer, Reply, completion, model_server

PAGE = "/console/models/"


@pytest.fixture(autouse=True)
def recording() -> Iterator[None]:
    """Record calls, as web and worker processes do."""
    start_recording()
    yield
    stop_recording()


@pytest.fixture
def server(settings: Settings) -> Iterator[ModelServer]:
    """Two endpoints: of every purpose but one, and of that one."""
    with model_server(lambda _: completion("ok")) as running:
        settings.CHAT_MODEL, settings.CHAT_BASE_URL, settings.CHAT_API_KEY = "large", running.url, "sk-secret-41"
        settings.CHAT_ENDPOINTS = {"small": ChatEndpoint(kind="openai", model="small", base_url=running.url)}
        settings.CHAT_ROUTES = {"rewrite": "small", "judge": ""}
        forget_providers()
        yield running
    forget_providers()


def read_line(page: str, name: str) -> str:
    """Return the words of an endpoint's row."""
    row = page.partition(f'<th scope="row"><bdi>{name}</bdi>')[2].partition("</tr>")[0]
    return " ".join(re.sub(r"<[^>]+>", " ", row).split())


def call(client: Any, name: str) -> str:
    return str(client.post(PAGE, {"endpoint": name}, follow=True).content.decode())


def test_an_endpoint_is_called_on_trial_and_its_health_is_shown(world: World, server: ModelServer) -> None:
    operator = log_in("oscar")  # at no desk: models belong to no tenant
    page = operator.get(PAGE).content.decode()
    assert "not called in seven days" in read_line(page, "default")
    assert "summarise, extract" in read_line(page, "default")
    assert "rewrite" in read_line(page, "small")
    assert re.search(r"judge</th><td><span[^>]*>no model: rules are used", page)
    assert "sk-secret-41" not in page
    assert "default answered in" in call(operator, "default")
    (request,) = server.requests
    assert (request.body["model"], request.headers["authorization"]) == ("large", "Bearer sk-secret-41")
    line = read_line(operator.get(PAGE).content.decode(), "default")
    assert re.search(r"healthy \d+ ms \d+ ms just now -", line), line
    assert "not called" in read_line(operator.get(PAGE).content.decode(), "small")
    record = LogEntry.objects.get(object_repr="default")
    assert re.fullmatch(r"Test call: answered in \d+ ms", record.change_message)
    assert operator.post(PAGE, {"endpoint": "nobody's"}).status_code == 404


def test_failures_of_other_processes_are_shown_without_a_word_of_what_was_sent(
    world: World, staff: Staff, server: ModelServer
) -> None:
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    server.answer = lambda _: Reply({"error": "I read peanuts"}, status=401)
    model = chat_model("summarise", "default")
    assert model is not None
    for _ in range(5):
        with pytest.raises(ChatUnavailable):
            model.text(ChatPrompt("be brief", "allergic to peanuts"))
    page = staff.olga.get(PAGE).content.decode()
    assert "circuit open" in read_line(page, "default")
    assert "access denied: check the API key" in read_line(page, "default")
    assert "peanuts" not in page
    assert "gave no usable answer" in call(staff.olga, "small")
    assert "last call failed" in read_line(staff.olga.get(PAGE).content.decode(), "small")
    server.answer = lambda _: completion("ok")
    assert "small answered in" in call(staff.olga, "small")
    assert "healthy" in read_line(staff.olga.get(PAGE).content.decode(), "small")


def test_without_a_model_the_page_says_so(world: World, staff: Staff, settings: Settings) -> None:
    settings.CHAT_MODEL, settings.CHAT_ENDPOINTS = "", {}
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    assert "No chat model is configured" in staff.olga.get(PAGE).content.decode()
    for client in (staff.mia, staff.sam, staff.gus):
        assert client.get(PAGE).status_code == 403
        assert client.post(PAGE, {"endpoint": "default"}).status_code == 403


def test_embedding_and_reranking_are_called_as_they_are_used(world: World, settings: Settings, staff: Staff) -> None:
    def answer(request: Any) -> Reply:
        if request.path.endswith("/embeddings"):
            return Reply({"data": [{"index": 0, "embedding": [0.6, 0.8]}], "usage": {"total_tokens": 3}})
        return Reply({"results": [{"index": 0, "relevance_score": 0.9}, {"index": 1, "relevance_score": 0.1}]})

    with model_server(answer) as running:
        settings.EMBEDDER, settings.EMBEDDING_BASE_URL, settings.EMBEDDING_DIMENSIONS = "openai:tiny", running.url, 2
        settings.RERANKER, settings.RERANK_URL, settings.RERANK_MODEL = "http", f"{running.url}/rerank", "cross"
        forget_providers()
        staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
        for name in ("openai:tiny", "reranker"):
            assert f"{name} answered in" in call(staff.olga, name)
            assert "healthy" in read_line(staff.olga.get(PAGE).content.decode(), name)
    forget_providers()

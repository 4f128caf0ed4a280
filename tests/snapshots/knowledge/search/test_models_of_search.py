"""Other wordings and reranking of a search of documents, over HTTP; the search goes on without them. Rows: K3, R6."""

import json
from collections.abc import Iterator
from uuid import UUID

import pytest
from pytest_django.fixtures import Settings

from memory_platform.kernel.ids import new_id
from memory_platform.providers.contracts import Preparable
from memory_platform.providers.registry import chat_model, forget_providers
from snapshots.knowledge.search.pipeline import search_documents
from snapshots.knowledge.search.values import DocumentAnswer, DocumentQuery
from snapshots.recall.values import DegradedReason
from tenants.isolation import tenant_tx
from tenants.models import ModelUsage
from tests.conftest import World
from tests.model_server import ModelServer, Reply, Request, completion, model_server
from tests.snapshots.knowledge.indexed_documents import store_indexed_document

QUESTION = "How do I get my money back?"
TEXTS = {
    "money": "Money matters: how to get a bank card.",
    "refunds": "Refunds are paid within five working days.",
    "tea": "Green tea is brewed with water of 80 degrees.",
}


@pytest.fixture
def acme(world: World) -> UUID:
    for name, text in TEXTS.items():
        store_indexed_document(world.acme.tenant.id, name, [text])
    return world.acme.tenant.id


@pytest.fixture
def chat(settings: Settings) -> Iterator[ModelServer]:
    """A chat model that knows the word of the documents; the imagined answer is its passage."""
    answer = {"wordings": ["refunds"], "passage": "Refunds are paid within some working days."}
    forget_providers()
    with model_server(lambda _: completion(json.dumps(answer))) as running:
        settings.CHAT_BASE_URL, settings.CHAT_MODEL = running.url, f"model-{new_id()}"
        settings.REWRITE_PASSAGE = True
        made: object = chat_model("rewrite")
        assert isinstance(made, Preparable)
        made.prepare()
        yield running
    forget_providers()


@pytest.fixture
def reranker(settings: Settings) -> Iterator[ModelServer]:
    """A reranker that finds the text about refunds alone relevant."""

    def answer(request: Request) -> Reply:
        scores = [0.9 if "Refunds" in text else 0.01 for text in request.body["documents"]]
        return Reply({"results": [{"index": i, "relevance_score": score} for i, score in enumerate(scores)]})

    forget_providers()
    with model_server(answer) as running:
        settings.RERANKER, settings.RERANK_MODEL, settings.RERANK_URL = "http", "some-reranker", running.url
        yield running
    forget_providers()


def search(tenant: UUID, **more: object) -> DocumentAnswer:
    return search_documents(tenant, DocumentQuery(QUESTION, **({"min_relevance": 0.0} | more)))  # type: ignore[arg-type]


def list_documents(answer: DocumentAnswer) -> list[str]:
    return [one.citation.document_id for one in answer.passages]


def test_other_wordings_and_an_imagined_answer_find_more(acme: UUID, chat: ModelServer) -> None:
    assert "refunds" not in list_documents(search(acme, min_relevance=0.05))
    found = search(acme, min_relevance=0.05, rewrite=True)
    assert "refunds" in list_documents(found)
    assert found.degraded == frozenset() and "rewrite" in found.timings_ms
    assert len(chat.requests) == 1 and "passage" in str(chat.requests[0].body["messages"])
    with tenant_tx(acme):
        assert ModelUsage.objects.get(purpose="rewrite").calls == 1


def test_without_other_wordings_the_question_is_searched(acme: UUID, chat: ModelServer) -> None:
    chat.answer = lambda _: Reply({"error": "down"}, status=503)
    found = search(acme, rewrite=True)
    assert found.degraded == {DegradedReason.REWRITE_TIMEOUT}
    assert list_documents(found) == list_documents(search(acme))


def test_a_reranker_orders_and_its_relevance_counts(acme: UUID, reranker: ModelServer) -> None:
    found = search(acme, rerank=True, min_relevance=0.05, explain=True)
    assert list_documents(found) == ["refunds"]
    everything = search(acme, rerank=True)
    assert everything.degraded == frozenset()
    assert [one.relevance for one in everything.passages] == sorted(
        (one.relevance for one in everything.passages), reverse=True
    )
    assert reranker.requests[0].body["query"] == QUESTION


@pytest.mark.parametrize("reply", [Reply({"error": "down"}, status=503), Reply({"results": []}), Reply(b"{")])
def test_without_the_reranker_the_order_before_stays(acme: UUID, reranker: ModelServer, reply: Reply) -> None:
    reranker.answer = lambda _: reply
    found = search(acme, rerank=True)
    assert found.degraded == {DegradedReason.RERANK_TIMEOUT}
    assert list_documents(found) == list_documents(search(acme))

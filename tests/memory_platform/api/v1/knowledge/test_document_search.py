"""``POST documents/search``: its answer, its refusals, and the wall. Rows: K3, T1, D1."""

from typing import Any

import pytest

from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of
from tests.snapshots.knowledge.indexed_documents import store_indexed_document

SEARCH = "/v1/documents/search"
WATER = "Green tea is brewed with water of 80 degrees. 绿茶用八十度的水冲泡。"


def search(caller: Caller, query: str, **more: Any) -> dict[str, Any]:
    answer = caller("POST", SEARCH, {"query": query, **more})
    assert answer.status_code == 200, answer.content
    return body_of(answer)


@pytest.fixture
def tea(world: World) -> None:
    """A document that all of acme's searches may read, and one for staff."""
    store_indexed_document(world.acme.tenant.id, "tea", [WATER], title="Tea guide", metadata={"year": 2026})
    store_indexed_document(
        world.acme.tenant.id, "pay", ["Salaries are paid on the 25th."], collection="handbook", label="staff"
    )


def test_a_passage_has_every_member_of_the_contract(acme: Caller, tea: None) -> None:
    answer = search(acme, "How hot should the water for green tea be?", explain=True)
    assert answer.keys() == {"chunks", "abstained", "degraded_reason", "timings_ms"}
    assert (answer["abstained"], answer["degraded_reason"]) == (None, None)
    (found,) = answer["chunks"]
    assert (found["document_id"], found["title"], found["text"], found["position"]) == ("tea", "Tea guide", WATER, 0)
    assert found["citation"] == {
        "document_id": "tea",
        "title": "Tea guide",
        "heading_path": ["Tea guide"],
        "page": None,
        "url": None,
        "start": 0,
        "end": len(WATER),
    }
    assert 0 < found["relevance"] <= 1
    assert (found["explain"]["keyword_rank"], found["explain"]["reranked"]) == (1, None)
    assert search(acme, "water for green tea")["chunks"][0]["explain"] is None


def test_nothing_is_told_of_documents_behind_a_label(acme: Caller, tea: None) -> None:
    query = "When are salaries paid?"
    assert "pay" not in [one["document_id"] for one in search(acme, query, min_relevance=0)["chunks"]]
    # A collection that is closed answers as one that does not exist.
    closed, unknown = (search(acme, query, min_relevance=0, collections=[name]) for name in ("handbook", "nowhere"))
    assert closed | {"timings_ms": {}} == unknown | {"timings_ms": {}}
    opened = search(acme, query, min_relevance=0, collections=["handbook"], access_labels=["staff"])
    assert opened["chunks"][0]["document_id"] == "pay"


def test_another_tenant_finds_what_nobody_has(acme: Caller, globex: Caller, tea: None) -> None:
    question, label = "How hot should the water for green tea be?", ["staff"]
    own = search(globex, question, filter={"document_id": {"eq": "tea"}}, access_labels=label, min_relevance=0)
    nobody = {"document_id": {"eq": "no-document"}}
    nobodys = search(globex, question, filter=nobody, access_labels=label, min_relevance=0)
    assert own | {"timings_ms": {}} == nobodys | {"timings_ms": {}}
    assert own["abstained"] == {"reason": "no_documents"}
    assert search(acme, question)["chunks"][0]["document_id"] == "tea"


def test_models_that_are_not_there_are_told(acme: Caller, tea: None) -> None:
    told = search(acme, "green tea", rerank=True, rewrite=True)
    assert set(told["degraded_reason"].split(",")) == {"rerank_unconfigured", "rewrite_unconfigured"}
    assert told["chunks"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "query"),
        ({"query": "tea", "top_k": 0}, "top_k"),
        ({"query": "tea", "order": "u_shape"}, "order"),
        ({"query": "tea", "filter": {"metadata": [1]}}, "filter.metadata"),
        ({"query": "tea", "filter": {"kind": {"eq": "note"}}}, "filter.kind"),
        ({"query": "tea", "filter": {"document_ids": ["tea"]}}, "filter.document_ids"),
        ({"query": "tea", "filter": {"not": {"title": {"gt": "x"}}}}, "filter.not.title.gt"),
        ({"query": "tea", "filter": {"metadata.a": {"eq": "\x00"}}}, "filter.metadata.a.eq"),
        ({"query": "tea", "collections": ["a/b"]}, "collections.0"),
        ({"query": "tea", "min_relevance": 2}, "min_relevance"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_the_field(acme: Caller, body: dict[str, Any], field: str) -> None:
    assert fields_of(problem_of(acme("POST", SEARCH, body), 400)) == {field}

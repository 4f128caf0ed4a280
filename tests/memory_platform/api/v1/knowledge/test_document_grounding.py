"""``POST documents/ground``: its answer, its refusals, the wall, and ids that the API keeps. Rows: K3, K1, T1, D1."""

from typing import Any

import pytest

from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of
from tests.snapshots.knowledge.indexed_documents import store_indexed_document

GROUND = "/v1/documents/ground"
WATER = "Green tea is brewed with water of 80 degrees."
CLAIMS = "Green tea is brewed with water of 80 degrees. Green tea is brewed with water of 95 degrees."


def ground(caller: Caller, text: str = CLAIMS, **more: Any) -> dict[str, Any]:
    answer = caller("POST", GROUND, {"text": text, **more})
    assert answer.status_code == 200, answer.content
    return body_of(answer)


@pytest.fixture
def tea(world: World) -> None:
    store_indexed_document(world.acme.tenant.id, "tea", [WATER], title="Tea guide", collection="hot", label="staff")


def test_a_sentence_has_every_member_of_the_contract(acme: Caller, tea: None) -> None:
    answer = ground(acme, access_labels=["staff"], judge=True)
    assert answer.keys() == {"sentences", "left_out", "checked_until", "degraded_reason", "timings_ms"}
    assert (answer["left_out"], answer["checked_until"]) == (0, len(CLAIMS))
    assert answer["degraded_reason"] == "judge_unconfigured"
    right, wrong = answer["sentences"]
    assert right.pop("support") >= 0.5 > wrong["support"]
    assert right == {
        "text": WATER,
        "start": 0,
        "end": len(WATER),
        "supported": True,
        "judge": "words",
        "citation": {
            "document_id": "tea",
            "title": "Tea guide",
            "heading_path": ["Tea guide"],
            "page": None,
            "url": None,
            "start": 0,
            "end": len(WATER),
        },
        "quote": WATER,
        "differences": [],
    }
    assert wrong["supported"] is False
    assert wrong["differences"] == [{"kind": "number", "sentence_words": "95", "document_words": "80"}]


def test_another_tenant_and_a_missing_label_find_what_nobody_has(acme: Caller, globex: Caller, tea: None) -> None:
    own, nobodys = (
        ground(globex, document_ids=[name], access_labels=["staff"], collections=["hot"]) for name in ("tea", "none")
    )
    assert own | {"timings_ms": {}} == nobodys | {"timings_ms": {}}
    closed, unknown = (ground(acme, collections=[name]) for name in ("hot", "nowhere"))
    assert closed | {"timings_ms": {}} == unknown | {"timings_ms": {}}
    assert [one["citation"] for one in closed["sentences"]] == [None, None]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "text"),
        ({"text": ""}, "text"),
        ({"text": "tea", "limit": 0}, "limit"),
        ({"text": "tea", "limit": 201}, "limit"),
        ({"text": "tea", "judge": "yes"}, "judge"),
        ({"text": "tea", "document_ids": ["a/b"]}, "document_ids.0"),
        ({"text": "tea", "query": "tea"}, "query"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_the_field(acme: Caller, body: dict[str, Any], field: str) -> None:
    assert fields_of(problem_of(acme("POST", GROUND, body), 400)) == {field}


ODD_TEXTS = {
    "digits": "9" * 10_000,
    "words": "tea " * 2_500,
    "Chinese": "绿茶" * 5_000,
    "numbers": "1,1." * 2_500,
    "code": "a-b.c/" * 1_600,
    "brackets": "（(“「" * 2_500,
    "scripts": "水80度 ค่ะ チャ Чай شاي\u202e\u0300" * 400,
    "denials": "非" * 5_000 + " not" * 1_000,
}


@pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS)
def test_a_text_without_an_end_of_a_sentence_is_answered(acme: Caller, tea: None, text: str) -> None:
    answer = ground(acme, text, access_labels=["staff"])
    assert "".join(one["text"] for one in answer["sentences"]) in text


@pytest.mark.parametrize("word", ["search", "ground"])
def test_a_document_cannot_have_the_name_of_a_call(acme: Caller, word: str) -> None:
    upload = {"content": "Tea.", "content_type": "text/plain"}
    for method in ("PUT", "GET", "PATCH", "DELETE"):
        problem = problem_of(acme(method, f"/v1/documents/{word}", upload if method != "GET" else None), 405)
        assert "Choose another id." in problem["detail"]

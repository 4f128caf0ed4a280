"""A version of a document answers, under its own details, until the next one takes its place. Rows: K1, K3, D5."""

from typing import Any

import pytest

from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, problem_of
from tests.memory_platform.api.test_bound_keys import bind
from tests.memory_platform.api.v1.knowledge.test_documents import TEA, process_all, upload
from tests.snapshots.erasure.everywhere import redis_holds, tables_with
from tests.snapshots.held import remember

KEPT = "# Water\n\nGreen tea brews at 80 degrees. 绿茶用八十度的水冲泡。"
LOST = "# Sencha\n\nSencha is steeped for forty-nine seconds. 煎茶泡四十九秒。"
IN_LOST = ("forty-nine", "四十九秒")
QUERY = "How hot is the water for green tea? 绿茶用多少度的水？"
FIRST: dict[str, Any] = {"title": "Tea guide", "source_url": "https://tea.example/1", "metadata": {"year": 2025}}
SECOND: dict[str, Any] = {"title": "茶指南", "source_url": "https://tea.example/2", "metadata": {"year": 2026}}
STAFF: dict[str, Any] = {"access_labels": ["staff"]}


def search(caller: Caller, query: str, **more: Any) -> list[dict[str, Any]]:
    """Return the passages that a search finds, however little they answer."""
    answer = caller("POST", "/v1/documents/search", {"query": query, "min_relevance": 0, **more})
    assert answer.status_code == 200, answer.content
    chunks: list[dict[str, Any]] = body_of(answer)["chunks"]
    return chunks


def cite(caller: Caller, **more: Any) -> list[tuple[str, str]]:
    """Return title and address of each passage that a search finds."""
    return [(one["citation"]["title"], one["citation"]["url"]) for one in search(caller, QUERY, **more)]


def in_year(year: int) -> dict[str, Any]:
    return {"filter": {"metadata.year": {"eq": year}}}


def test_the_version_before_answers_under_its_own_details(acme: Caller, world: World) -> None:
    upload(acme, content=KEPT, **FIRST)
    process_all(world)
    upload(acme, content=f"{KEPT} Black tea: 95.", **SECOND)
    before = (FIRST["title"], FIRST["source_url"])
    assert cite(acme) == cite(acme, **in_year(2025)) == [before]
    assert cite(acme, filter={"title": {"eq": "Tea guide"}, "source_url": {"contains": "/1"}}) == [before]
    assert cite(acme, **in_year(2026)) == []
    text = body_of(acme("GET", f"{TEA}/text"))
    assert (text["title"], text["url"], text["metadata"]) == (*before, {"year": 2025})

    process_all(world)
    after = (SECOND["title"], SECOND["source_url"])
    assert cite(acme) == cite(acme, **in_year(2026)) == [after]
    assert cite(acme, **in_year(2025)) == []
    text = body_of(acme("GET", f"{TEA}/text"))
    assert (text["title"], text["url"], text["metadata"]) == (*after, {"year": 2026})


def test_an_edit_holds_at_once_whatever_waits(acme: Caller, world: World) -> None:
    upload(acme, content=KEPT, **FIRST)
    process_all(world)
    upload(acme, content=" ", **SECOND)
    process_all(world)
    assert cite(acme) == [(FIRST["title"], FIRST["source_url"])]
    assert acme("PATCH", TEA, {"source_url": SECOND["source_url"], "metadata": {"year": 2027}}).status_code == 200
    assert cite(acme, **in_year(2027)) == [(FIRST["title"], SECOND["source_url"])]
    assert cite(acme, **in_year(2025)) == []


@pytest.mark.parametrize("content", [f"{KEPT} Black tea: 95.", " "], ids=["good", "unreadable"])
def test_a_stricter_label_holds_at_once(acme: Caller, world: World, content: str) -> None:
    upload(acme, content=KEPT)
    process_all(world)
    acme("PUT", "/v1/collections/handbook", {"access_label": "staff"})
    upload(acme, content=content, collection="handbook")
    assert search(acme, QUERY) == [] and search(acme, QUERY, **STAFF)
    process_all(world)
    assert search(acme, QUERY) == [] and search(acme, QUERY, **STAFF)


def test_what_stood_behind_a_label_opens_with_the_new_version_alone(acme: Caller, world: World) -> None:
    ada = bind(world.acme, "ada")
    acme("PUT", "/v1/collections/handbook", {"access_label": "staff"})
    acme("PUT", "/v1/collections/shop", {})
    upload(acme, content=f"{KEPT}\n\n{LOST}", collection="handbook")
    process_all(world)
    upload(acme, content=" ", collection="shop")
    upload(acme, content=" ")  # only the collection is another one
    process_all(world)
    upload(acme, content=KEPT, collection="shop")
    assert search(acme, QUERY) == [] and search(acme, QUERY, **STAFF)
    problem_of(ada("GET", f"{TEA}/text"), 404)
    assert problem_of(acme("DELETE", "/v1/collections/handbook"), 409)["code"] == "collection_not_empty"
    assert search(acme, QUERY, filter={"collection": {"eq": "handbook"}}, **STAFF)

    process_all(world)
    (found,) = search(acme, QUERY, filter={"collection": {"eq": "shop"}})
    assert "八十度" in found["text"]
    text = body_of(ada("GET", f"{TEA}/text"))["text"]
    assert "八十度" in text and "煎茶" not in text
    assert acme("DELETE", "/v1/collections/handbook").status_code == 204
    assert search(acme, QUERY)


def test_a_paragraph_that_was_removed_is_found_no_more_and_stands_nowhere(acme: Caller, world: World) -> None:
    remember(world.acme, "I like tea")
    upload(acme, content=f"{KEPT}\n\n{LOST}")
    process_all(world)
    asked = "How long is sencha steeped? 煎茶泡多久？"
    assert any("forty-nine" in one["text"] for one in search(acme, asked))
    upload(acme, content=KEPT)
    process_all(world)
    assert tables_with(*IN_LOST) == {} and redis_holds(*IN_LOST) == []
    assert all("forty-nine" not in one["text"] for one in search(acme, asked, top_k=50))
    context = acme("POST", "/v1/subjects/ada/context", {"query": asked, "include": ["knowledge"]})
    assert context.status_code == 200 and "forty-nine" not in str(body_of(context))


def test_a_stored_prompt_keeps_what_it_showed_until_the_document_is_deleted(acme: Caller, world: World) -> None:
    remember(world.acme, "I like tea")
    upload(acme, content=f"{KEPT}\n\n{LOST}")
    process_all(world)
    asked = {"query": "How long is sencha steeped?", "include": ["knowledge"]}
    assert "forty-nine" in str(body_of(acme("POST", "/v1/subjects/ada/context", asked))["messages"])
    upload(acme, content=KEPT)
    process_all(world)
    assert tables_with(*IN_LOST).keys() == {"receipt"}, "a receipt says what the model was given"
    assert acme("DELETE", TEA).status_code == 204
    assert tables_with(*IN_LOST) == {}

"""The text of a document, in which citations count characters. Rows: K1, K3, T1, D7."""

import pytest

from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of
from tests.memory_platform.api.test_bound_keys import bind
from tests.memory_platform.api.v1.knowledge.test_documents import TEA, process_all, upload

TEXT = f"{TEA}/text"
GUIDE = "# Tea guide\n\nGreen tea brews at 80 degrees. 绿茶用八十度的水冲泡。🍵 Enjoy."


@pytest.fixture
def whole(acme: Caller, world: World) -> str:
    """The text of the guide as it is read."""
    upload(acme, content=GUIDE, source_url="https://tea.example/guide", metadata={"kind": "guide"})
    assert body_of(acme("GET", TEXT))["characters"] == 0, "nothing is read yet"
    process_all(world)
    text: str = body_of(acme("GET", TEXT))["text"]
    return text


def test_a_text_is_read_whole_and_in_parts_by_characters(acme: Caller, whole: str) -> None:
    assert "八十度" in whole and "🍵" in whole
    found = body_of(acme("GET", TEXT))
    assert (found["document_id"], found["title"], found["url"]) == ("tea", "Tea guide", "https://tea.example/guide")
    assert (found["characters"], found["start"], found["end"]) == (len(whole), 0, len(whole))
    parts = [body_of(acme("GET", f"{TEXT}?start={start}&length=7")) for start in range(0, len(whole), 7)]
    assert "".join(one["text"] for one in parts) == whole
    assert all(one["text"] == whole[one["start"] : one["end"]] for one in parts)


@pytest.mark.parametrize("start", [10_000, 2**31 - 1, 2**31, 2**62])
def test_behind_the_end_there_is_nothing(acme: Caller, whole: str, start: int) -> None:
    found = body_of(acme("GET", f"{TEXT}?start={start}"))
    assert (found["text"], found["start"], found["end"]) == ("", len(whole), len(whole))


@pytest.mark.parametrize("query", ["start=-1", "length=0", "length=100001", "start=x"])
def test_what_is_no_place_is_refused(acme: Caller, whole: str, query: str) -> None:
    assert fields_of(problem_of(acme("GET", f"{TEXT}?{query}"), 400)) == {query.split("=", maxsplit=1)[0]}


def test_a_citation_names_its_characters(acme: Caller, whole: str) -> None:
    (one,) = body_of(acme("POST", "/v1/documents/search", {"query": "绿茶用多少度的水？"}))["chunks"]
    cited = one["citation"]
    length = cited["end"] - cited["start"]
    found = body_of(acme("GET", f"{TEXT}?start={cited['start']}&length={length}"))
    assert found["text"] == one["text"]


def test_a_key_of_one_subject_reads_what_stands_behind_no_label(acme: Caller, world: World, whole: str) -> None:
    ada = bind(world.acme, "ada")
    assert body_of(ada("GET", TEXT))["text"] == whole
    acme("PUT", "/v1/collections/handbook", {"access_label": "staff"})
    acme("PATCH", TEA, {"collection": "handbook"})
    hidden, unknown = (problem_of(ada("GET", path), 404) for path in (TEXT, "/v1/documents/none/text"))
    assert {**hidden, "request_id": ""} == {**unknown, "request_id": ""}
    assert body_of(acme("GET", TEXT))["text"] == whole, "a key of the tenant reads all of its documents"


def test_another_tenant_finds_nothing(globex: Caller, acme: Caller, whole: str) -> None:
    own, nobodys = (problem_of(globex("GET", f"/v1/documents/{name}/text"), 404) for name in ("tea", "none"))
    assert {**own, "request_id": ""} == {**nobodys, "request_id": ""}

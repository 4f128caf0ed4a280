"""Lists that are longer than a page are read to their end, page by page. Rows: D11."""

import pytest

from memory_platform_client import Invalid
from tests.clients.python.conftest import Asker
from tests.clients.python.scripted_server import Line, Script


def page(*names: str, next_cursor: str | None = None) -> Line:
    return Line(body={"data": [{"subject_id": name} for name in names], "next_cursor": next_cursor})


def test_pages_are_fetched_when_somebody_reads_on(asker: Asker, script: Script) -> None:
    script.play(page("ada", "bo", next_cursor="2 b"), page("cyd"))
    subjects = asker.memory.subjects(limit=2)
    assert script.questions == []
    assert [one.subject_id for one in asker.collect(subjects)] == ["ada", "bo", "cyd"]
    assert [one.path for one in script.questions] == ["/v1/subjects?limit=2", "/v1/subjects?limit=2&cursor=2+b"]


def test_reading_goes_on_at_a_cursor(asker: Asker, script: Script) -> None:
    script.play(page("cyd"))
    (only,) = asker.collect(asker.memory.subjects().pages("2"))
    assert (only.data[0].subject_id, only.next_cursor, only.meta.status) == ("cyd", None, 200)
    assert script.questions[0].path == "/v1/subjects?cursor=2"


def test_the_first_alone_reads_one_page(asker: Asker, script: Script) -> None:
    script.play(page("ada", next_cursor="2"))
    assert asker(asker.memory.subjects().first()).subject_id == "ada"
    assert len(script.questions) == 1
    script.play(page())
    assert asker(asker.memory.subjects().first()) is None


def test_each_iteration_asks_anew(asker: Asker, script: Script) -> None:
    script.play(page("ada"), page("ada", "bo"))
    subjects = asker.memory.subjects()
    assert [len(asker.collect(subjects)) for _ in "12"] == [1, 2]


def test_a_wrong_argument_fails_where_it_stands(asker: Asker) -> None:
    with pytest.raises(TypeError, match="no_such"):
        asker.memory.subjects(no_such=1)


def test_a_refusal_on_a_later_page_is_raised_there(asker: Asker, script: Script) -> None:
    fault = {"field": "cursor", "code": "invalid", "message": "Unknown cursor."}
    script.play(page("ada", next_cursor="2"), Line(400, {"detail": "The query is malformed.", "errors": [fault]}))
    with pytest.raises(Invalid) as caught:
        asker.collect(asker.memory.subjects())
    assert caught.value.fields[0].field == "cursor"

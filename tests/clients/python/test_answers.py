"""JSON becomes dataclasses, whatever a newer or an older server sends. Rows: D11."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from answer_writer import ANSWERS, AnswerWriter
from memory_platform_client.answers import Context, Erased, Erasing, Note, Usage
from memory_platform_client.answers.conversations import Accepted
from memory_platform_client.decoding import find_decoder
from memory_platform_client.encoding import encode_body, encode_query
from tests.clients.python.operations import read_document

NOTE: dict[str, Any] = {
    "id": "n1",
    "text": "My son Theo is allergic to bees",
    "grade": "about_other",
    "about": {"kind": "contact", "id": None, "label": "Theo", "relation": "son"},
    "said_at": "2026-11-24T07:00:00.123456Z",
    "sources": [{"conversation_id": "c1", "message_id": "m1"}],
}


def decode(kind: Any, value: Any) -> Any:
    decoder = find_decoder(kind)
    assert decoder
    return decoder(value)


def test_the_classes_are_those_of_the_document() -> None:
    """`make client-types` writes them anew."""
    written = AnswerWriter(read_document()).write()
    assert {name: (ANSWERS / name).read_text(encoding="utf-8") for name in written} == written
    assert {path.name for path in Path(ANSWERS).glob("*.py")} == written.keys()


def test_objects_lists_and_times_are_made() -> None:
    note = decode(Note, NOTE)
    assert note.about.label == "Theo"
    assert note.sources[0].message_id == "m1"
    assert note.said_at == datetime(2026, 11, 24, 7, 0, 0, 123456, tzinfo=UTC)
    assert decode(Usage, {"data": [{"day": "2026-11-24"}]}).data[0].day == date(2026, 11, 24)


def test_what_an_older_server_does_not_send_is_none() -> None:
    assert decode(Note, NOTE).slots is None


def test_what_a_newer_server_sends_is_kept() -> None:
    note = decode(Note, NOTE | {"mood": "glad", "about": NOTE["about"] | {"since": 2020}, "grade": "wish"})
    assert note.extra == {"mood": "glad"}
    assert note.about.extra == {"since": 2020}
    assert note.grade == "wish"
    assert decode(Note, NOTE).extra == {}


@pytest.mark.parametrize(("field", "value"), [("said_at", "soon"), ("said_at", 7), ("about", "Theo"), ("sources", {})])
def test_another_form_than_expected_is_handed_on(field: str, value: Any) -> None:
    assert getattr(decode(Note, NOTE | {field: value}), field) == value


def test_of_two_possible_answers_the_one_that_fits_is_made() -> None:
    assert isinstance(decode(Erased | Erasing, {"job_id": "j1", "erasure_id": "e1"}), Erasing)
    assert isinstance(decode(Erased | Erasing, {"certificate": {}}), Erased)


def test_a_context_is_readable_in_every_format() -> None:
    messages = [{"role": "system", "content": "Be kind."}, {"role": "assistant", "content": None}]
    messages.append({"role": "user", "content": "Hello"})
    assert decode(Context, {"messages": messages, "text": None}).text == "Be kind.\n\nHello"
    assert decode(Context, {"messages": [], "text": "All of it"}).text == "All of it"


def test_answers_are_compared_by_what_they_say() -> None:
    assert decode(Note, NOTE) == decode(Note, NOTE | {"mood": "glad"})
    assert "Theo" in repr(decode(Note, NOTE))


def test_arguments_become_json() -> None:
    sources = decode(Note, NOTE).sources
    told = {"at": datetime(2026, 11, 24, tzinfo=UTC), "sources": sources, "tags": ("a",), "城市": None}
    assert encode_body(told).decode() == (
        '{"at":"2026-11-24T00:00:00+00:00","sources":[{"conversation_id":"c1","message_id":"m1"}],'
        '"tags":["a"],"城市":null}'
    )
    assert encode_query({"vital": True, "limit": 5}) == {"vital": "true", "limit": "5"}
    with pytest.raises(TypeError, match="object cannot be sent"):
        encode_body({"value": object()})


def test_verdicts_are_words_of_the_document() -> None:
    accepted = decode(Accepted, {"accepted": [{"message_id": "m1", "seq": 1, "verdict": "stored"}]})
    assert (accepted.accepted[0].verdict, accepted.accepted[0].reason) == ("stored", None)

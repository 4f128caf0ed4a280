"""Ids that look alike are different, whatever they address. Rows: T1, P1, P3, C1, D1. Matrix: 6."""

import unicodedata
from typing import Any
from urllib.parse import quote

import pytest

from tests.memory_platform.api.conftest import Caller, body_of

CAFE = "café"
TWINS = [
    ("acme", "acme-corp"),
    ("john_doe", "john-doe"),
    ("john_doe", "johnxdoe"),
    ("ada", "Ada"),
    ("ada", "ada "),
    ("ada", "ada."),
    ("user:1", "user:1:1"),
    ("user%", "user1"),
    ("%", "_"),
    ("a%2Fb", "a%252Fb"),
    (unicodedata.normalize("NFC", CAFE), unicodedata.normalize("NFD", CAFE)),
    ("小明", "小明1"),
    ("ａｄａ", "ada"),
]
LOOK_ALIKES = pytest.mark.parametrize(("one", "other"), TWINS)


def at(*parts: str) -> str:
    return "/v1/subjects/" + "/".join(quote(part, safe="") for part in parts)


def say(caller: Caller, subject: str, conversation: str, **message: Any) -> list[str]:
    """Post one message; return the verdicts."""
    path = at(subject, "conversations", conversation, "messages")
    response = caller("POST", path, {"messages": [{"role": "user", **message}]})
    assert response.status_code == 202, response.content
    return [fate["verdict"] for fate in body_of(response)["accepted"]]


def list_rows(caller: Caller, path: str) -> list[dict[str, Any]]:
    response = caller("GET", path)
    assert response.status_code == 200, response.content
    rows: list[dict[str, Any]] = body_of(response)["data"]
    return rows


@LOOK_ALIKES
def test_subjects_that_look_alike_share_nothing(acme: Caller, one: str, other: str) -> None:
    for subject, canary in ((one, "canary-one"), (other, "canary-other")):
        say(acme, subject, "c", message_id="m", content=canary)
        assert acme("PATCH", at(subject, "profile"), {"name": canary}).status_code == 200
        assert acme("POST", at(subject, "snapshots"), {"text": f"the {canary} sings"}).status_code == 201
    for subject, own, foreign in ((one, "canary-one", "canary-other"), (other, "canary-other", "canary-one")):
        recalled = acme("POST", at(subject, "recall"), {"query": "canary sings", "lanes": ["snapshots", "profile"]})
        answers = [acme("GET", at(subject, *rest)) for rest in (["profile"], ["snapshots"], ["conversations"])]
        answers.append(acme("GET", at(subject, "conversations", "c", "messages")))
        for answer in [recalled, *answers]:
            assert answer.status_code == 200, answer.content
            assert foreign not in answer.content.decode()
        assert own in recalled.content.decode()
        assert body_of(acme("GET", at(subject)))["subject_id"] == subject


@LOOK_ALIKES
def test_conversations_that_look_alike_share_nothing(acme: Caller, one: str, other: str) -> None:
    for conversation, canary in ((one, "canary-one"), (other, "canary-other")):
        assert say(acme, "ada", conversation, message_id="m", content=canary) == ["stored"]
    for conversation, canary in ((one, "canary-one"), (other, "canary-other")):
        for rest in ("messages", "window"):
            answer = body_of(acme("GET", at("ada", "conversations", conversation, rest)))
            assert [turn["content"] for turn in answer.get("data") or answer["messages"]] == [canary]
    assert acme("DELETE", at("ada", "conversations", one)).status_code in {200, 204}
    assert [row["conversation_id"] for row in list_rows(acme, at("ada", "conversations"))] == [other]


@LOOK_ALIKES
def test_messages_that_look_alike_are_two(acme: Caller, one: str, other: str) -> None:
    assert say(acme, "ada", "c", message_id=one, content="first") == ["stored"]
    assert say(acme, "ada", "c", message_id=other, content="second") == ["stored"]
    assert say(acme, "ada", "c", message_id=other, content="third") == ["duplicate"]
    rows = list_rows(acme, at("ada", "conversations", "c", "messages"))
    assert [(row["message_id"], row["content"]) for row in rows] == [(one, "first"), (other, "second")]


@LOOK_ALIKES
def test_preferences_that_look_alike_are_two(acme: Caller, one: str, other: str) -> None:
    for key, value in ((one, 1), (other, 2)):
        answer = acme("PUT", at("ada", "preferences", "drinks", key), {"value": value})
        assert answer.status_code in {200, 201}, answer.content
    for key, value in ((one, 1), (other, 2)):
        assert body_of(acme("GET", at("ada", "preferences", "drinks", key)))["value"] == value
    assert {row["key"] for row in list_rows(acme, at("ada", "preferences"))} == {one, other}

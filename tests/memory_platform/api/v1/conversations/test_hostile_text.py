"""Text that other searches would read as syntax, and text without measure. Rows: R2, S2, P6, D1. Matrix: 50, 51."""

from urllib.parse import urlencode

import pytest

from snapshots.jobs import HANDLERS
from snapshots.queue.draining.drain import drain_work
from tests.memory_platform.api.conftest import Caller, body_of

ADA = "/v1/subjects/ada"
HELD = ("Allergic to peanuts", "Drives an old tram", "喜欢喝龙井茶")
SYNTAX = [
    "%", "_", "%%", "\\", "\\%", "*", ":*", "&", "|", "!", "!!", "()", "((", "'", "''", '"', '"unbalanced', "<->",
    "&&&", "a & | b", "' OR 1=1 --", "'; DROP TABLE snapshot; --", ".*", "(a+)+$", "[", "{}", "$1", "%s", "%(tenant)s",
    "＆｜！", "“”", "。？！",
]  # fmt: skip
"""Nothing of it is a word that Ada's memory holds."""
KIB = 1024
WORDS = " ".join(f"w{number:05}" for number in range(9_300))


def hold(caller: Caller) -> None:
    for text in HELD:
        assert caller("POST", f"{ADA}/snapshots", {"text": text}).status_code == 201
    assert caller("POST", f"{ADA}/tags", {"label": "home", "kind": "place", "address": "1 Elm"}).status_code == 201


def list_texts(caller: Caller, path: str, **query: str) -> list[str]:
    response = caller("GET", f"{path}?{urlencode(query)}")
    assert response.status_code == 200, response.content
    return [row.get("text") or row["tag"]["label"] for row in body_of(response)["data"]]


def recall_texts(caller: Caller, query: str) -> list[str]:
    response = caller("POST", f"{ADA}/recall", {"query": query, "lanes": ["snapshots"]})
    assert response.status_code == 200, response.content
    return [row["text"] for row in body_of(response)["memories"]]


@pytest.mark.parametrize("syntax", SYNTAX)
def test_syntax_is_text_and_finds_no_more_than_text_does(acme: Caller, syntax: str) -> None:
    hold(acme)
    nonsense = "zzqx"
    assert list_texts(acme, f"{ADA}/snapshots", q=syntax) in ([], list_texts(acme, f"{ADA}/snapshots", q=nonsense))
    assert list_texts(acme, f"{ADA}/snapshots", q=f"tram {syntax}") in ([HELD[1]], [])
    assert list_texts(acme, f"{ADA}/tags/lookup", q=syntax) == []
    assert set(recall_texts(acme, syntax)) <= set(HELD)
    assert recall_texts(acme, f"tram {syntax}")[0] == HELD[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "head"),
    [
        (
            "The canoe trip began at Lake Orta. " + WORDS,
            "canoe Lake Orta",
        ),
        ("The canoe trip began at Lake Orta " + "x" * 3_000, "canoe Lake Orta"),
        ("我们在奥尔塔湖划独木舟。" + "字" * 3_000, "奥尔塔湖划独木舟"),
    ],
    ids=["64 KiB of distinct words", "a word of 3,000 characters", "3,000 characters without a break"],
)
def test_a_text_without_measure_is_kept_and_found_by_its_head(acme: Caller, text: str, head: str) -> None:
    text = text[: 64 * KIB]
    assert acme("POST", f"{ADA}/snapshots", {"text": "Drives an old tram"}).status_code == 201
    message = {"role": "user", "content": text}
    answer = acme("POST", f"{ADA}/conversations/c/messages", {"messages": [message]})
    assert answer.status_code == 202, answer.content
    assert acme.house is not None
    assert drain_work(acme.house.tenant.id, HANDLERS).failed == 0
    assert recall_texts(acme, head)[0] == text


@pytest.mark.parametrize("blank", ["\n", " ", "\t", "\r\n", "\u3000"])
def test_thousands_of_blanks_are_kept_as_a_hundred_and_cost_nothing(acme: Caller, blank: str) -> None:
    run = blank * (20_000 // len(blank))
    answer = acme(
        "POST", f"{ADA}/conversations/c/messages", {"messages": [{"role": "user", "content": f"{run}I live in Leeds"}]}
    )
    assert answer.status_code == 202, answer.content
    assert acme.house is not None
    assert drain_work(acme.house.tenant.id, HANDLERS).failed == 0
    (found,) = recall_texts(acme, "Leeds")
    assert found.strip() == "I live in Leeds"
    assert len(found) <= 200

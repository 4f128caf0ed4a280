"""Requests are sent again when that is safe and no longer than allowed. Rows: D11."""

import time
from typing import Any

import httpx
import pytest

from memory_platform_client import (
    NO_RETRIES,
    Conflict,
    ConnectionFailed,
    Memory,
    NotFound,
    RateLimited,
    Retries,
    TimedOut,
    Unavailable,
)
from tests.clients.python.conftest import QUICK, Asker
from tests.clients.python.scripted_server import HALF, HANG_UP, Line, Script

PENDING = Line(body={"pending": 0, "dead": 0, "oldest_seconds": None})
ACCEPTED = Line(202, {"conversation_id": "c1", "accepted": [], "window": {"messages": 1, "tokens": 3}, "fast_lane": []})
BUSY = Line(429, {"code": "rate_limited", "detail": "Too many requests."}, {"Retry-After": "1"})
DOWN = Line(503, {"code": "unavailable", "detail": "Postgres does not answer."})
GONE = Line(ending=HANG_UP)


def keys(script: Script) -> set[str]:
    return {one.headers.get("Idempotency-Key", "") for one in script.questions}


def test_a_write_is_sent_again_with_one_key(asker: Asker, script: Script) -> None:
    script.play(DOWN, GONE, Line(502, b"<html>"), ACCEPTED)
    accepted = asker(asker.memory.subject("ada").add("Hello", conversation="c1"))
    assert accepted.window.tokens == 3
    assert len(script.questions) == 4
    (key,) = keys(script)
    assert len(key) == 32
    assert {one.body for one in script.questions} == {b'{"messages":[{"role":"user","content":"Hello"}]}'}

    script.play(ACCEPTED)
    asker(asker.memory.subject("ada").add("Hello", conversation="c1"))
    assert keys(script) != {key}


def test_a_pause_that_the_server_asks_for_is_kept(asker: Asker, script: Script) -> None:
    script.play(BUSY, PENDING)
    began = time.monotonic()
    assert asker(asker.memory.subject("ada").pending()).pending == 0
    assert time.monotonic() - began >= 1.0


def test_a_pause_that_is_too_long_is_not_waited_for(asker: Asker, script: Script) -> None:
    script.play(Line(429, {"code": "rate_limited", "detail": "Too many."}, {"Retry-After": "3600"}))
    with pytest.raises(RateLimited, match="Too many") as caught:
        asker(asker.memory.subject("ada").pending())
    assert caught.value.retry_after == 3600
    assert len(script.questions) == 1


def test_attempts_are_bounded(asker: Asker, script: Script) -> None:
    script.play(DOWN)
    with pytest.raises(Unavailable, match="Postgres does not answer"):
        asker(asker.memory.subject("ada").pending())
    assert len(script.questions) == QUICK.attempts

    script.play(GONE)
    with pytest.raises(ConnectionFailed, match="after 4 attempts"):
        asker(asker.memory.subject("ada").pending())
    assert len(script.questions) == QUICK.attempts

    script.play(DOWN)
    with pytest.raises(Unavailable):
        asker(asker.memory.using(retries=NO_RETRIES).subject("ada").pending())
    assert len(script.questions) == 1


@pytest.mark.parametrize("call", ["update", "delete"])
def test_what_may_have_been_done_is_not_done_again(asker: Asker, script: Script, call: str) -> None:
    """PATCH and DELETE take no key: after a hang-up nobody knows, after 429 and 503 nothing was done."""
    tags = asker.memory.subject("ada").tags

    def make() -> Any:
        return tags.update("t1", address="x") if call == "update" else tags.delete("t1")

    script.play(GONE)
    with pytest.raises(ConnectionFailed, match="1 attempt"):
        asker(make())
    assert len(script.questions) == 1

    script.play(DOWN, Line(204) if call == "delete" else Line(body={"id": "t1"}))
    asker(make())
    assert len(script.questions) == 2


def test_a_put_is_repeatable_unless_it_names_a_version(asker: Asker, script: Script) -> None:
    preferences = asker.memory.subject("ada").preferences
    script.play(GONE, Line(body={"id": "p1", "verdict": "stored"}))
    assert asker(preferences.set("travel", "seat", "aisle")).verdict == "stored"
    script.play(GONE)
    with pytest.raises(ConnectionFailed):
        asker(preferences.set("travel", "seat", "aisle", if_match='"1"'))
    assert [one.headers["If-Match"] for one in script.questions] == ['"1"']


def test_a_twin_that_still_runs_is_waited_for_and_another_conflict_is_not(asker: Asker, script: Script) -> None:
    script.play(Line(409, {"code": "idempotency_twin_running", "detail": "Wait."}, {"Retry-After": "0"}), ACCEPTED)
    asker(asker.memory.subject("ada").add("Hello", conversation="c1"))
    assert len(script.questions) == 2
    script.play(Line(409, {"code": "conflict", "detail": "It exists."}))
    with pytest.raises(Conflict):
        asker(asker.memory.subject("ada").add("Hello", conversation="c1"))
    assert len(script.questions) == 1


def test_an_answer_that_does_not_come_is_a_time_out(asker: Asker, script: Script) -> None:
    script.play(Line(after_s=0.5), PENDING)
    hasty = asker.memory.using(timeout_s=0.1)
    assert asker(hasty.subject("ada").pending()).pending == 0
    script.play(Line(after_s=0.5))
    with pytest.raises(TimedOut, match="GET after 2 attempts"):
        asker(hasty.using(retries=Retries(attempts=2, first_pause_s=0.01)).subject("ada").pending())


def test_half_an_answer_is_none(asker: Asker, script: Script) -> None:
    script.play(Line(body={"pending": 0, "dead": 0}, ending=HALF), PENDING)
    assert asker(asker.memory.subject("ada").pending()).pending == 0


def test_a_key_of_ones_own_is_sent(asker: Asker, script: Script) -> None:
    script.play(ACCEPTED)
    asker(asker.memory.subject("ada").using(idempotency_key="order-7").add("Hello", conversation="c1"))
    assert keys(script) == {"order-7"}


def test_a_read_by_post_has_no_key_and_is_sent_again(asker: Asker, script: Script) -> None:
    script.play(GONE, Line(body={"memories": [], "notes": []}))
    assert asker(asker.memory.subject("ada").recall("tea")).notes == []
    assert keys(script) == {""}
    assert len(script.questions) == 2


def test_where_nobody_listens_no_path_is_told() -> None:
    """Ids of people stand in paths, and errors in logs."""
    with (
        Memory("http://127.0.0.1:9", "key-1", retries=QUICK) as memory,
        pytest.raises(ConnectionFailed) as caught,
    ):
        memory.subject("ada.lovelace@example.org").pending()
    assert "lovelace" not in str(caught.value)
    assert "key-1" not in repr(memory)


def test_redirects_are_not_followed(asker: Asker, script: Script) -> None:
    """The key would go along."""
    script.play(Line(302, {}, {"Location": "/v1/tenant"}))
    with pytest.raises(Exception, match="302"):
        asker(asker.memory.tenant())
    assert len(script.questions) == 1


@pytest.mark.parametrize("attempt", [1, 2, 3, 10])
def test_pauses_double_and_are_spread(attempt: int) -> None:
    retries = Retries(first_pause_s=0.5, longest_pause_s=4.0)
    whole = min(4.0, 0.5 * 2 ** (attempt - 1))
    pauses = [retries.choose_pause(attempt) for _ in range(50)]
    assert all(whole / 2 <= pause <= whole for pause in pauses)
    assert len(set(pauses)) > 40


def test_a_client_of_ones_own_is_used_and_left_open(script: Script) -> None:
    script.play(Line(404, {"code": "not_found", "detail": "No such subject."}))
    seen: list[httpx.Request] = []
    with httpx.Client(event_hooks={"request": [seen.append]}) as http:
        with Memory(f"{script.address}/v1/", "key-1", http=http) as memory, pytest.raises(NotFound):
            memory.subject("a/b c").get()
        assert not http.is_closed
    assert seen[0].url.raw_path == b"/v1/subjects/a%2Fb%20c"
    assert seen[0].headers["Authorization"] == "Bearer key-1"


@pytest.mark.parametrize("subject_id", ["", ".", "..", None])
def test_an_id_that_leaves_its_place_is_refused(script: Script, subject_id: Any) -> None:
    script.play(PENDING)
    with Memory(script.address, "key-1") as memory, pytest.raises(ValueError, match="subject_id"):
        memory.subject(subject_id).delete()
    assert script.questions == []

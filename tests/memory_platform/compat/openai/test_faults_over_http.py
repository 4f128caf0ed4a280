"""A real server between the SDK and an endpoint that stalls, hangs up or answers half an event. Rows: D10."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from django.db import connections

from memory_platform.kernel.ids import new_id
from tests.conftest import World
from tests.memory_platform.compat.openai.conftest import (
    PEANUTS,
    Proxy,
    open_way,
    remember_peanuts,
    wait_until,
)
from tests.memory_platform.compat.openai.fake_upstream import (
    DONE,
    HeardCall,
    Script,
    Step,
    chunk,
    completion,
    events,
    fake_upstream,
    stream,
)
from tests.memory_platform.compat.openai.server import CALLS, FIRST_BYTE_S, PAUSE_S, serve

pytestmark = [pytest.mark.processes, pytest.mark.xdist_group("faults over http")]  # one server for all of them
WORDS = [chunk({"role": "assistant", "content": "Take "}), chunk({"content": "the "})]
END = [chunk({"content": "almonds."}), chunk({}, "stop"), DONE]
ASKED, REPLIED = ("user", "Any snack ideas?"), ("assistant", "Take the almonds.")


@pytest.fixture(scope="module")
def world(shared_world: World) -> World:
    return shared_world


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("web")


@pytest.fixture(scope="module")
def way(world: World, home: Path) -> Iterator[Proxy]:
    with serve(home) as base, fake_upstream(lambda heard: completion("x")) as upstream:
        yield open_way(base, world.acme, upstream)


@pytest.fixture
def subject() -> str:
    """A subject of the test's own."""
    return f"ada-{new_id()}"


def ask(way: Proxy, subject: str, *, is_streamed: bool = True, retries: int = 0) -> Any:
    create: Any = way.client(max_retries=retries).chat.completions.create
    messages = [{"role": "user", "content": "Any snack ideas?"}]
    return create(model="m", messages=messages, stream=is_streamed, user=subject)


def join_words(pieces: Any) -> str:
    return "".join(piece.choices[0].delta.content or "" for piece in pieces)


def keeps(way: Proxy, subject: str, *expected: tuple[str, str]) -> None:
    """Wait until this and nothing else is kept of the subject."""
    wait_until(lambda: way.list_said(subject) == list(expected))


@pytest.mark.slow
def test_words_arrive_while_the_model_still_speaks(way: Proxy, subject: str) -> None:
    way.upstream.answer = lambda heard: events([*WORDS, 0.8, *END])
    began, times = time.monotonic(), []
    for _ in ask(way, subject):
        times.append(time.monotonic() - began)
    assert times[1] < times[-1] - 0.5, "the first words came before the pause"
    keeps(way, subject, ASKED, REPLIED)


@pytest.mark.slow
def test_a_stream_that_stalls_ends_with_an_error_and_without_a_reply(way: Proxy, subject: str) -> None:
    way.upstream.answer = lambda heard: events([*WORDS, PAUSE_S * 4, *END])
    with pytest.raises(openai.APIError, match="did not answer in time"):
        join_words(ask(way, subject))
    keeps(way, subject, ASKED)
    way.upstream.answer = lambda heard: events([*WORDS, *END])
    assert join_words(ask(way, subject)) == "Take the almonds."
    keeps(way, subject, ASKED, REPLIED)


@pytest.mark.slow
def test_a_stream_that_is_cut_ends_with_an_error_and_without_a_reply(way: Proxy, subject: str) -> None:
    half = END[0][: len(END[0]) // 2]
    for steps in ([*WORDS], [*WORDS, half]):
        way.upstream.answer = lambda heard, steps=steps: events(steps, is_cut=True)  # type: ignore[misc]
        with pytest.raises(openai.APIError, match="broke off"):
            join_words(ask(way, subject))
    keeps(way, subject, ASKED)


def test_half_an_event_at_the_end_is_dropped(way: Proxy, subject: str) -> None:
    way.upstream.answer = lambda heard: events([*WORDS, END[0][:40]])
    assert join_words(ask(way, subject)) == "Take the "
    keeps(way, subject, ASKED)


def test_events_cut_anywhere_are_put_together(way: Proxy, subject: str) -> None:
    whole = b"".join([*WORDS, *END]).replace(b"\n\n", b"\r\n\r\n") + b": a remark\r\n\r\n"
    way.upstream.answer = lambda heard: events([whole[at : at + 37] for at in range(0, len(whole), 37)])
    assert join_words(ask(way, subject)) == "Take the almonds."
    keeps(way, subject, ASKED, REPLIED)


def test_a_client_that_hangs_up_is_hung_up_on_and_the_next_try_is_kept_whole(way: Proxy, subject: str) -> None:
    way.upstream.hung_up.clear()
    slow: list[Step] = [0.1, WORDS[1]]
    way.upstream.answer = lambda heard: events([*WORDS, *(slow * 40), *END])
    pieces = ask(way, subject)
    assert next(iter(pieces)).choices[0].delta.content == "Take "
    pieces.close()
    assert way.upstream.hung_up.wait(10), "the model is not paid for what nobody hears"
    keeps(way, subject, ASKED)
    way.upstream.answer = lambda heard: stream("Take the ", "almonds.")
    join_words(ask(way, subject))
    keeps(way, subject, ASKED, REPLIED)


@pytest.mark.slow
def test_an_endpoint_that_says_nothing_is_a_504(way: Proxy, subject: str) -> None:
    way.upstream.answer = lambda heard: Script([b"{}"], wait_s=FIRST_BYTE_S * 2)
    with pytest.raises(openai.InternalServerError) as refused:
        ask(way, subject, is_streamed=False)
    assert (refused.value.status_code, refused.value.code) == (504, "upstream_timeout")
    assert way.list_said(subject) == []


def test_an_answer_that_is_cut_is_a_502(way: Proxy, subject: str) -> None:
    way.upstream.answer = lambda heard: Script(
        [b'{"choices": ['], 200, {"Content-Type": "application/json"}, is_cut=True
    )
    with pytest.raises(openai.InternalServerError) as refused:
        ask(way, subject, is_streamed=False)
    assert (refused.value.status_code, refused.value.code) == (502, "upstream_broken")


@pytest.mark.slow
def test_an_endpoint_that_is_away_is_a_502(way: Proxy, subject: str, world: World) -> None:
    with fake_upstream(lambda heard: completion("x")) as gone:
        pass
    try:
        open_way(way.api, world.acme, gone)
        with pytest.raises(openai.InternalServerError) as refused:
            ask(way, subject)
        assert (refused.value.status_code, refused.value.code) == (502, "upstream_unreachable")
    finally:
        open_way(way.api, world.acme, way.upstream)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 429, 500, 503])
def test_errors_of_the_endpoint_pass_unwrapped(way: Proxy, subject: str, status: int) -> None:
    body = b'{"error": {"message": "no", "type": "theirs", "param": null, "code": "c"}}'
    headers = {"Content-Type": "application/json", "Retry-After": "7", "Set-Cookie": "a=b", "X-Request-Id": "req_9"}
    way.upstream.answer = lambda heard: Script([body], status, headers)
    answer = way.post("/chat/completions", {"messages": [{"role": "user", "content": "hi"}], "user": subject})
    assert (answer.status_code, answer.content) == (status, body)
    assert (answer.headers["Retry-After"], answer.headers["X-Upstream-Request-Id"]) == ("7", "req_9")
    assert "Set-Cookie" not in answer.headers
    assert way.list_said(subject) == [], "what was refused was not said"


def test_a_page_of_a_gateway_passes_as_it_is(way: Proxy, subject: str) -> None:
    way.upstream.answer = lambda heard: Script([b"<html>bad gateway</html>"], 502, {"Content-Type": "text/html"})
    answer = way.post("/chat/completions", {"messages": [{"role": "user", "content": "hi"}], "user": subject})
    assert (answer.status_code, answer.text) == (502, "<html>bad gateway</html>")
    assert answer.headers["Content-Type"] == "text/html"


def test_a_redirect_is_never_followed(way: Proxy, subject: str) -> None:
    way.upstream.answer = lambda heard: Script([], 307, {"Location": f"{way.upstream.url}/elsewhere"})
    before = len(way.upstream.heard)
    with pytest.raises(openai.InternalServerError) as refused:
        ask(way, subject, retries=2)
    assert (refused.value.status_code, refused.value.code) == (502, "upstream_redirected")
    assert len(way.upstream.heard) == before + 1, "neither followed nor tried again"


def test_the_sdk_tries_again_where_that_may_help(way: Proxy, subject: str) -> None:
    scripts = [completion("Take the almonds."), Script([], 503)]
    way.upstream.answer = lambda heard: scripts.pop()
    assert ask(way, subject, is_streamed=False, retries=1).choices[0].message.content == "Take the almonds."
    keeps(way, subject, ASKED, REPLIED)


def test_headers_of_the_way_here_stay_here(way: Proxy, subject: str) -> None:
    way.upstream.answer = lambda heard: completion("x")
    own = {
        "X-Subject-Id": subject,
        "X-Memory-Tokens": "500",
        "Cookie": "session=1",
        "Api-Key": way.house.token,
        "X-Api-Key": way.house.token,
        "Proxy-Authorization": "Basic eDp5",
        "X-Forwarded-For": "10.0.0.9",
        "Connection": "keep-alive, X-Hop",
        "X-Hop": "1",
        "Te": "trailers",
        "OpenAI-Organization": "org-1",
        "X-Title": "our app",
        "Traceparent": "00-1-2-01",
    }
    assert (
        way.post("/chat/completions?v=1", {"messages": [{"role": "user", "content": "hi"}]}, **own).status_code == 200
    )
    sent = way.upstream.last
    assert sent.path == "/v1/chat/completions?v=1"
    assert way.house.token not in str(sent.headers) + sent.raw.decode()
    assert {"openai-organization", "x-title", "traceparent", "content-type", "user-agent"} <= sent.headers.keys()
    assert not {
        "cookie", "api-key", "x-api-key", "proxy-authorization", "x-forwarded-for", "x-hop", "te", "x-subject-id",
        "x-memory-tokens", "x-request-id",
    } & sent.headers.keys()  # fmt: skip
    assert sent.headers["host"] == way.upstream.url.split("/")[2]
    assert sent.headers["accept-encoding"] == "identity"


@pytest.mark.slow
def test_a_memory_that_hangs_does_not_hold_up_the_call(way: Proxy, subject: str) -> None:
    remember_peanuts(way, subject)
    way.upstream.answer = lambda heard: completion("Take the almonds.")
    asked = {"messages": [{"role": "user", "content": "Any snack ideas?"}], "user": subject}
    with connections["owner"].cursor() as cursor:
        cursor.execute("BEGIN; LOCK TABLE subject_memory, snapshot IN ACCESS EXCLUSIVE MODE")
        began = time.monotonic()
        answer = way.post("/chat/completions", asked)
        took = time.monotonic() - began
        cursor.execute("ROLLBACK")
    assert (answer.status_code, answer.headers["X-Memory-Status"]) == (200, "degraded")
    assert took < 8
    assert PEANUTS not in way.upstream.last.raw.decode()
    assert "X-Receipt-Id" not in answer.headers
    keeps(way, subject, ASKED, REPLIED)
    assert way.post("/chat/completions", asked).headers["X-Memory-Status"] == "used"


@pytest.mark.slow
def test_waiting_calls_hold_no_connection_and_leave_room_for_the_rest(way: Proxy, subject: str) -> None:
    came, released = len(way.upstream.heard), threading.Event()

    def wait_and_answer(_heard: HeardCall) -> Script:
        released.wait(FIRST_BYTE_S)
        return completion("x")

    way.upstream.answer = wait_and_answer
    body = {"messages": [{"role": "user", "content": "hi"}], "user": subject}
    with ThreadPoolExecutor(CALLS + 2) as pool:
        answers = [pool.submit(way.post, "/chat/completions", body) for _ in range(CALLS + 2)]
        wait_until(lambda: len(way.upstream.heard) == came + CALLS and sum(one.done() for one in answers) == 2)
        assert way.call_api("GET", "/v1/tenant")["name"] == "Acme"
        assert sum(one.done() for one in answers) == 2, "the others still wait"
        released.set()
        statuses = sorted(answer.result().status_code for answer in answers)
    assert statuses == [200] * CALLS + [503] * 2


@pytest.mark.slow
def test_a_subject_that_is_erased_while_the_model_speaks_does_not_come_back(way: Proxy, subject: str) -> None:
    remember_peanuts(way, subject)
    way.upstream.answer = lambda heard: events([*WORDS, 1.0, *END])
    pieces = iter(ask(way, subject))
    next(pieces)
    way.call_api("DELETE", f"/v1/subjects/{subject}")
    list(pieces)
    time.sleep(1)
    missing = httpx.get(f"{way.api}/v1/subjects/{subject}", headers=way.house.headers)
    assert missing.status_code == 404


def test_no_key_and_no_word_stands_in_the_log(way: Proxy, home: Path) -> None:
    text = (home / "log").read_text()
    for secret in (way.house.token, "sk-upstream", "snack", "almonds", "peanuts", way.upstream.url):
        assert secret not in text

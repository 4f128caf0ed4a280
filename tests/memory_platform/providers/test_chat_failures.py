"""What failing chat models look like: late, refused, unreachable, left alone. Rows: L1."""

import logging
import os
import signal
import time
from collections.abc import Iterator
from threading import Timer

import pytest
from celery.exceptions import SoftTimeLimitExceeded

from memory_platform.providers.contracts import ChatUnavailable, Usage
from tests.memory_platform.providers.chatting import ASKED, GOOD, SECRET, TEXT, Colour, chat, replies
from tests.model_server import ModelServer, Reply, completion, model_server


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server(lambda _: completion(GOOD)) as running:
        yield running


@pytest.mark.parametrize(
    ("reply", "requests", "failure"),
    [
        (Reply({}, status=500), 2, "broken"),
        (Reply({}, status=429), 2, "overloaded"),
        (Reply({}, status=401), 1, "denied"),
        (Reply({"error": {"message": TEXT}}, status=400), 3, "refused"),
        (Reply({"choices": []}), 1, "wrong_answer"),
        (Reply(b"not JSON " + TEXT.encode()), 1, "wrong_answer"),
        (Reply(b"packed", headers={"Content-Encoding": "gzip"}), 1, "wrong_answer"),
        (Reply({}, status=302, headers={"Location": "/v1/other"}), 1, "redirected"),
    ],
)
def test_what_cannot_be_used_is_unavailable_and_says_nothing_of_it(
    server: ModelServer, reply: Reply, requests: int, failure: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.answer = lambda _: reply
    with pytest.raises(ChatUnavailable) as refused:
        chat(server).ask_structured(ASKED, Colour)
    assert refused.value.failure == failure
    shown = f"{refused.value!r}{refused.value.__cause__!r}{[record.getMessage() for record in caplog.records]}"
    for hidden in (TEXT, SECRET, "never a number", "127.0.0.1"):
        assert hidden not in shown
    assert len(server.requests) == requests
    assert {request.path for request in server.requests} == {"/v1/chat/completions"}


def test_a_megabyte_is_refused_before_it_has_come(server: ModelServer) -> None:
    server.answer = lambda _: completion("x" * 1_000_000)
    with pytest.raises(ChatUnavailable) as refused:
        chat(server).ask_structured(ASKED, Colour)
    assert refused.value.failure == "too_large"
    assert refused.value.usage.input_tokens > 0
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "reply", [Reply({}, hang_s=60), Reply(b" " * 300, drip=True, pause_s=0.2)], ids=["hangs", "drips"]
)
def test_a_late_answer_costs_the_time_promised_and_what_was_asked(server: ModelServer, reply: Reply) -> None:
    server.answer = lambda _: reply
    model = chat(server, seconds=0.5)
    started = time.monotonic()
    with pytest.raises(ChatUnavailable) as late:
        model.ask_structured(ASKED, Colour)
    assert time.monotonic() - started < 30, "a minute is what it would take"
    assert late.value.failure == "timeout"
    assert late.value.usage.requests == 1
    assert late.value.usage.input_tokens > 20


def test_a_repair_has_only_the_time_that_is_left(server: ModelServer) -> None:
    replies(server, completion("no"), then=Reply({}, hang_s=60))
    started = time.monotonic()
    with pytest.raises(ChatUnavailable):
        chat(server, seconds=0.5).ask_structured(ASKED, Colour)
    assert time.monotonic() - started < 30, "a minute is what it would take"


@pytest.mark.parametrize(
    ("first", "least_s"),
    [
        (Reply({}, status=500), 0.0),
        (Reply({}, status=503), 0.0),
        (Reply({}, status=429), 0.0),
        (Reply({}, status=429, headers={"Retry-After": "1"}), 1.0),
    ],
)
def test_a_passing_failure_is_tried_again_after_the_time_asked_for(
    server: ModelServer, first: Reply, least_s: float
) -> None:
    replies(server, first, then=completion(GOOD))
    model = chat(server)
    started = time.monotonic()
    answered = model.ask_structured(ASKED, Colour)
    assert least_s <= time.monotonic() - started
    assert answered.usage == Usage(1, 7, 5)
    assert len(server.requests) == 2


def test_a_wait_beyond_the_time_promised_is_not_begun(server: ModelServer) -> None:
    server.answer = lambda _: Reply({}, status=429, headers={"Retry-After": "60"})
    started = time.monotonic()
    with pytest.raises(ChatUnavailable) as refused:
        chat(server, seconds=2.0).ask_structured(ASKED, Colour)
    assert time.monotonic() - started < 30, "a minute is what it was asked to wait"
    assert refused.value.failure == "overloaded"
    assert refused.value.usage == Usage()


def test_a_model_that_keeps_failing_is_left_alone_then_tried_and_taken_back(server: ModelServer) -> None:
    server.answer = lambda _: Reply({}, status=401)
    model = chat(server, failures=2, pause_s=0.4)
    failures = []
    for _ in range(4):
        with pytest.raises(ChatUnavailable) as refused:
            model.ask_structured(ASKED, Colour)
        failures.append(refused.value.failure)
    assert failures == ["denied", "denied", "circuit_open", "circuit_open"]
    assert len(server.requests) == 2
    assert not model.ready
    time.sleep(0.5)
    with pytest.raises(ChatUnavailable):  # the one trial, which fails
        model.ask_structured(ASKED, Colour)
    with pytest.raises(ChatUnavailable):
        model.ask_structured(ASKED, Colour)
    assert len(server.requests) == 3
    time.sleep(0.5)
    server.answer = lambda _: completion(GOOD)
    assert model.ask_structured(ASKED, Colour).value.shade == 3
    assert model.ready


def test_a_question_that_is_refused_says_nothing_about_the_endpoint(server: ModelServer) -> None:
    server.answer = lambda _: Reply({}, status=400)
    model = chat(server, failures=1)
    with pytest.raises(ChatUnavailable):
        model.ask_structured(ASKED, Colour)
    assert model.ready


def test_an_endpoint_that_is_away_is_unreachable(server: ModelServer) -> None:
    model = chat(server)
    server.stop()
    with pytest.raises(ChatUnavailable) as refused:
        model.ask_structured(ASKED, Colour)
    assert refused.value.failure == "unreachable"
    server.start = server.stop = lambda: None  # type: ignore[method-assign]  # it has stopped


def test_the_soft_time_limit_of_a_worker_ends_its_task_and_is_no_failure_of_the_endpoint(server: ModelServer) -> None:
    def over(*_: object) -> None:
        raise SoftTimeLimitExceeded

    server.answer = lambda _: Reply({}, hang_s=2.0)
    model = chat(server, failures=1)
    before = signal.signal(signal.SIGUSR1, over)
    alarm = Timer(0.2, os.kill, (os.getpid(), signal.SIGUSR1))
    alarm.start()
    try:
        with pytest.raises(SoftTimeLimitExceeded):
            model.text(ASKED)
    finally:
        alarm.join()
        signal.signal(signal.SIGUSR1, before)
    assert model.ready

"""Each problem is an error of its own kind, with the server's sentence. Rows: D11."""

import pickle

import pytest

from memory_platform_client import (
    BudgetTooSmall,
    Conflict,
    Forbidden,
    Invalid,
    JobFailed,
    MemoryPlatformError,
    NotFound,
    Problem,
    RateLimited,
    Refused,
    TooLarge,
    Unauthenticated,
    Unavailable,
    UnreadableAnswer,
    VersionMismatch,
)
from memory_platform_client.answers import Job
from memory_platform_client.decoding import ObjectDecoder
from memory_platform_client.errors import make_problem
from tests.clients.python.conftest import Asker
from tests.clients.python.scripted_server import Line, Script

KINDS = {
    400: Invalid,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    412: VersionMismatch,
    413: TooLarge,
    415: Problem,
    422: Refused,
    429: RateLimited,
    500: Unavailable,
    503: Unavailable,
}


@pytest.mark.parametrize(("status", "kind"), KINDS.items())
def test_a_status_has_its_error(status: int, kind: type[Problem]) -> None:
    problem = make_problem(status, {"detail": "It is so.", "code": "c", "request_id": "r1"}, {})
    assert type(problem) is kind
    assert str(problem) == "It is so. [c, request r1]"


def test_what_the_server_tells_is_there(asker: Asker, script: Script) -> None:
    fault = {"field": "top_k", "code": "max_value", "message": "At most 100."}
    script.play(Line(400, {"detail": "The request is malformed.", "code": "invalid_input", "errors": [fault]}))
    with pytest.raises(Invalid, match=r"malformed\. top_k: At most 100") as caught:
        asker(asker.memory.subject("ada").recall("tea", top_k=101))
    assert (caught.value.code, caught.value.fields[0].code) == ("invalid_input", "max_value")


def test_a_limit_says_when_it_ends(asker: Asker, script: Script) -> None:
    limit = {"name": "messages_per_day", "allowed": 10, "remaining": 0, "resets_at": "2026-11-29T00:00:00Z"}
    script.play(Line(429, {"detail": "Too many.", "limit": limit}, {"Retry-After": "86400"}))
    with pytest.raises(RateLimited) as caught:
        asker(asker.memory.subject("ada").add("Hello", conversation="c1"))
    assert caught.value.retry_after == 86_400
    assert caught.value.limit
    assert (caught.value.limit.name, caught.value.limit.allowed) == ("messages_per_day", 10)


def test_a_budget_says_what_it_needs(asker: Asker, script: Script) -> None:
    script.play(Line(422, {"detail": "Too small.", "code": "budget_too_small", "needed": 812}))
    with pytest.raises(BudgetTooSmall) as caught:
        asker(asker.memory.subject("ada").context("Hello", budget={"total": 10}))
    assert caught.value.needed == 812


@pytest.mark.parametrize("body", [b"<html>It works!</html>", b"[]", b'"ok"'])
def test_something_else_that_listens_is_told_apart(asker: Asker, script: Script, body: bytes) -> None:
    script.play(Line(200, body))
    with pytest.raises(UnreadableAnswer, match="base_url"):
        asker(asker.memory.tenant())


@pytest.mark.parametrize("body", [b"<html>Bad gateway</html>", b"", b"[]", b'{"errors": ["x", 7], "limit": 3}'])
def test_a_proxy_s_error_is_an_error(asker: Asker, script: Script, body: bytes) -> None:
    script.play(Line(429, body))
    with pytest.raises(RateLimited, match="The server answered 429") as caught:
        asker(asker.memory.tenant())
    assert (caught.value.fields, caught.value.limit) == ((), None)


def test_errors_travel_between_processes() -> None:
    error = make_problem(429, {"detail": "Too many.", "code": "rate_limited"}, {"retry-after": "2"})
    again = pickle.loads(pickle.dumps(error))  # noqa: S301  # our own bytes
    assert (type(again), str(again), again.retry_after) == (RateLimited, str(error), 2.0)
    assert isinstance(again, MemoryPlatformError)
    failed = pickle.loads(pickle.dumps(JobFailed(ObjectDecoder(Job)({"id": "j1", "kind": "import", "status": "dead"}))))  # noqa: S301
    assert failed.job.id == "j1"

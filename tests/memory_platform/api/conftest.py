"""The API's test client: JSON in, JSON out, one key per call."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import orjson
import pytest
from django.http import HttpResponse
from django.test import Client

from tests.conftest import HANDLER, House, World
from tests.memory_platform.api.conformance import check_answer

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Caller:
    """Calls the API with one tenant's key; every answer has to be as the OpenAPI document says."""

    house: House | None

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> HttpResponse:
        """Send one request; ``body`` is JSON or, as bytes, exactly what is sent; header names with ``_`` for ``-``."""
        sent = body if isinstance(body, bytes) else b"" if body is None else orjson.dumps(body)
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        given = (self.house.headers if self.house else {}) | given
        kind = given.pop("Content-Type", JSON if body is not None else "")
        client = Client(raise_request_exception=False)
        client.handler = HANDLER
        response: Any = client.generic(method, path, sent, content_type=kind, headers=given)
        if response.streaming:
            response = HttpResponse(b"".join(response), status=response.status_code, headers=dict(response.items()))
        check_answer(method, path, response)
        return cast(HttpResponse, response)


@pytest.fixture
def acme(world: World) -> Caller:
    """acme's key: its subject is ada."""
    return Caller(world.acme)


@pytest.fixture
def globex(world: World) -> Caller:
    """globex's key: it must never see Ada."""
    return Caller(world.globex)


@pytest.fixture
def nobody(world: World) -> Caller:
    """No key at all."""
    return Caller(None)


def body_of(response: HttpResponse) -> dict[str, Any]:
    """Return an answer's JSON object."""
    body: dict[str, Any] = orjson.loads(response.content)
    return body


def problem_of(response: HttpResponse, status: int) -> dict[str, Any]:
    """Return the problem of an error answer after checking its shape."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    body = body_of(response)
    assert {"type", "title", "status", "detail", "code", "errors", "request_id"} <= body.keys()
    assert body["status"] == status
    assert body["request_id"] == response["X-Request-Id"]
    return body


def fields_of(problem: dict[str, Any]) -> set[str]:
    """Return the fields that a problem names."""
    return {fault["field"] for fault in problem["errors"]}


Calling = Callable[..., HttpResponse]

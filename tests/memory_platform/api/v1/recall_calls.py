"""Calls of recall, and what tests read of their answers."""

from typing import Any

from django.http import HttpResponse

from tests.memory_platform.api.conftest import Caller, body_of

ADA = "/v1/subjects/ada/recall"

PEANUTS = "I am allergic to peanuts"


def recall(caller: Caller, query: str, path: str = ADA, **more: Any) -> dict[str, Any]:
    response = caller("POST", path, {"query": query, **more})
    assert response.status_code == 200, response.content
    return body_of(response)


def texts(answer: dict[str, Any]) -> list[str]:
    return [memory["text"] for memory in answer["memories"]]


def without_timings(response: HttpResponse) -> dict[str, Any]:
    body = body_of(response)
    body.pop("timings_ms", None)
    body.pop("request_id", None)
    return body


NOBODY = "/v1/subjects/nobody/recall"

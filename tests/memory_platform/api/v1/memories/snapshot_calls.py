"""Calls about one subject's snapshots, and what is wrong with a body, for the tests of their routes."""

from collections.abc import Mapping
from typing import Any

from tests.memory_platform.api.conftest import Caller, body_of

ADA = "/v1/subjects/ada/snapshots"
BULK = f"{ADA}/bulk"


def post(caller: Caller, text: str = "Allergic to peanuts", path: str = ADA, **fields: Any) -> dict[str, Any]:
    response = caller("POST", path, {"text": text, **fields})
    assert response.status_code == 201, response.content
    return body_of(response)


def list_texts(caller: Caller, query: str = "", path: str = ADA) -> list[str]:
    response = caller("GET", f"{path}?{query}")
    assert response.status_code == 200, response.content
    return [one["text"] for one in body_of(response)["data"]]


def one(made: Mapping[str, Any], path: str = ADA) -> str:
    return f"{path}/{made['id']}"


BAD: list[tuple[str, Any]] = [
    ("text", None),
    ("text", ""),
    ("text", " \n\t"),
    ("text", "\u200b\ufeff"),
    ("text", 5),
    ("text", ["x"]),
    ("text", "x" * (64 * 1024 + 1)),
    ("text", "花" * 22_000),
    ("text", "a\u0000b"),
    ("text", "a" + "\u0301" * 40),
    ("kind", "wish"),
    ("kind", 1),
    ("category", ""),
    ("category", "x" * 101),
    ("topics", "food"),
    ("topics.0", [""]),
    ("topics.1", ["a", 5]),
    ("topics", ["t"] * 33),
    ("importance", 1.01),
    ("importance", "0.5"),
    ("importance", True),
    ("confidence", -0.01),
    ("provenance", "rumour"),
    ("said_at", "yesterday"),
    ("said_at", "2026-05-08T09:00:00"),
    ("said_at", "10000-01-01T00:00:00Z"),
    ("expires_at", 1778230000),
    ("metadata", []),
    ("metadata", {"x": "y" * 65 * 1024}),
    ("tenant_id", "x"),
    ("id", "x"),
    ("version", 3),
]

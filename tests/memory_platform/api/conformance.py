"""Answers against the OpenAPI document that the platform serves: whoever reads only that must not be surprised."""

from functools import cache
from typing import Any

import orjson
from django.conf import settings
from django.http import HttpResponse
from django.urls import Resolver404, resolve
from jsonschema import Draft202012Validator

from memory_platform.api.reference.schema import openapi_document
from tests.memory_platform.api.routes import documented_path

PLATFORM = "memory_platform.urls"


def check_answer(method: str, path: str, response: HttpResponse) -> None:
    """Assert that status, media type and body of an answer are those that the document promises."""
    operation = _operation(method, path)
    if operation is None:
        return
    answers = document()["paths"][operation][method.lower()]["responses"]
    assert str(response.status_code) in answers, f"{method} {operation} does not document {response.status_code}"
    documented = resolve_answer(document(), answers[str(response.status_code)])
    content = documented.get("content")
    if content is None:
        assert response.content == b"", f"{method} {operation} documents no body for {response.status_code}"
        return
    media = response["Content-Type"].partition(";")[0]
    assert media in content, f"{method} {operation} does not document {media}"
    if media != "application/json" and not media.endswith("+json"):
        return
    if media.startswith("application/problem"):
        code = orjson.loads(response.content)["code"]
        assert code in documented["x-error-codes"], f"{method} {operation}: {code}"
    faults = _validator(operation, method.lower(), str(response.status_code), media).iter_errors(
        orjson.loads(response.content)
    )
    assert [f"{fault.json_path}: {fault.message[:200]}" for fault in faults] == [], f"{method} {operation}"


def resolve_answer(loaded: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer of an operation, or the shared one that it refers to."""
    name = answer.get("$ref", "").rpartition("/")[2]
    resolved: dict[str, Any] = loaded["components"]["responses"][name] if name else answer
    return resolved


@cache
def document() -> dict[str, Any]:
    """Return the document, its answers closed: what is not documented is not answered."""
    loaded: dict[str, Any] = orjson.loads(openapi_document())
    for name, schema in loaded["components"]["schemas"].items():
        if schema.get("type") == "object" and name != "Problem":
            schema.setdefault("additionalProperties", False)
    return loaded


@cache
def _validator(operation: str, method: str, status: str, media: str) -> Draft202012Validator:
    answer = resolve_answer(document(), document()["paths"][operation][method]["responses"][status])
    schema = answer["content"][media]["schema"]
    return Draft202012Validator({**schema, "components": document()["components"]})


def _operation(method: str, path: str) -> str | None:
    """Return the documented path of a call; None for probes, unknown addresses and methods that a path lacks."""
    if settings.ROOT_URLCONF != PLATFORM:
        return None
    try:
        route = resolve(path.partition("?")[0].rstrip("/")).route
    except Resolver404:
        return None
    documented = documented_path(route)
    return documented if method.lower() in document()["paths"].get(documented, {}) else None

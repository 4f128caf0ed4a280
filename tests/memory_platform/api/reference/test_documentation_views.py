"""What ``/v1/docs`` tells a stranger: where to begin, what each call is for, and requests to copy. Rows: D1."""

import re
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from memory_platform.api.reference.schema import openapi_document

SUBJECT = "/v1/subjects/{subject_id}"
# Calls whose request examples are in English and Chinese.
IN_BOTH_LANGUAGES = [
    ("post", f"{SUBJECT}/conversations/{{conversation_id}}/messages"),
    ("post", f"{SUBJECT}/recall"),
    ("post", f"{SUBJECT}/context"),
    ("post", "/v1/receipts/{receipt_id}/outcome"),
    ("post", f"{SUBJECT}/snapshots"),
    ("put", f"{SUBJECT}/preferences/{{category}}/{{key}}"),
    ("post", "/v1/import"),
]
HAN = re.compile("[\u4e00-\u9fff]")


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    loaded: dict[str, Any] = orjson.loads(openapi_document())
    return loaded


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, found in document["paths"].items():
        for method, operation in found.items():
            yield method, path, operation


def test_the_introduction_names_only_calls_that_there_are(document: dict[str, Any]) -> None:
    known = {f"{method.upper()} {path}" for method, path, _ in operations(document)}
    named = set(re.findall(r"`((?:GET|POST|PUT|PATCH|DELETE) [^`]+)`", document["info"]["description"]))
    assert len(named) == 6
    assert named <= known


def test_every_heading_is_explained_the_five_calls_first_and_health_last(document: dict[str, Any]) -> None:
    told = [tag["name"] for tag in document["tags"]]
    assert told[:6] == ["messages", "context", "recall", "outcome", "export", "deletion"]
    assert told[-1] == "health"
    assert [name for group in document["x-tagGroups"] for name in group["tags"]] == told
    assert {tag for _, _, operation in operations(document) for tag in operation["tags"]} == set(told)


def test_every_call_has_a_short_summary(document: dict[str, Any]) -> None:
    for method, path, operation in operations(document):
        assert 5 < len(operation["summary"]) <= 110, (method, path)
        assert not operation["summary"].endswith("."), (method, path)


@pytest.mark.parametrize(("method", "path"), IN_BOTH_LANGUAGES)
def test_examples_speak_both_languages(document: dict[str, Any], method: str, path: str) -> None:
    content = document["paths"][path][method]["requestBody"]["content"]["application/json"]
    printed = orjson.dumps([example["value"] for example in content["examples"].values()]).decode()
    assert HAN.search(printed)
    assert re.search("[A-Za-z]{3}", printed)

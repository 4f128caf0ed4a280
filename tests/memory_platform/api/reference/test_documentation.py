"""What ``/v1/docs`` tells a stranger: where to begin, what each call is for, and requests to copy. Rows: D1."""

import re
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from memory_platform.api.reference.schema import openapi_document
from memory_platform.api.requests.serializers import Input
from memory_platform.api.v1.administration.imports import ImportInput
from memory_platform.api.v1.conversations.message_inputs import MessagesInput
from memory_platform.api.v1.memories.snapshot_serializers import SnapshotInput
from memory_platform.api.v1.profiles.preference_serializers import PreferenceInput
from memory_platform.api.v1.recall.context import ContextInput
from memory_platform.api.v1.recall.outcome import OutcomeInput
from memory_platform.api.v1.recall.recall import RecallInput
from snapshots.portability.accept import read_export

SUBJECT = "/v1/subjects/{subject_id}"
INPUTS: dict[tuple[str, str], type[Input]] = {
    ("post", f"{SUBJECT}/conversations/{{conversation_id}}/messages"): MessagesInput,
    ("post", f"{SUBJECT}/recall"): RecallInput,
    ("post", f"{SUBJECT}/context"): ContextInput,
    ("post", "/v1/receipts/{receipt_id}/outcome"): OutcomeInput,
    ("post", f"{SUBJECT}/snapshots"): SnapshotInput,
    ("put", f"{SUBJECT}/preferences/{{category}}/{{key}}"): PreferenceInput,
    ("post", "/v1/import"): ImportInput,
}
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


def test_every_heading_is_explained_subjects_first_and_health_last(document: dict[str, Any]) -> None:
    told = [tag["name"] for tag in document["tags"]]
    assert told[:5] == ["subjects", "conversations", "recall", "context", "receipts"]
    assert told[-1] == "health"
    assert {tag for _, _, operation in operations(document) for tag in operation["tags"]} == set(told)


def test_every_call_has_a_short_summary(document: dict[str, Any]) -> None:
    for method, path, operation in operations(document):
        assert 5 < len(operation["summary"]) <= 110, (method, path)
        assert not operation["summary"].endswith("."), (method, path)


@pytest.mark.parametrize(("method", "path"), INPUTS)
def test_examples_are_accepted_and_speak_both_languages(document: dict[str, Any], method: str, path: str) -> None:
    content = document["paths"][path][method]["requestBody"]["content"]["application/json"]
    values = [example["value"] for example in content["examples"].values()]
    assert values
    for value in values:
        INPUTS[method, path]().run_validation(value)
    shown = orjson.dumps(values).decode()
    assert HAN.search(shown)
    assert re.search("[A-Za-z]{3}", shown)


def test_the_example_of_an_import_is_a_whole_export(document: dict[str, Any]) -> None:
    content = document["paths"]["/v1/import"]["post"]["requestBody"]["content"]["application/json"]
    (example,) = content["examples"].values()
    assert read_export(example["value"]["lines"]).subject_id == "ada"

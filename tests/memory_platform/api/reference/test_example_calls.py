"""Every example of the OpenAPI document works, and its answer has the shape that is printed. Rows: D1."""

import os
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import quote, urlencode

import orjson
import pytest
from django.db.models import F
from django.http import HttpResponse

from memory_platform.api.reference.example_calls import FILES, FOLDER, ExampleCall, calls_of, fill_references
from memory_platform.api.reference.schema import openapi_document
from memory_platform.providers.registry import embedders
from profiles.models import Preference
from snapshots.consolidation.pipeline import consolidate_subject
from snapshots.jobs import drain_work_job
from snapshots.lifecycle.memory_reviews import review_tenant
from snapshots.models import Job, JobStatus
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.memory_platform.api.conftest import JSON, Caller
from tests.snapshots.held import remember

SAME = ("我坐飞机喜欢靠窗的座位", "坐飞机我喜欢靠窗座位", "我坐飞机都喜欢靠窗的座位")
RECORDS = os.environ.get("RECORD_EXAMPLES") == "1"


def kill_jobs(house: House) -> None:
    with tenant_tx(house.tenant.id):
        Job.objects.update(status=JobStatus.DEAD, error_code="unavailable")


def age_preferences(house: House) -> None:
    with tenant_tx(house.tenant.id):
        Preference.objects.update(last_validated_at=F("last_validated_at") - timedelta(days=181))
    review_tenant(house.tenant.id)


def join_memories(house: House) -> None:
    remember(house, *SAME)
    assert consolidate_subject(house.tenant.id, house.subject.id, embedders("wordllama,use")) == len(SAME)


# What time or workers do before a call.
PREPARATIONS: dict[str, Callable[[House], None]] = {
    "retry_job": kill_jobs,
    "list_reviews": age_preferences,
    "list_consolidations": join_memories,
}


@pytest.fixture(scope="module")
def operations() -> dict[str, tuple[str, str, dict[str, Any]]]:
    paths = orjson.loads(openapi_document())["paths"]
    return {
        operation["operationId"]: (method.upper(), path, operation)
        for path, methods in paths.items()
        for method, operation in methods.items()
    }


def test_every_operation_has_a_request_and_a_response_example(
    operations: dict[str, tuple[str, str, dict[str, Any]]],
) -> None:
    called = {call.operation: call for file in FILES for call in calls_of(file)}
    assert set(operations) - set(called) == {"get_schema"}
    for name, (_, _, operation) in operations.items():
        body = operation.get("requestBody", {}).get("content", {}).get(JSON)
        if body and body["schema"].get("$ref") != "#/components/schemas/NothingInputRequest":
            assert body.get("examples"), name
        answers = [one["content"] for one in operation["responses"].values() if "content" in one]
        if name != "get_schema":
            assert not answers or any("examples" in media for content in answers for media in content.values()), name


@pytest.mark.timeout(180)
def test_every_example_works_on_the_real_api(
    world: World, operations: dict[str, tuple[str, str, dict[str, Any]]]
) -> None:
    answers: dict[str, Any] = {}
    faults: list[Any] = []
    for file in FILES:
        recorded = []
        for call in calls_of(file):
            if call.work:
                drain_work_job(tenant_id=str(world.acme.tenant.id))
            if call.operation in PREPARATIONS:
                PREPARATIONS[call.operation](world.acme)
            method, path, _ = operations[call.operation]
            response = send(Caller(world.acme), method, path, call, answers)
            answer = answers[call.operation] = answer_of(response)
            recorded.append((call, answer))
            if response.status_code != call.status:
                faults.append((call.operation, call.name, response.status_code, answer))
            elif not RECORDS:
                faults += [(call.operation, call.name, found) for found in differences(call.answer, answer, "answer")]
        if RECORDS and not faults:
            record(file, recorded)
    assert faults == []


def answer_of(response: HttpResponse) -> Any:
    """Return the JSON of an answer, or its text; None when it has no body."""
    if not response.content:
        return None
    return orjson.loads(response.content) if response["Content-Type"] == JSON else response.content.decode()


def send(caller: Caller, method: str, path: str, call: ExampleCall, answers: dict[str, Any]) -> HttpResponse:
    parts, query, body = (fill_references(part, answers) for part in (call.path, call.query, call.body))
    address = path.format(**{name: quote(value, safe="") for name, value in parts.items()})
    return caller(method, f"{address}?{urlencode(query)}" if query else address, body)


def differences(expected: Any, found: Any, place: str) -> Iterator[str]:
    """Yield where two answers have other members, other types or another number of items."""
    if type(expected) is not type(found) and {type(expected), type(found)} != {int, float}:
        yield f"{place}: {type(expected).__name__} is now {type(found).__name__}"
    elif isinstance(expected, dict):
        if expected.keys() != found.keys():
            yield f"{place}: {sorted(expected.keys() ^ found.keys())}"
        for name in expected.keys() & found.keys():
            yield from differences(expected[name], found[name], f"{place}.{name}")
    elif isinstance(expected, list):
        if len(expected) != len(found):
            yield f"{place}: {len(expected)} items are now {len(found)}"
        for index, (one, other) in enumerate(zip(expected, found, strict=False)):
            yield from differences(one, other, f"{place}.{index}")


def record(file: str, calls: list[tuple[ExampleCall, Any]]) -> None:
    """Write the calls of a file with the answers that they got."""
    rows = []
    for call, answer in calls:
        row: dict[str, Any] = {"operation": call.operation, "name": call.name}
        row |= {name: getattr(call, name) for name in ("path", "query", "work") if getattr(call, name)}
        row |= {"body": call.body} if call.body is not None else {}
        row |= {"status": call.status, "answer": answer}
        rows.append(row)
    (FOLDER / f"{file}.json").write_bytes(orjson.dumps(rows, option=orjson.OPT_INDENT_2) + b"\n")


def test_a_changed_answer_is_found() -> None:
    was = {"id": "a", "items": [{"score": 1.0}], "note": None}
    assert list(differences(was, {"id": "b", "items": [{"score": 2}], "note": None}, "answer")) == []
    assert list(differences(was, {"id": "b", "items": [], "note": "x"}, "answer")) != []
    assert list(differences(was, {"id": "b", "items": [{"score": 1.0}]}, "answer")) == ["answer: ['note']"]

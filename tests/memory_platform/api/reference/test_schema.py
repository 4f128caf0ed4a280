"""The OpenAPI document agrees with the code, and every route says what it needs. Rows: D1, T2."""

import os
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import orjson
import pytest
from django.db.models import F
from django.http import HttpResponse

from memory_platform.api.access import ADMIN, ANY_KEY, KNOWLEDGE_WRITE, MEMORY_READ, MEMORY_WRITE
from memory_platform.api.reference.schema import (
    FILES,
    FOLDER,
    ExampleCall,
    fill_references,
    load_example_calls,
    openapi_document,
)
from memory_platform.api.views.base_views import TenantView
from memory_platform.providers.registry import embedders
from profiles.models import Preference
from snapshots.consolidation.pipeline import consolidate_subject
from snapshots.erasure.config import ErasureConfig
from snapshots.erasure.subjects import erase_subject
from snapshots.jobs import ASKED, drain_work_job
from snapshots.lifecycle.memory_reviews import review_tenant
from snapshots.models import Job, JobStatus, WebhookDelivery
from snapshots.queue.requested_jobs import run_due_jobs
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.memory_platform.api.conformance import resolve_answer
from tests.memory_platform.api.conftest import JSON, Caller, body_of, problem_of
from tests.memory_platform.api.routes import OPEN_ROUTES, documented_path, routes, tenant_calls
from tests.snapshots.held import remember

SAME = ("我坐飞机喜欢靠窗的座位", "坐飞机我喜欢靠窗座位", "我坐飞机都喜欢靠窗的座位")
RECORDS = os.environ.get("RECORD_EXAMPLES") == "1"
SCOPES = {MEMORY_READ, MEMORY_WRITE, KNOWLEDGE_WRITE, ADMIN, ANY_KEY}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    loaded: dict[str, Any] = orjson.loads(openapi_document())
    return loaded


GOLDEN = Path(__file__).parents[3] / "golden" / "openapi.json"


def test_the_document_changes_only_on_purpose(document: dict[str, Any]) -> None:
    """After a change that is meant, ``make openapi`` renews the file; its difference shows what clients will see."""
    assert orjson.loads(GOLDEN.read_bytes()) == document


def test_the_document_is_openapi_3_1_and_served_to_anybody(nobody: Caller) -> None:
    body = body_of(nobody("GET", "/v1/schema"))
    assert body["openapi"].startswith("3.1")
    assert "/v1/tenant" in body["paths"]


def test_the_page_for_people_loads_nothing_from_outside(nobody: Caller) -> None:
    page = nobody("GET", "/v1/docs")
    assert page.status_code == 200
    assert b"http://" not in page.content
    assert b"https://" not in page.content
    assert b"<script>" not in page.content
    assert b"/v1/schema" in nobody("GET", "/v1/docs?script=").content
    problem_of(nobody("POST", "/v1/docs", {}), 405)


def test_every_route_is_documented_with_each_of_its_methods(document: dict[str, Any]) -> None:
    for route in routes():
        if route.pattern != "v1/docs":
            path = documented_path(route.pattern)
            assert {method.lower() for method in route.methods} <= set(document["paths"][path]), path


def test_every_method_of_every_tenant_route_names_a_known_scope() -> None:
    for route in routes():
        assert issubclass(route.view, TenantView) or route.pattern in OPEN_ROUTES, route
    for method, route in tenant_calls():
        assert route.view.scope_for(method) in SCOPES, (method, route)


def operations_of(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found = [operation for path in document["paths"].values() for operation in path.values()]
    named = {operation["operationId"]: operation for operation in found}
    assert len(named) == len(found)
    return named


def test_operation_ids_are_names_of_methods_and_inputs_are_closed(document: dict[str, Any]) -> None:
    operations = operations_of(document)
    assert {"recall", "create_messages", "get_context", "record_outcome", "delete_subject"} <= set(operations)
    for name in operations:
        assert re.fullmatch("[a-z]+(_[a-z]+)*", name), name
        assert not name.endswith(("_post", "_put", "_patch", "_get", "_delete", "_retrieve", "_create")), name
    for name, schema in document["components"]["schemas"].items():
        if name.endswith(("Input", "InputRequest")):
            assert schema["additionalProperties"] is False, name


def test_every_parameter_property_and_answer_is_described(document: dict[str, Any]) -> None:
    bare = []
    for name, operation in operations_of(document).items():
        bare += [f"{name} {one['name']}" for one in operation.get("parameters", []) if not one.get("description")]
        answers = {status: resolve_answer(document, one) for status, one in operation["responses"].items()}
        bare += [f"{name} {status}" for status, one in answers.items() if not one["description"]]
        inline = [operation.get("requestBody", {}), *answers.values()]
        for media in (media for one in inline for media in one.get("content", {}).values()):
            bare += find_bare_members(name, media["schema"])
    for name, schema in document["components"]["schemas"].items():
        bare += [name] if not schema.get("description") else []
        bare += find_bare_members(name, schema)
    assert bare == []


def find_bare_members(place: str, schema: dict[str, Any]) -> Iterator[str]:
    """Yield the members without a description, also of objects inside lists, maps and choices."""
    for name, member in schema.get("properties", {}).items():
        if not member.get("description"):
            yield f"{place}.{name}"
        yield from find_bare_members(f"{place}.{name}", member)
    inner = [schema.get("items"), schema.get("additionalProperties")]
    inner += [one for kind in ("oneOf", "anyOf", "allOf") for one in schema.get(kind, [])]
    for one in inner:
        if isinstance(one, dict):
            yield from find_bare_members(f"{place}[]", one)


def test_a_bare_member_is_found_at_any_depth() -> None:
    inner = {"type": "object", "properties": {"text": {"type": "string"}}}
    steps = {"type": "array", "items": {"oneOf": [{"type": "string"}, inner]}, "description": "The steps."}
    assert list(find_bare_members("Task", {"properties": {"plan": steps}})) == ["Task.plan[][].text"]


def test_errors_and_headers_are_those_of_the_operation(document: dict[str, Any]) -> None:
    operations = operations_of(document)
    recall, messages = operations["recall"], operations["create_messages"]
    assert {"409", "412", "422"}.isdisjoint(operations["get_tenant"]["responses"])
    assert {"409", "412"}.isdisjoint(recall["responses"])
    conflict, limited = (resolve_answer(document, messages["responses"][status]) for status in ("409", "429"))
    assert conflict["x-error-codes"] == ["conflict", "idempotency_key_reused", "idempotency_twin_running"]
    assert limited["x-error-codes"] == ["quota_exceeded", "rate_limited"]
    assert {"Idempotent-Replayed", "X-RateLimit-Remaining", "X-Request-Id"} <= set(
        messages["responses"]["202"]["headers"]
    )
    assert "Retry-After" in limited["headers"]
    assert "ETag" in operations["get_conversation"]["responses"]["200"]["headers"]
    assert "Location" in operations["delete_conversation"]["responses"]["204"]["headers"]
    codes = document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]
    assert {"invalid_input", "budget_too_small", "internal_error"} <= set(codes)


def test_the_document_names_its_licence_contact_and_servers(document: dict[str, Any]) -> None:
    assert document["info"]["license"]["identifier"] == "Apache-2.0"
    assert document["info"]["contact"]["name"]
    assert document["servers"][0]["url"] == "/"


def test_every_tenant_operation_needs_the_key_and_documents_its_errors(document: dict[str, Any]) -> None:
    operation = document["paths"]["/v1/tenant"]["get"]
    assert operation["security"] == [{"ApiKey": []}]
    for status in ["401", "403", "503"]:
        content = resolve_answer(document, operation["responses"][status])["content"]
        assert content["application/problem+json"]["schema"]["$ref"].endswith("/Problem")
    assert "security" not in document["paths"]["/health/live"]["get"]


def test_a_limit_is_announced_wherever_a_key_is_needed(acme: Caller, document: dict[str, Any]) -> None:
    limits = body_of(acme("GET", "/v1/tenant"))["limits"]
    assert set(limits) == {
        "body_bytes", "messages_body_bytes", "bulk_body_bytes", "requests_per_second", "burst", "messages_per_day",
        "stored_snapshots", "model_tokens_per_day",
    }  # fmt: skip
    for operations in document["paths"].values():
        for operation in operations.values():
            assert ("429" in operation["responses"]) == bool(operation.get("security"))


def kill_jobs(house: House) -> None:
    with tenant_tx(house.tenant.id):
        Job.objects.update(status=JobStatus.DEAD, error_code="unavailable")


def give_up_deliveries(house: House) -> None:
    with tenant_tx(house.tenant.id):
        WebhookDelivery.objects.update(state="dead", error_code="timeout")


def age_preferences(house: House) -> None:
    with tenant_tx(house.tenant.id):
        Preference.objects.update(last_validated_at=F("last_validated_at") - timedelta(days=181))
    review_tenant(house.tenant.id)


def join_memories(house: House) -> None:
    remember(house, *SAME)
    assert consolidate_subject(house.tenant.id, house.subject.id, embedders("wordllama,use")) == len(SAME)


def index_documents(house: House) -> None:
    run_due_jobs(house.tenant.id, ASKED, may_go_on=lambda: True)


# What time or workers do before a call.
PREPARATIONS: dict[str, Callable[[House], None]] = {
    "get_document_text": index_documents,
    "replay_webhook_delivery": give_up_deliveries,
    "retry_job": kill_jobs,
    "list_reviews": age_preferences,
    "list_consolidations": join_memories,
}
# The call whose subject counts as one with too many rows to be erased at once.
LARGE_ERASURE = ("delete_subject", "A large subject")


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
    called = {call.operation: call for file in FILES for call in load_example_calls(file)}
    assert set(operations) - set(called) == {"get_schema"}
    for name, (_, _, operation) in operations.items():
        body = operation.get("requestBody", {}).get("content", {}).get(JSON)
        if body and body["schema"].get("$ref") != "#/components/schemas/NothingInputRequest":
            assert body.get("examples"), name
        for status, answer in operation["responses"].items():
            if status.startswith("2"):
                assert all("examples" in media for media in answer.get("content", {}).values()), (name, status)


@pytest.mark.timeout(180)
def test_every_example_works_on_the_real_api(
    world: World, operations: dict[str, tuple[str, str, dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: dict[str, Any] = {}
    faults: list[Any] = []
    for file in FILES:
        recorded = []
        for call in load_example_calls(file):
            if call.work:
                drain_work_job(tenant_id=str(world.acme.tenant.id))
            if call.operation in PREPARATIONS:
                PREPARATIONS[call.operation](world.acme)
            if (call.operation, call.name) == LARGE_ERASURE:
                small = {"reason": "", "config": ErasureConfig(at_once_rows=0)}
                monkeypatch.setattr(erase_subject, "__kwdefaults__", small)
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

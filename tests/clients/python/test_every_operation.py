"""Every operation is called through the client at the platform over HTTP, and its answer has the types it declares.

Rows: D11, D1.
"""

import dataclasses
import inspect
import types
import typing
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import TypeAdapter

from memory_platform_client import Answer
from memory_platform_client.call_declarations import PagedCall
from memory_platform_client.operations.subject import SUBJECT
from tests.clients.python.conftest import Asker, lift_limits, make_asker
from tests.clients.python.operations import Reach, list_methods
from tests.clients.python.test_operations import name_argument
from tests.conftest import build_house
from tests.memory_platform.api.conftest import Caller
from tests.memory_platform.api.routes import documented_path
from tests.memory_platform.api.valid_calls import VALID_CALLS, Ids
from tests.memory_platform.api.wall import seed

OPEN = {"/v1", "/v1/schema", "/health/live", "/health/ready"}
CALLS = {(method, documented_path(pattern)): call for (method, pattern), call in VALID_CALLS.items()}
EARLY = ("decide", "undo")
"""What is impossible after another write."""
LATE = ("finish", "end", "review", "export", "import_file", "retire", "retract", "forget", "run", "delete", "revoke")
"""What makes other writes impossible."""

SECOND_ROWS = {"/consolidations/{consolidation_id}/undo": "consolidation_id", "/tags/{tag_id}/forget": "tag_id"}
"""What ends a row that another call needs, and so is called with the second row."""


@pytest.fixture(scope="module", params=["blocking", pytest.param("awaiting", marks=pytest.mark.slow)])
def seeded_tenant(request: pytest.FixtureRequest, address: str) -> Iterator[tuple[Asker, Ids]]:
    """A client, and ids of one row of each noun of a tenant that only it uses."""
    house = build_house(f"house-{request.param}", "House", "gil")
    lift_limits(house)
    asker = make_asker(request.param, address, house.token)
    yield asker, seed(Caller(house))
    asker.close()


def test_answers_have_the_types_that_they_declare(seeded_tenant: tuple[Asker, Ids], tmp_path: Path) -> None:
    asker, ids = seeded_tenant
    wrong = {}
    for reach in sorted(list_methods(), key=order):
        answer = make_call(asker, reach, ids, tmp_path)
        if faults := list_faults(reach, answer):
            wrong[f"{reach.scope.__name__}.{reach.name}"] = faults
    assert wrong == {}


def order(reach: Reach) -> tuple[int, int]:
    """Reading first, the end of the subject last; of the same kind deeper things first."""
    depth = reach.operation[1].count("/")
    if reach.operation == ("DELETE", SUBJECT):
        return 100, depth
    if reach.operation[0] == "GET":
        return 0, -depth
    if reach.name in EARLY:
        return 1 + EARLY.index(reach.name), -depth
    return 10 + (LATE.index(reach.name) + 1 if reach.name in LATE else 0), -depth


def make_call(asker: Asker, reach: Reach, ids: Ids, folder: Path) -> Any:
    """Call a method with the arguments that the wall's test knows for its operation."""
    scope = find_scope(asker.memory, reach.scope, ids.subject_id)
    method = getattr(scope, reach.name)
    exported = folder / f"{ids.subject_id}.jsonl"
    if reach.name == "export":
        return asker(method(exported))
    if reach.name == "import_file":
        return asker(method(exported, subject_id="grace"))
    if field := SECOND_ROWS.get(reach.operation[1].removeprefix(SUBJECT)):
        others = {vars(one).get(field) or one.id for one in asker.collect(scope.list())} - {getattr(ids, field)}
        ids = replace(ids, **{field: others.pop()})
    if reach.operation[1].endswith("/snapshots/{snapshot_id}/forget"):  # the note was forgotten, and with it its words
        ids = replace(ids, snapshot_id=asker(scope.add("The kettle is new.")).id)
    arguments = list_arguments(reach, ids)
    if isinstance(reach.declared, PagedCall):
        return asker.collect(method(**arguments).pages())
    return asker(method(**arguments))


def find_scope(memory: Any, kind: type, subject_id: str) -> Any:
    """Return the part of a client that has the methods of a class."""
    subject = memory.subject(subject_id)
    for owner in (memory, subject):
        if isinstance(owner, kind):
            return owner
        for name, attribute in inspect.getmembers(type(owner)):
            if isinstance(attribute, property) and isinstance(getattr(owner, name), kind):
                return getattr(owner, name)
    raise AssertionError(f"{kind.__name__} is not to be had from the client")


def list_arguments(reach: Reach, ids: Ids) -> dict[str, Any]:
    call = reach.find_call()
    assert call
    valid = CALLS[reach.operation] if reach.operation[1] not in OPEN else None
    known = {name: getattr(ids, name) for name in call.places}
    if valid:
        known |= valid.query(ids) | (valid.body(ids) or {})
    names = {name_argument(name): name for name in call.signature.parameters}
    if "decision" in known and reach.name == "decide":
        known["decision"] = "keep"  # the next call needs the memory
    return {names[name]: value for name, value in known.items() if name in names and name != "subject_id"}


def list_faults(reach: Reach, answer: Any) -> list[str]:
    """Return what of an answer is not as declared; fails at a value of another type."""
    call = reach.find_call()
    declared: Any = call.answer if call else object
    if declared is type(None):
        return [] if answer is None else ["an answer"]
    if isinstance(answer, list):
        (declared,) = typing.get_args(declared)
        answer = [one for page in answer for one in page.data]
    for one in answer if isinstance(answer, list) else [answer]:
        if isinstance(one, Answer):
            TypeAdapter(type(one)).validate_python(dataclasses.asdict(cast(Any, one)))
        assert isinstance(one, find_class(declared))
    return list_unknown(answer)


def find_class(declared: Any) -> Any:
    """Return what ``isinstance`` asks for a type: a union as it stands, ``dict`` for one of its kinds."""
    origin = typing.get_origin(declared)
    return declared if origin in (None, types.UnionType) else origin


def list_unknown(value: Any) -> list[str]:
    """Return the fields that the server sent and the client does not know."""
    if isinstance(value, Answer):
        inner = [fault for one in vars(value).values() for fault in list_unknown(one)]
        return [f"{type(value).__name__}.{name}" for name in value.extra] + inner
    if isinstance(value, dict):
        value = list(value.values())
    return [fault for one in value for fault in list_unknown(one)] if isinstance(value, list) else []

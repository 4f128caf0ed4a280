"""The client is the OpenAPI document: each operation by one method, with its arguments, its words and its answers.

Rows: D11, D1.
"""

import inspect
import types
import typing
from collections import Counter
from typing import Any, Literal

import pytest

from answer_writer import find_vocabularies, list_words, name_class, split_union
from memory_platform_client.call_declarations import DOCUMENT_NAMES, Call, PagedCall
from memory_platform_client.decoding import Page
from tests.clients.python.operations import Reach, find_operation, list_methods, list_operations, read_document

BY_EVERY_CALL = frozenset({"Idempotency-Key"})
FILE = "path"
"""Where a file is, an argument of those methods that have no arguments for its lines."""
LINES = frozenset({"lines"})
with_arguments = pytest.mark.parametrize(
    "reach", [one for one in list_methods() if one.find_call()], ids=lambda one: f"{one.scope.__name__}.{one.name}"
)
each = pytest.mark.parametrize("reach", list_methods(), ids=lambda one: f"{one.scope.__name__}.{one.name}")


def test_every_operation_is_reached_by_exactly_one_method() -> None:
    assert Counter(one.operation for one in list_methods()) == Counter(list_operations())


@each
def test_arguments_are_those_of_the_document(reach: Reach) -> None:
    documented = find_parameters(reach)
    named = {name_argument(name) for name in list_arguments(reach)} - ({FILE} if not reach.find_call() else set())
    assert named <= documented.keys()
    paged = {"cursor"} if isinstance(reach.declared, PagedCall) else set()
    place = {name for name in ("subject_id",) if reach.operation[1].startswith("/v1/subjects/{subject_id}")}
    assert documented.keys() - named <= BY_EVERY_CALL | paged | place | (set() if reach.find_call() else LINES)


@with_arguments
def test_what_must_be_given_is_what_the_document_requires(reach: Reach) -> None:
    required = {name for name, (_, is_required) in find_parameters(reach).items() if is_required} - {"subject_id"}
    needed = {
        name_argument(name) for name, one in list_arguments(reach).items() if one.default is inspect.Parameter.empty
    }
    assert needed - {"subject_id"} == required


@with_arguments
def test_arguments_know_the_words_of_the_document(reach: Reach) -> None:
    call = reach.find_call()
    assert call
    hints = typing.get_type_hints(call.function)
    documented = find_parameters(reach)
    for name in list_arguments(reach):
        schema, _ = documented[name_argument(name)]
        words = [words for _, words in find_vocabularies({"properties": {name: schema}})]
        assert list_literals(hints[name]) == set().union(*words), name


@with_arguments
def test_the_answer_is_that_of_the_document(reach: Reach) -> None:
    call = reach.find_call()
    assert call
    documented = {
        answer["content"]["application/json"]["schema"].get("$ref", "object").rpartition("/")[2]
        if "content" in answer
        else "nothing"
        for status, answer in find_operation(reach.operation)["responses"].items()
        if status < "300"
    }
    assert name_answer(call) == {name_schema(name) for name in documented}


def test_a_write_has_a_key_where_the_platform_keeps_its_answer() -> None:
    """A context is read more often than anything else, and a second one harms nobody: it goes without."""
    posts = [(one, one.find_call()) for one in list_methods() if one.operation[0] == "POST"]
    keyless = {one.operation for one, call in posts if call and call.reads}
    takes_none = {one.operation for one, _ in posts if "Idempotency-Key" not in find_parameters(one)}
    assert keyless - takes_none == {("POST", "/v1/subjects/{subject_id}/context")}
    assert takes_none <= keyless


def find_parameters(reach: Reach) -> dict[str, tuple[dict[str, Any], bool]]:
    """Return the parameters and the fields of the body, each with its schema and whether it is required."""
    operation = find_operation(reach.operation)
    found = {one["name"]: (one["schema"], one.get("required", False)) for one in operation.get("parameters", [])}
    if "If-Match" in found:
        found["if_match"] = found.pop("If-Match")
    if body := operation.get("requestBody"):
        reference = body["content"]["application/json"]["schema"]["$ref"]
        schema = read_document()["components"]["schemas"][reference.rpartition("/")[2]]
        for name, part in schema.get("properties", {}).items():
            found.setdefault(name, (part, name in schema.get("required", ())))
    return found


def list_arguments(reach: Reach) -> dict[str, inspect.Parameter]:
    function = (reach.find_call() or reach.declared).function
    return {name: one for name, one in inspect.signature(function).parameters.items() if name != "self"}


def name_argument(name: str) -> str:
    return DOCUMENT_NAMES.get(name, name.rstrip("_"))


def list_literals(hint: Any) -> set[str]:
    """Return the words of the vocabularies in a type; those of objects inside it are checked by the type checker."""
    if typing.get_origin(hint) is Literal:
        return set(typing.get_args(hint))
    return set().union(*map(list_literals, typing.get_args(hint)))


def name_answer(call: Call[..., Any]) -> set[str]:
    """Return the names of the classes that a method may answer with."""
    kind = call.answer
    if typing.get_origin(kind) is Page:
        (kind,) = typing.get_args(kind)
    kinds = typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    plain = {type(None): "nothing", dict: "object"}
    return {plain.get(typing.get_origin(one) or one) or one.__name__ for one in kinds}


def name_schema(name: str) -> str:
    """Return the class of a schema; of a page, that of its objects."""
    if name.endswith("PageOutput"):
        items = read_document()["components"]["schemas"][name]["properties"]["data"]["items"]
        name = items["$ref"].rpartition("/")[2]
    return name_class(name)


def test_words_are_split_as_the_document_means_them() -> None:
    nullable = {"type": ["string", "null"], "enum": ["a", "b", None]}
    assert [one.get("type") for one in split_union(nullable)] == ["string", "null"]
    assert list_words(nullable) == ("a", "b")

"""What a caller reads who misspelt a field: which there are, and in few words. Rows: D1. Matrix: 9."""

import pytest

from memory_platform.api.requests.serializers import NAMES_SHOWN, describe_allowed_fields
from tests.memory_platform.api.conftest import Caller, problem_of

CONTEXT = "/v1/subjects/ada/context"
BUDGET = "total, system, profile, memory, window, knowledge"


def messages(caller: Caller, method: str, path: str, body: object = None) -> dict[str, str]:
    problem = problem_of(caller(method, path, body), 400)
    return {fault["field"]: fault["message"] for fault in problem["errors"]}


def test_an_unknown_field_is_answered_with_the_known_ones(acme: Caller) -> None:
    told = messages(acme, "POST", "/v1/subjects/ada/recall", {"query": "家", "topk": 3})
    assert told["topk"].startswith("This field is unknown. Allowed: collections, access_labels, query, top_k, kinds, ")


def test_a_number_where_an_object_belongs_is_answered_with_its_fields(acme: Caller) -> None:
    told = messages(acme, "POST", CONTEXT, {"query": "", "budget": 500})
    assert told == {"budget": f"Must be a JSON object. Allowed: {BUDGET}."}
    assert messages(acme, "POST", CONTEXT, {"query": "", "budget": {"max": 1}}) == {
        "budget.max": f"This field is unknown. Allowed: {BUDGET}."
    }


@pytest.mark.parametrize("path", ["/v1/subjects/ada/pending", "/v1/tenant"])
def test_where_nothing_is_taken_this_is_said(acme: Caller, path: str) -> None:
    assert messages(acme, "GET", f"{path}?limit=1") == {"limit": "This field is unknown. No field is allowed here."}


def test_however_many_fields_are_unknown_the_known_are_named_once(acme: Caller) -> None:
    told = messages(acme, "POST", CONTEXT, {f"field_{number}": 1 for number in range(900)})
    assert len(told) <= 901
    assert sum("Allowed: " in message for message in told.values()) == 1


def test_of_many_known_fields_the_first_are_named() -> None:
    names = [f"f{number}" for number in range(NAMES_SHOWN + 3)]
    assert describe_allowed_fields(names).endswith(f"f{NAMES_SHOWN - 1} and 3 more.")

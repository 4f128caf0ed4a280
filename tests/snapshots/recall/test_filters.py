"""The one filter grammar. Rows: R2; the grammar itself is part of the public contract."""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.kernel.errors import InvalidInput
from snapshots.recall.filters import MAX_CONDITIONS, MAX_DEPTH, matches, parse_filter

AISLE: Mapping[str, object] = {
    "kind": "statement",
    "topics": ("flights", "seats"),
    "name": None,
    "confidence": 0.6,
    "said_at": datetime(2026, 5, 8, tzinfo=UTC),
    "metadata.channel": "座席",
    "metadata.turns": 3,
    "metadata.labels": ["a", "b"],
    "metadata.urgent": True,
}


def holds(raw: object) -> bool:
    return matches(parse_filter(raw), AISLE.get)


def fault_of(raw: object) -> tuple[str, str]:
    with pytest.raises(InvalidInput) as raised:
        parse_filter(raw)
    fault = raised.value.faults[0]
    return fault.field, fault.code


@pytest.mark.parametrize(
    "raw",
    [
        {"kind": {"eq": "statement"}},
        {"kind": {"ne": "manual"}},
        {"kind": {"in": ["manual", "statement"]}},
        {"topics": {"contains": "seats"}},
        {"topics": {"in": ["seats", "hotels"]}},
        {"confidence": {"gte": 0.6, "lt": 1}},
        {"said_at": {"gt": "2026-05-07T23:59:59+00:00"}},
        {"said_at": {"eq": "2026-05-08T08:00:00+08:00"}},
        {"name": {"exists": False}},
        {"name": {"ne": "Gil"}},
        {"metadata.channel": {"eq": "座席"}},
        {"metadata.channel": {"contains": "座"}},
        {"metadata.turns": {"gt": 2}},
        {"metadata.labels": {"contains": "b"}},
        {"metadata.urgent": {"eq": True}},
        {"not": {"kind": {"eq": "manual"}}},
        {"and": [{"kind": {"eq": "statement"}}, {"or": [{"confidence": {"gt": 0.9}}, {"topics": {"eq": "flights"}}]}]},
        {"kind": {"eq": "statement"}, "confidence": {"lt": 0.7}},
    ],
)
def test_a_condition_that_is_true_of_the_memory_holds(raw: object) -> None:
    assert holds(raw)
    assert not holds({"not": raw})


@pytest.mark.parametrize(
    "raw",
    [
        {"name": {"eq": "Ada"}},
        {"metadata.missing": {"gt": 1}},
        {"metadata.channel": {"gt": 1}},
        {"metadata.urgent": {"eq": 1}},
        {"metadata.turns": {"contains": "3"}},
        {"topics": {"ne": "seats"}},
    ],
)
def test_what_is_missing_or_of_another_type_does_not_hold(raw: object) -> None:
    assert not holds(raw)


@pytest.mark.parametrize(
    ("raw", "field", "code"),
    [
        ([], "filter", "wrong_type"),
        ({}, "filter", "required"),
        ({"colour": {"eq": "red"}}, "filter.colour", "unknown_field"),
        ({"metadata.": {"eq": "red"}}, "filter.metadata.", "unknown_field"),
        ({"kind": {"like": "x"}}, "filter.kind.like", "unknown_operator"),
        ({"kind": {"gt": "x"}}, "filter.kind.gt", "unknown_operator"),
        ({"kind": "statement"}, "filter.kind", "wrong_type"),
        ({"kind": {}}, "filter.kind", "wrong_type"),
        ({"kind": {"eq": 5}}, "filter.kind.eq", "wrong_type"),
        ({"kind": {"eq": None}}, "filter.kind.eq", "wrong_type"),
        ({"kind": {"in": "statement"}}, "filter.kind.in", "wrong_type"),
        ({"kind": {"in": ["a", 1]}}, "filter.kind.in.1", "wrong_type"),
        ({"kind": {"eq": "x" * 1_001}}, "filter.kind.eq", "too_long"),
        ({"kind": {"in": ["a"] * 101}}, "filter.kind.in", "too_many"),
        ({"confidence": {"gt": "0.5"}}, "filter.confidence.gt", "wrong_type"),
        ({"confidence": {"gt": True}}, "filter.confidence.gt", "wrong_type"),
        ({"confidence": {"gt": float("nan")}}, "filter.confidence.gt", "wrong_type"),
        ({"confidence": {"gt": 10**400}}, "filter.confidence.gt", "wrong_type"),
        ({"said_at": {"gt": "yesterday"}}, "filter.said_at.gt", "wrong_type"),
        ({"said_at": {"gt": "2026-05-08T00:00:00"}}, "filter.said_at.gt", "wrong_type"),
        ({"name": {"exists": "yes"}}, "filter.name.exists", "wrong_type"),
        ({"metadata.a": {"eq": {"b": 1}}}, "filter.metadata.a.eq", "wrong_type"),
        ({"and": {"kind": {"eq": "x"}}}, "filter.and", "wrong_type"),
        ({"or": []}, "filter.or", "required"),
        ({"and": [{"kind": {"eq": "x"}}, {"or": [7]}]}, "filter.and.1.or.0", "wrong_type"),
        ({"and": [{"kind": {"eq": "x"}}] * (MAX_CONDITIONS + 1)}, "filter.and", "too_many"),
    ],
)
def test_a_malformed_filter_names_the_place(raw: object, field: str, code: str) -> None:
    assert fault_of(raw) == (field, code)


def test_a_filter_nested_without_end_is_refused_before_it_is_read() -> None:
    deep: object = {"kind": {"eq": "x"}}
    for _ in range(100_000):
        deep = {"not": deep}
    assert fault_of(deep) == ("filter" + ".not" * MAX_DEPTH, "too_deep")
    while isinstance(deep, dict) and "not" in deep:
        deep = deep["not"]  # taken apart step by step: Python's own destructor recurses


def test_many_conditions_in_small_parts_are_too_many_as_well() -> None:
    part = {"and": [{"confidence": {"gt": 0, "gte": 0, "lt": 1, "lte": 1}}] * 10}
    assert fault_of({"or": [part, part]})[1] == "too_many"


_keys = st.sampled_from(
    [
        "and",
        "or",
        "not",
        "kind",
        "topics",
        "said_at",
        "confidence",
        "metadata.a",
        "eq",
        "in",
        "gt",
        "contains",
        "exists",
    ]
) | st.text(max_size=5)
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_keys, inner, max_size=4),
    max_leaves=20,
)


@given(_json, st.dictionaries(_keys, _json))
def test_any_json_is_a_filter_or_invalid_input_and_no_memory_breaks_it(raw: object, held: dict[str, object]) -> None:
    try:
        node = parse_filter(raw)
    except InvalidInput as refused:
        assert refused.faults[0].field.startswith("filter")
    else:
        assert matches(node, held.get) in (True, False)

"""The one filter grammar. Rows: R2; the grammar itself is part of the public contract."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.kernel.errors import InvalidInput
from snapshots.recall.config import FilterConfig
from snapshots.recall.filtering.filter_grammar import FIELDS, MAX_CONDITIONS, MAX_DEPTH, list_conditions, parse_filter
from snapshots.recall.filtering.filter_matching import (
    FieldValues,
    FilterMatcher,
    FilterTooCostly,
    make_json_values,
    make_number_values,
    to_seconds,
)
from tests.snapshots.recall.filtering.plain_filter import matches

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
    node = parse_filter(raw)
    (held,) = FilterMatcher(fields_of([AISLE])).match_rows(node).tolist()
    assert held is matches(node, AISLE.get)
    return bool(held)


def fields_of(memories: Sequence[Mapping[str, object]]) -> Callable[[str], FieldValues]:
    """Return what ``memories`` hold in each field, as columns and metadata hold it."""

    def field_values(field: str) -> FieldValues:
        values = [memory.get(field) for memory in memories]
        if FIELDS.get(field) == "time":
            moments = [one.timestamp() if isinstance(one, datetime) else np.nan for one in values]
            return make_number_values(np.array(moments), to_seconds)
        listed = [list(one) if isinstance(one, tuple) else one for one in values]
        return make_json_values(range(len(memories)), listed, len(memories))

    return field_values


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


_fields = ["kind", "topics", "said_at", "confidence", "metadata.a", "metadata.b"]
_keys = st.sampled_from(["and", "or", "not", *_fields, "eq", "in", "gt", "contains", "exists"]) | st.text(max_size=5)
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_keys, inner, max_size=4),
    max_leaves=20,
)


@given(_json)
def test_any_json_is_a_filter_or_invalid_input(raw: object) -> None:
    try:
        node = parse_filter(raw)
    except InvalidInput as refused:
        assert refused.faults[0].field.startswith("filter")
    else:
        assert list(list_conditions(node))


_leaf = st.sampled_from([True, False, 0, 1, 1.0, 2, -3.5, 2**53 + 1, "", "a", "A", "ab", "家", "我家", "ß", "SS"])
_lists = st.lists(st.none() | _leaf | st.lists(_leaf, max_size=2), max_size=3)
_memory = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.sampled_from(["manual", "Statement"]),
        "topics": st.lists(st.sampled_from(["a", "ab", "家"]), min_size=1, max_size=2).map(tuple),
        "said_at": st.sampled_from([datetime(2026, 5, day, tzinfo=UTC) for day in (1, 2, 3)]),
        "metadata.a": st.none() | _leaf | _lists | st.just({"a": 1}),
        "metadata.b": st.none() | _leaf,
    },
)
_any = st.sampled_from(["eq", "ne", "gt", "gte", "lt", "lte", "contains"])
_order = _any.filter("contains".__ne__)
_key = st.sampled_from("ab")
_conditions = st.one_of(
    st.builds(lambda op, value: {"kind": {op: value}}, st.sampled_from(["eq", "ne", "contains"]), st.text("manul")),
    st.builds(lambda values: {"topics": {"in": values}}, st.lists(st.sampled_from(["a", "b"]), min_size=1)),
    st.builds(lambda value: {"topics": {"exists": value}}, st.booleans()),
    st.builds(lambda op, day: {"said_at": {op: f"2026-05-0{day}T00:00:00Z"}}, _order, st.integers(1, 4)),
    st.builds(lambda key, op, value: {f"metadata.{key}": {op: value}}, _key, _any, _leaf),
    st.builds(lambda key, values: {f"metadata.{key}": {"in": values}}, _key, st.lists(_leaf, min_size=1)),
    st.builds(lambda key, value: {f"metadata.{key}": {"exists": value}}, _key, st.booleans()),
)  # fmt: skip
_filters = st.recursive(
    _conditions,
    lambda part: st.one_of(
        st.builds(lambda one: {"not": one}, part),
        st.builds(
            lambda op, parts: {op: parts}, st.sampled_from(["and", "or"]), st.lists(part, min_size=1, max_size=3)
        ),
    ),
    max_leaves=6,
)


@given(_filters, st.lists(_memory, min_size=1, max_size=4))
def test_many_memories_match_as_each_of_them_does(raw: object, memories: list[Mapping[str, object]]) -> None:
    node = parse_filter(raw)
    assert FilterMatcher(fields_of(memories)).match_rows(node).tolist() == [
        matches(node, memory.get) for memory in memories
    ]


NUMBERS = [-1 - number for number in range(100)]


def test_a_condition_that_is_stated_again_costs_nothing_more() -> None:
    again = parse_filter({"or": [{"metadata.l": {"in": NUMBERS}}] * MAX_CONDITIONS})
    memories = [{"metadata.l": [0] * 32_000}] * 2 + [{"metadata.l": [-7]}]
    assert FilterMatcher(fields_of(memories), FilterConfig(looked_at=6)).match_rows(again).tolist() == [
        False,
        False,
        True,
    ]


@pytest.mark.parametrize(
    "raw",
    [
        {"or": [{"metadata.l": {"gt": number}} for number in range(MAX_CONDITIONS)]},
        {"or": [{"metadata.s": {"contains": f"{number}{'a' * 900}"}} for number in range(MAX_CONDITIONS)]},
    ],
)
def test_what_looks_at_too_much_is_refused_by_the_field(raw: object) -> None:
    memories = [{"metadata.l": list(range(1_000)), "metadata.s": f"{'a' * 300}{number}"} for number in range(200)]
    with pytest.raises(FilterTooCostly) as refused:
        FilterMatcher(fields_of(memories), FilterConfig(looked_at=1_000_000)).match_rows(parse_filter(raw))
    assert refused.value.faults[0].field in ("filter.metadata.l", "filter.metadata.s")
    assert refused.value.faults[0].code == refused.value.code == "filter_too_costly"

"""The grammar of mem0's filters: everything is read or refused with its place, nothing is run. Rows: D3."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_platform.compat.mem0.filters.grammar import (
    EVERYTHING,
    FilterGroup,
    FilterTest,
    find_required_user,
    join_filters,
    list_tests,
    read_filters,
    read_moment,
    read_query_value,
)
from memory_platform.kernel.errors import InvalidInput
from snapshots.recall.filtering.filter_grammar import MAX_CONDITIONS

ADA = FilterTest("user_id", "eq", "ada")
WORDS = st.sampled_from(["user_id", "AND", "OR", "NOT", "metadata", "eq", "in", "gte", "*", "created_at", "x"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS
    | st.text(max_size=5)
)
JSON_LIKE = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@pytest.mark.slow
@given(JSON_LIKE, st.booleans())
@settings(max_examples=300, deadline=None)
def test_anything_is_read_or_refused_with_its_place(raw: Any, free_fields: bool) -> None:
    try:
        tree = read_filters(raw, free_fields=free_fields)
    except InvalidInput as refused:
        assert refused.faults[0].field.startswith("filters")
    else:
        assert isinstance(tree, FilterTest | FilterGroup)
        assert len(list(list_tests(tree))) <= MAX_CONDITIONS


@pytest.mark.slow
@given(JSON_LIKE)
@settings(max_examples=100, deadline=None)
def test_an_object_in_a_query_is_read_as_python_or_json_wrote_it(value: Any) -> None:
    assert read_query_value(repr(value)) == value
    assert read_query_value(json.dumps(value)) == value


@pytest.mark.parametrize(
    "hostile",
    [
        "__import__('os').getcwd()",
        "{'user_id': open('x')}",
        "[" * 5_000,
        "{" * 9_000,
        "9**9**9",
        "",
        "lambda: 1",
        "1e999999999999999999 ** 2",
    ],
)
def test_nothing_in_a_query_is_run(hostile: str) -> None:
    with pytest.raises(InvalidInput):
        read_query_value(hostile)


def test_fields_of_one_object_and_nested_groups() -> None:
    assert read_filters({"user_id": "ada"}) == ADA
    assert read_filters(None) == read_filters({}) == EVERYTHING
    both = read_filters({"user_id": "ada", "created_at": {"gte": "2026-01-01", "lt": "2026-02-01T00:00:00Z"}})
    days = (datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC))
    assert [(one.operator, one.value) for one in list_tests(both)] == [("eq", "ada"), ("gte", days[0]), ("lt", days[1])]
    nested = read_filters({"AND": [{"user_id": "ada"}, {"OR": [{"run_id": "r"}, {"NOT": {"app_id": "*"}}]}]})
    assert isinstance(nested, FilterGroup)
    assert (nested.join, nested.parts[0]) == ("and", ADA)
    assert read_filters({"categories": "food"}) == FilterTest("categories", "in", ("food",))
    assert read_filters({"metadata": {"contains": {"mood": "grey"}}}) == FilterTest(
        "metadata", "contains", "grey", "mood"
    )
    assert read_filters({"mood": {"ne": 1}}, free_fields=True) == FilterTest("metadata", "ne", 1, "mood")


@pytest.mark.parametrize(
    ("raw", "place"),
    [
        ({"mood": "grey"}, "filters.mood"),
        ({"created_at": "2026-01-01"}, "filters.created_at.eq"),
        ({"created_at": {"gte": "soon"}}, "filters.created_at.gte"),
        ({"user_id": {"nin": ["a"]}}, "filters.user_id.nin"),
        ({"AND": [{"user_id": 5}]}, "filters.AND.0.user_id.eq"),
        ({"memory_ids": []}, "filters.memory_ids.in"),
        ({"OR": []}, "filters.OR"),
        ([], "filters"),
    ],
)
def test_what_is_malformed_is_named(raw: Any, place: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_filters(raw)
    assert refused.value.faults[0].field == place


def test_size_is_bounded() -> None:
    deep: Any = {"user_id": "ada"}
    for _ in range(9):
        deep = {"NOT": [deep]}
    many = {"OR": [{"user_id": f"u{n}"} for n in range(MAX_CONDITIONS + 1)]}
    for raw in (deep, many, {"user_id": {"in": ["x"] * 101}}, {"text": "x" * 1_001}):
        with pytest.raises(InvalidInput):
            read_filters(raw)


def test_the_one_user_of_a_filter() -> None:
    assert find_required_user(join_filters(read_filters({"run_id": "r"}), ADA)) == "ada"
    assert find_required_user(read_filters({"OR": [{"user_id": "ada"}]})) is None
    assert find_required_user(read_filters({"user_id": "*"})) is None


def test_moments() -> None:
    assert read_moment(0) == datetime(1970, 1, 1, tzinfo=UTC)
    assert read_moment("2026-01-31T09:00:00+01:00") == datetime(2026, 1, 31, 8, tzinfo=UTC)
    others: list[object] = [True, None, "x", 1e30, []]
    assert [read_moment(one) for one in others] == [None] * 5

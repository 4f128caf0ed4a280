"""Lists find what a filter says, and recall never leaves out what it allows: against plain code, filter by filter.

Rows: D3, R2.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_platform.compat.mem0.filters.grammar import FilterTest, FilterTree, read_filters
from memory_platform.compat.mem0.filters.recall_conditions import build_recall_condition
from memory_platform.compat.mem0.filters.row_conditions import load_named_subjects
from memory_platform.compat.mem0.memory_scope import MARKS
from memory_platform.compat.mem0.visible_memories import list_memories
from memory_platform.kernel.clock import utc_now
from profiles.services.subjects import ensure_subject
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.lifecycle.product_snapshots import create_snapshots, prepare_offers
from snapshots.lifecycle.write_types import NewSnapshot
from snapshots.recall.pipeline import recall
from snapshots.recall.values import SNAPSHOTS, RecallQuery
from snapshots.sensitive.detector import mask_sensitive
from tenants.isolation import tenant_tx
from tests.conftest import World

DAY = datetime(2026, 3, 1, tzinfo=UTC)
SUBJECTS = {"ada": ("ada", None), "bo": ("bo", None), "agent:coach": (None, "coach")}


@dataclass(frozen=True, slots=True)
class Mem0Row:
    """A stored memory as a filter sees it."""

    id: str
    text: str
    user: str | None
    ids: Mapping[str, str | None]
    metadata: Mapping[str, Any]
    categories: frozenset[str]
    said_at: datetime


@pytest.fixture(scope="module")
def rows(shared_world: World) -> list[Mem0Row]:
    """Memories of two people and an agent, each of another make."""
    made = []
    for number in range(24):
        subject = list(SUBJECTS)[number % 3]
        user, own_agent = SUBJECTS[subject]
        agent = own_agent or ("coach", "nurse", None)[number % 5 % 3]
        run = ("r1", "r2", None)[number % 4 % 3]
        metadata = {"n": number % 3, "mood": ["grey", "blue"][number % 2]} if number % 4 else {}
        marks = {MARKS["agent_id"]: agent, MARKS["run_id"]: run, MARKS["categories"]: ["food"] if number % 3 else None}
        new = NewSnapshot(
            f"tea number {number} of {subject}",
            category="drinks" if number % 2 else "",
            topics=["travel"] if number % 5 == 0 else [],
            said_at=DAY + timedelta(days=number),
            metadata={**metadata, **{key: value for key, value in marks.items() if value is not None}},
        )
        (offer,) = prepare_offers([new], active_embedders(), mask=mask_sensitive)
        with tenant_tx(shared_world.acme.tenant.id):
            (fate,) = create_snapshots(ensure_subject(subject), [offer])
        named = [new.category, *new.topics, *(["food"] if number % 3 else [])]
        ids = {"user_id": user, "agent_id": agent, "run_id": run, "app_id": None}
        made.append(Mem0Row(str(fate.id), new.text, user, ids, metadata, frozenset(filter(None, named)), new.said_at))  # type: ignore[arg-type]
    return made


def holds(tree: FilterTree, row: Mem0Row) -> bool:
    """Return what the filter says of a row, in plain words."""
    if isinstance(tree, FilterTest):
        return _test_holds(tree, row)
    held = [holds(part, row) for part in tree.parts]
    return all(held) if tree.join == "and" else any(held) if tree.join == "or" else not any(held)


def _test_holds(test: FilterTest, row: Mem0Row) -> bool:
    values = test.value if isinstance(test.value, tuple) else (test.value,)
    if test.field in row.ids:
        own = row.ids[test.field]
        return (own in values or ("*" in values and own is not None)) != (test.operator == "ne")
    if test.field == "categories":
        return not row.categories.isdisjoint(values)
    held = {"timestamp": row.said_at, "memory_ids": row.id, "text": row.text}.get(
        test.field, row.metadata.get(test.key)
    )
    return OPERATIONS[test.operator](held, values)


OPERATIONS: Mapping[str, Callable[[Any, tuple[Any, ...]], bool]] = {
    "eq": lambda own, values: own in values,
    "in": lambda own, values: own in values,
    "ne": lambda own, values: own not in values,
    "gt": lambda own, values: own > values[0],
    "gte": lambda own, values: own >= values[0],
    "lt": lambda own, values: own < values[0],
    "lte": lambda own, values: own <= values[0],
    "contains": lambda own, values: values[0] in (own or ""),
    "icontains": lambda own, values: values[0].casefold() in (own or "").casefold(),
}
TIMES = st.integers(0, 24).map(lambda days: (DAY + timedelta(days=days)).isoformat())
LEAVES = st.one_of(
    st.sampled_from(["ada", "bo", "nobody", "*"]).map(lambda name: {"user_id": name}),
    st.sampled_from([{"agent_id": "coach"}, {"agent_id": {"ne": "coach"}}, {"agent_id": "*"}, {"app_id": "*"}]),
    st.sampled_from([{"run_id": "r1"}, {"run_id": {"in": ["r1", "r2"]}}, {"run_id": {"ne": "r2"}}, {"run_id": "*"}]),
    st.sampled_from([{"user_id": {"in": ["ada", "bo"]}}, {"user_id": {"ne": "ada"}}]),
    st.tuples(st.sampled_from(["gt", "gte", "lt", "lte", "ne"]), TIMES).map(lambda one: {"timestamp": dict([one])}),
    st.sampled_from(["food", "drinks", "travel"]).map(lambda name: {"categories": {"contains": name}}),
    st.sampled_from(
        [{"n": 1}, {"n": {"ne": 2}}, {"mood": {"contains": "re"}}, {"mood": "blue"}, {"no": {"ne": 1}}]
    ).map(lambda fields: {"metadata": fields}),
    st.sampled_from([{"text": {"icontains": "NUMBER 1"}}, {"text": {"ne": "tea number 3 of ada"}}]),
)
FILTERS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["AND", "OR", "NOT"]), st.lists(inner, min_size=1, max_size=3)).map(
            lambda one: {one[0]: one[1]}
        )
    ),
    max_leaves=5,
)


@pytest.mark.slow
@given(raw=FILTERS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_list_has_just_what_the_filter_says(shared_world: World, rows: list[Mem0Row], raw: dict[str, Any]) -> None:
    tree = read_filters(raw)
    with tenant_tx(shared_world.acme.tenant.id):
        found = {str(one) for one in list_memories(tree, load_named_subjects(tree)).values_list("id", flat=True)}
    assert found == {row.id for row in rows if holds(tree, row)}


@given(raw=FILTERS)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_recall_leaves_out_nothing_that_the_filter_allows(
    shared_world: World, rows: list[Mem0Row], raw: dict[str, Any]
) -> None:
    tree, tenant_id = read_filters(raw), shared_world.acme.tenant.id
    for subject, (user, _) in SUBJECTS.items():
        allowed = {row.id for row in rows if row.text.endswith(f"of {subject}") and holds(tree, row)}
        condition = build_recall_condition(tree, frozenset({subject}))
        if condition.node is None and not condition.holds:
            assert not allowed, (subject, user)
            continue
        query = RecallQuery(
            "tea number", asked_at=utc_now(), top_k=100, lanes=frozenset({SNAPSHOTS}), filter=condition.node
        )
        found = {str(one.id) for one in recall(tenant_id, subject, query).memories}
        assert allowed <= found
        assert not condition.exact or found == allowed

"""The same operations at the platform and at LangGraph's store in memory give the same results. Rows: C6, D8."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from langgraph.store.base import GetOp, ListNamespacesOp, MatchCondition, Op, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from memory_platform_client.langgraph import MemoryPlatformStore

T = TypeVar("T")


def make(kind: Callable[..., T]) -> Callable[..., T]:
    """Return the class as a function: hypothesis would fill the members that are left out with anything."""
    return partial(kind)


LABELS = st.sampled_from(["a", "ab", "b", "1", "10", "%", "_", "中", "*"])
NAMESPACES = st.lists(LABELS, max_size=3).map(tuple)
KEYS = st.sampled_from(["k", "k1", "", "K", "é"])
NUMBERS = st.one_of(st.integers(-20, 20), st.floats(-20, 20, width=16), st.integers(-(2**53), 2**53))
LEAVES = st.one_of(st.none(), NUMBERS, st.text("abc中%_'\"\\ ", max_size=4))
INSIDE = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("pq0"), inner, max_size=2),
    max_leaves=4,
)
VALUES = st.fixed_dictionaries({"n": NUMBERS}, optional={"x": INSIDE, "y": INSIDE})
BOUNDS = st.dictionaries(st.sampled_from(["$gt", "$gte", "$lt", "$lte", "$eq", "$ne"]), NUMBERS, min_size=1, max_size=2)
FILTERS = st.fixed_dictionaries({}, optional={"n": st.one_of(NUMBERS, BOUNDS), "x": INSIDE, "y": INSIDE})
CONDITIONS = st.builds(make(MatchCondition), st.sampled_from(["prefix", "suffix"]), NAMESPACES)
EVERYTHING = 10_000


def operations(root: str) -> st.SearchStrategy[Op]:
    below = NAMESPACES.map(lambda labels: (root, *labels))
    own = MatchCondition("prefix", (root,))
    return st.one_of(
        st.builds(make(PutOp), below, KEYS, st.one_of(VALUES, VALUES, st.none())),
        st.builds(make(GetOp), below, KEYS),
        st.builds(lambda prefix, wanted: SearchOp(prefix, wanted, EVERYTHING), below, FILTERS),
        st.builds(
            make(ListNamespacesOp),
            st.lists(CONDITIONS, max_size=2).map(lambda more: (own, *more)),
            st.one_of(st.none(), st.integers(1, 4)),
            st.integers(0, 5),
            st.integers(0, 3),
        ),
    )


BATCHES = st.lists(st.lists(operations("root"), min_size=1, max_size=8), min_size=1, max_size=4)


def move(op: Op, root: str) -> Op:
    """Return the operation below another root: each example has its own."""
    if isinstance(op, SearchOp):
        return op._replace(namespace_prefix=(root, *op.namespace_prefix[1:]))
    if isinstance(op, ListNamespacesOp):
        own, *more = op.match_conditions or ()
        return op._replace(match_conditions=(own._replace(path=(root,)), *more))
    return op._replace(namespace=(root, *op.namespace[1:]))


def show(op: Op, result: Any) -> Any:
    """Return a result without times and, where neither store promises one, without an order."""
    if isinstance(op, GetOp):
        return result and (result.namespace, result.key, result.value)
    if isinstance(op, SearchOp):
        return sorted(((one.namespace, one.key, one.value) for one in result), key=lambda one: one[:2])
    return result


def drop_empty_namespaces(store: InMemoryStore) -> None:
    """The store in memory lists namespaces that were only asked for, or whose items are gone: a known oddity."""
    for namespace in [name for name, items in store._data.items() if not items]:
        del store._data[namespace]


def run_in_memory(reference: InMemoryStore, ops: list[Op]) -> list[Any]:
    """Return what the store in memory gives for a batch: its reads, then its writes."""
    results: dict[int, Any] = {}
    for place, op in enumerate(ops):
        drop_empty_namespaces(reference)
        if not isinstance(op, PutOp):
            results[place] = show(op, reference.batch([op])[0])
    reference.batch([op for op in ops if isinstance(op, PutOp)])
    return [results.get(place) for place in range(len(ops))]


@pytest.mark.slow
@settings(
    max_examples=40,
    deadline=None,
    phases=[Phase.generate],  # smaller counterexamples would take minutes of requests
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(BATCHES)
def test_both_stores_agree(store: MemoryPlatformStore, batches: list[list[Op]]) -> None:
    reference, root = InMemoryStore(), f"r{uuid4()}"
    for batch in batches:
        ops = [move(op, root) for op in batch]
        told = [show(op, result) for op, result in zip(ops, store.batch(ops), strict=True)]
        expected = run_in_memory(reference, ops)
        assert list(zip(ops, told, strict=True)) == list(zip(ops, expected, strict=True))

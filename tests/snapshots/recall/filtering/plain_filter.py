"""What a filter says of one memory, field by field: what matching many at once has to come to."""

import operator
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from snapshots.recall.filtering.filter_grammar import AllOf, AnyOf, Condition, FilterNode, NotOf, is_number

Lookup = Callable[[str], object]


def matches(node: FilterNode, lookup: Lookup) -> bool:
    """Return whether a memory, read field by field through ``lookup``, satisfies the filter."""
    if isinstance(node, AllOf):
        return all(matches(part, lookup) for part in node.parts)
    if isinstance(node, AnyOf):
        return any(matches(part, lookup) for part in node.parts)
    if isinstance(node, NotOf):
        return not matches(node.part, lookup)
    assert isinstance(node, Condition)
    return _holds(node, lookup(node.field))


def _holds(condition: Condition, held: object) -> bool:
    wanted = condition.value
    if condition.operator == "exists":
        return (held is not None and held != ()) is wanted
    if condition.operator == "ne":
        return not _equal(held, wanted)
    if condition.operator in ("eq", "in"):
        return any(_equal(held, one) for one in (wanted if isinstance(wanted, tuple) else (wanted,)))
    if condition.operator == "contains":
        return _contains(held, wanted)
    return _compares(_ORDERS[condition.operator], held, wanted)


def _contains(held: object, wanted: object) -> bool:
    if isinstance(held, str):
        return isinstance(wanted, str) and wanted.casefold() in held.casefold()
    return isinstance(held, (list, tuple)) and _equal(held, wanted)


def _equal(held: object, wanted: object) -> bool:
    if isinstance(held, (list, tuple)):
        return any(_equal(one, wanted) for one in held)
    return isinstance(held, bool) is isinstance(wanted, bool) and held == wanted


def _compares(compare: Callable[[Any, Any], bool], held: object, wanted: object) -> bool:
    comparable = (
        (is_number(held) and is_number(wanted))
        or (isinstance(held, str) and isinstance(wanted, str))
        or (isinstance(held, datetime) and isinstance(wanted, datetime))
    )
    return comparable and compare(held, wanted)


_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
}

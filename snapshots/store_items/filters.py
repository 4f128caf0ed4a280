"""Filters of LangGraph's stores as SQL. Numbers are compared as numbers, never as texts.

A bare value is equality, an object of operators ``$eq $ne $gt $gte $lt $lte`` compares, another object matches inside,
a list matches member by member; a missing member is null. Booleans count as 1 and 0, and a text that is a number as
that number. A bound that is another text compares texts by their characters, so that ISO dates can be compared.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

import orjson

from memory_platform.kernel.errors import FieldFault, InvalidInput
from snapshots.store_items.config import STORE

OPERATORS = {"$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}
EQUALITY = {"$eq": "=", "$ne": "<>"}
KNOWN = ", ".join([*EQUALITY, *OPERATORS])
Condition = tuple[str, list[Any]]
NUMERIC_TEXT = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?\s*$"
_NUMERIC = re.compile(NUMERIC_TEXT, re.ASCII)
# Cases guard the casts: a value of another type is never cast. The branch that fits is alone evaluated.
AS_NUMBER = f"""CASE jsonb_typeof(i.value #> %s) WHEN 'number' THEN (i.value #>> %s)::numeric
  WHEN 'boolean' THEN (i.value #>> %s)::boolean::int::numeric
  WHEN 'string' THEN CASE WHEN (i.value #>> %s) ~ '{NUMERIC_TEXT}' THEN trim((i.value #>> %s))::numeric END END"""
AS_TEXT = """CASE jsonb_typeof(i.value #> %s) WHEN 'string' THEN (i.value #>> %s) COLLATE "C" END"""


def build_filter_conditions(members: Mapping[str, Any]) -> list[Condition]:
    """Return the conditions on ``i.value``, all of which must hold. Raises InvalidInput."""
    found = [one for name, value in members.items() for one in _build_pattern_conditions(value, [name])]
    if len(found) > STORE.conditions:
        raise _make_fault(f"Must have at most {STORE.conditions} conditions.")
    return found


def _build_pattern_conditions(pattern: Any, path: list[str]) -> Iterator[Condition]:
    if isinstance(pattern, Mapping):
        if any(name.startswith("$") for name in pattern):
            yield from (_build_comparison(path, name, value) for name, value in pattern.items())
            return
        yield "jsonb_typeof(i.value #> %s) = 'object'", [path]
        for name, value in pattern.items():
            yield from _build_pattern_conditions(value, [*path, name])
    elif isinstance(pattern, list):
        length = "CASE jsonb_typeof(i.value #> %s) WHEN 'array' THEN jsonb_array_length(i.value #> %s) END = %s"
        yield length, [path, path, len(pattern)]
        for place, value in enumerate(pattern):
            yield from _build_pattern_conditions(value, [*path, str(place)])
    else:
        yield _build_equality(path, "=", pattern)


def _build_comparison(path: list[str], name: str, bound: Any) -> Condition:
    if name in EQUALITY:
        return _build_equality(path, EQUALITY[name], bound)
    if name not in OPERATORS:
        raise _make_fault(f"This operator is unknown. Allowed: {KNOWN}.")
    number = _read_number(bound)
    if number is not None:
        return f"{AS_NUMBER} {OPERATORS[name]} %s", [path, path, path, path, path, number]
    if isinstance(bound, str):
        return f"{AS_TEXT} {OPERATORS[name]} %s", [path, path, bound]
    raise _make_fault("A bound must be a number or a text.")


def _build_equality(path: list[str], sign: str, value: Any) -> Condition:
    return f"coalesce(i.value #> %s, 'null'::jsonb) {sign} %s::jsonb", [path, orjson.dumps(value).decode()]


def _read_number(bound: Any) -> Decimal | None:
    if isinstance(bound, bool | int | float):
        return Decimal(int(bound)) if isinstance(bound, bool) else Decimal(str(bound))
    if isinstance(bound, str) and _NUMERIC.match(bound):
        try:
            return Decimal(bound.strip())
        except InvalidOperation:
            return None
    return None


def _make_fault(message: str) -> InvalidInput:
    return InvalidInput(faults=[FieldFault("filter", "not_a_filter", message)])

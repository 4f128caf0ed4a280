"""Parse the one grammar of filters: JSON in, typed tree out. :mod:`snapshots.recall.filtering.filter_matching` matches
memories, :mod:`snapshots.knowledge.search.document_filter` documents.

``{"and": [...]}``, ``{"or": [...]}``, ``{"not": {...}}``, ``{"<field>": {"<operator>": value}}``. Several fields in one
object, or several operators of one field, must all hold. A field that is missing matches only ``ne`` and ``exists:
false``.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, NoReturn

import numpy as np
import numpy.typing as npt

from memory_platform.kernel.errors import FieldFault, InvalidInput

MAX_DEPTH = 8
MAX_CONDITIONS = 64
MAX_LIST = 100
MAX_STRING = 1_000
LARGEST_NUMBER = 1e300

FieldType = Literal["text", "list", "number", "time", "any"]
FIELDS: Mapping[str, FieldType] = {
    "kind": "text",
    "topics": "list",
    "name": "text",
    "conversation_id": "text",
    "importance": "number",
    "confidence": "number",
    "provenance": "text",
    "said_at": "time",
    "valid_at": "time",
    "expires_at": "time",
    "created_at": "time",
}
METADATA = "metadata."

_EQUALITY = ("eq", "ne", "in", "exists")
_ORDER = ("gt", "gte", "lt", "lte")
OPERATORS: Mapping[FieldType, tuple[str, ...]] = {
    "text": (*_EQUALITY, "contains"),
    "list": (*_EQUALITY, "contains"),
    "number": (*_EQUALITY, *_ORDER),
    "time": (*_EQUALITY, *_ORDER),
    "any": (*_EQUALITY, *_ORDER, "contains"),
}

FilterValue = str | float | bool | datetime


@dataclass(frozen=True, slots=True)
class AllOf:
    parts: tuple["FilterNode", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    parts: tuple["FilterNode", ...]


@dataclass(frozen=True, slots=True)
class NotOf:
    part: "FilterNode"


@dataclass(frozen=True, slots=True)
class Condition:
    """``value`` has the type of the field: a tuple for ``in``, a bool for ``exists``."""

    field: str
    operator: str
    value: FilterValue | tuple[FilterValue, ...]


@dataclass(frozen=True, slots=True, eq=False)
class EvaluatedPart:
    """A part that was already evaluated for one index: ``rows`` marks the memories that match, shape (n,)."""

    rows: npt.NDArray[np.bool_]


FilterNode = AllOf | AnyOf | NotOf | Condition | EvaluatedPart


def parse_filter(raw: object, *, field: str = "filter", fields: Mapping[str, FieldType] = FIELDS) -> FilterNode:
    """Return the tree of a JSON filter on ``fields``. Raises InvalidInput naming the place, such as
    ``filter.and.0.kind.eq``."""
    return _FilterParser(fields).parse_node(raw, field, depth=1)


def list_conditions(node: FilterNode) -> Iterator[Condition]:
    if isinstance(node, Condition):
        yield node
    elif isinstance(node, NotOf):
        yield from list_conditions(node.part)
    elif isinstance(node, AllOf | AnyOf):
        for part in node.parts:
            yield from list_conditions(part)


class _FilterParser:
    """Counts conditions while it reads, so that no filter costs more than the search."""

    def __init__(self, fields: Mapping[str, FieldType]) -> None:
        self._fields = fields
        self._conditions = 0

    def parse_node(self, raw: object, path: str, *, depth: int) -> FilterNode:
        if depth > MAX_DEPTH:
            _raise_fault(path, "too_deep", f"A filter must not be nested more than {MAX_DEPTH} deep.")
        if not isinstance(raw, dict):
            _raise_fault(path, "wrong_type", "A filter must be an object.")
        if not raw:
            _raise_fault(path, "required", "A filter must name at least one field.")
        parts = tuple(self._parse_member(str(key), value, path, depth) for key, value in raw.items())
        return parts[0] if len(parts) == 1 else AllOf(parts)

    def _parse_member(self, key: str, value: object, path: str, depth: int) -> FilterNode:
        here = f"{path}.{_render_key(key)}"
        if key in ("and", "or"):
            parts = self._parse_parts(value, here, depth)
            return AllOf(parts) if key == "and" else AnyOf(parts)
        if key == "not":
            return NotOf(self.parse_node(value, here, depth=depth + 1))
        return self._parse_field(key, value, here)

    def _parse_parts(self, value: object, path: str, depth: int) -> tuple[FilterNode, ...]:
        if not isinstance(value, list):
            _raise_fault(path, "wrong_type", "Must be a list of filters.")
        if not value:
            _raise_fault(path, "required", "The list must hold at least one filter.")
        if len(value) > MAX_CONDITIONS:
            _raise_fault(path, "too_many", f"A filter must not have more than {MAX_CONDITIONS} conditions.")
        return tuple(self.parse_node(part, f"{path}.{i}", depth=depth + 1) for i, part in enumerate(value))

    def _parse_field(self, field: str, value: object, path: str) -> FilterNode:
        kind = self._find_field_type(field)
        if kind is None:
            _raise_fault(path, "unknown_field", f"Unknown field. Use one of {', '.join(self._fields)}, metadata.<key>.")
        if not isinstance(value, dict) or not value:
            _raise_fault(path, "wrong_type", 'Must be an object such as {"eq": value}.')
        conditions = tuple(self._parse_condition(field, kind, str(op), operand, path) for op, operand in value.items())
        return conditions[0] if len(conditions) == 1 else AllOf(conditions)

    def _parse_condition(self, field: str, kind: FieldType, op: str, operand: object, path: str) -> Condition:
        here = f"{path}.{_render_key(op)}"
        self._conditions += 1
        if self._conditions > MAX_CONDITIONS:
            _raise_fault(here, "too_many", f"A filter must not have more than {MAX_CONDITIONS} conditions.")
        if op not in OPERATORS[kind]:
            _raise_fault(here, "unknown_operator", f"Unknown operator. Use one of {', '.join(OPERATORS[kind])}.")
        return Condition(field, op, _parse_operand(kind, op, operand, here))

    def _find_field_type(self, field: str) -> FieldType | None:
        if field.startswith(METADATA) and len(METADATA) < len(field) <= MAX_STRING:
            return "any"
        return self._fields.get(field)


def _parse_operand(kind: FieldType, op: str, raw: object, path: str) -> FilterValue | tuple[FilterValue, ...]:
    if op == "exists":
        if not isinstance(raw, bool):
            _raise_fault(path, "wrong_type", "Must be true or false.")
        return raw
    if op == "in":
        if not isinstance(raw, list) or not raw:
            _raise_fault(path, "wrong_type", "Must be a list of at least one value.")
        if len(raw) > MAX_LIST:
            _raise_fault(path, "too_many", f"The list must not hold more than {MAX_LIST} values.")
        return tuple(_parse_scalar(kind, one, f"{path}.{i}") for i, one in enumerate(raw))
    return _parse_scalar(kind, raw, path)


def _parse_scalar(kind: FieldType, raw: object, path: str) -> FilterValue:
    if isinstance(raw, str) and len(raw) > MAX_STRING:
        _raise_fault(path, "too_long", f"Must not be longer than {MAX_STRING} characters.")
    if kind == "time":
        return _parse_moment(raw, path)
    if kind == "number":
        if not is_number(raw):
            _raise_fault(path, "wrong_type", "Must be a finite number.")
        return float(raw)  # type: ignore[arg-type]
    if kind == "any" and (isinstance(raw, bool) or is_number(raw)):
        return raw  # type: ignore[return-value]
    if not isinstance(raw, str):
        _raise_fault(path, "wrong_type", f"Must be a string{', number or boolean' if kind == 'any' else ''}.")
    return raw


def _parse_moment(raw: object, path: str) -> datetime:
    moment = None
    with suppress(ValueError, OverflowError):
        said = datetime.fromisoformat(raw) if isinstance(raw, str) else None
        # In UTC, because Postgres refuses a zone that is sixteen hours away.
        moment = said.astimezone(UTC) if said is not None and said.tzinfo is not None else None
    if moment is None:
        _raise_fault(path, "wrong_type", "Must be a time with its zone, such as 2026-01-31T08:00:00Z.")
    return moment


def is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) <= LARGEST_NUMBER


def _render_key(key: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in key[:80])


def _raise_fault(field: str, code: str, message: str) -> NoReturn:
    raise InvalidInput("The filter is malformed.", faults=[FieldFault(field, code, message)])

"""Read mem0's filters: a bare object means AND, ``AND``, ``OR`` and ``NOT`` nest, and each field has its operators.

The hosted service knows a closed list of fields. Its self-hosted server also takes fields of the memory's metadata.
"""

import ast
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any, Literal, NoReturn

from memory_platform.compat.mem0.config import MEM0
from memory_platform.kernel.errors import FieldFault, InvalidInput
from snapshots.recall.filtering.filter_grammar import MAX_CONDITIONS, MAX_DEPTH, MAX_LIST, MAX_STRING

HOLDER_IDS = ("user_id", "agent_id", "app_id", "run_id")
TIMES = ("created_at", "updated_at", "timestamp", "expiration_date")
ANYTHING = "*"
METADATA = "metadata"
_TEXT_FIELDS = ("text", "keywords", "keywords_search")
FIELDS = (*HOLDER_IDS, *TIMES, *_TEXT_FIELDS, "categories", METADATA, "memory_ids")
_ORDER = ("gt", "gte", "lt", "lte")
OPERATORS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(HOLDER_IDS, ("eq", "ne", "in")),
    **dict.fromkeys(TIMES, (*_ORDER, "ne", "in")),
    "text": ("eq", "ne", "in", "contains", "icontains"),
    "keywords": ("contains", "icontains"),
    "keywords_search": ("contains", "icontains"),
    "categories": ("in", "contains"),
    METADATA: ("eq", "ne", "contains"),
    "memory_ids": ("in",),
}
# The operator that a bare value means.
_BARE = {"keywords": "icontains", "keywords_search": "icontains", "categories": "in", "memory_ids": "in"}
_JOINS = {"AND": "and", "OR": "or", "NOT": "not"}

Join = Literal["and", "or", "not"]


@dataclass(frozen=True, slots=True)
class FilterTest:
    """One test of one field. Times are aware; ``in`` holds a tuple; ``key`` names a field of the metadata."""

    field: str
    operator: str
    value: Any
    key: str = ""


@dataclass(frozen=True, slots=True)
class FilterGroup:
    """Tests joined by ``and`` or ``or``; ``not`` means that none of them holds."""

    join: Join
    parts: tuple["FilterTest | FilterGroup", ...]


FilterTree = FilterTest | FilterGroup
EVERYTHING = FilterGroup("and", ())


def read_filters(raw: object, *, free_fields: bool = False) -> FilterTree:
    """Return the tree of the filters of a body. ``free_fields``: unknown fields are those of the metadata. Raises
    InvalidInput naming the place."""
    if raw is None or raw == {}:
        return EVERYTHING
    return _Reader(free_fields).read_object(raw, "filters", depth=1)


def read_query_value(text: str) -> object:
    """Return an object that stands in a query string as JSON, or as Python writes it. Raises InvalidInput."""
    if len(text) > MEM0.query_object_chars:
        _refuse_value("filters", "too_long", f"Must not be longer than {MEM0.query_object_chars} characters.")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        _refuse_value("filters", "malformed", "Must be an object, written as JSON or as Python writes it.")


def join_filters(*trees: FilterTree) -> FilterTree:
    kept = tuple(tree for tree in trees if tree != EVERYTHING)
    return kept[0] if len(kept) == 1 else FilterGroup("and", kept)


def list_tests(tree: FilterTree) -> Iterator[FilterTest]:
    if isinstance(tree, FilterTest):
        yield tree
        return
    for part in tree.parts:
        yield from list_tests(part)


def list_values(test: FilterTest) -> tuple[Any, ...]:
    return test.value if isinstance(test.value, tuple) else (test.value,)


def find_required_user(tree: FilterTree) -> str | None:
    """Return the one user whom every match belongs to; None if the filter does not say so by itself."""
    if isinstance(tree, FilterTest):
        named = tree.field == "user_id" and tree.operator == "eq" and tree.value != ANYTHING
        return str(tree.value) if named else None
    if tree.join == "and":
        return next((name for part in tree.parts if (name := find_required_user(part))), None)
    return None


class _Reader:
    def __init__(self, free_fields: bool) -> None:
        self._free_fields = free_fields
        self._tests = 0

    def read_object(self, raw: object, path: str, depth: int) -> FilterTree:
        if depth > MAX_DEPTH:
            _refuse_value(path, "too_deep", f"Must not be nested more than {MAX_DEPTH} deep.")
        if not isinstance(raw, Mapping):
            _refuse_value(path, "wrong_type", "Must be an object.")
        parts = tuple(self._read_member(str(key), value, path, depth) for key, value in raw.items())
        return parts[0] if len(parts) == 1 else FilterGroup("and", parts)

    def _read_member(self, key: str, value: object, path: str, depth: int) -> FilterTree:
        here = f"{path}.{_printable(key)}"
        join = _JOINS.get(key) or _JOINS.get(key.removeprefix("$").upper() if key.startswith("$") else key)
        if join is not None:
            items = value if isinstance(value, list | tuple) else [value]
            if not items:
                _refuse_value(here, "required", "Must hold at least one filter.")
            parts = [self.read_object(one, f"{here}.{n}", depth + 1) for n, one in enumerate(items)]
            return FilterGroup(join, tuple(parts))  # type: ignore[arg-type]  # one of the three joins
        if key not in FIELDS and not self._free_fields:
            allowed = f"AND, OR, NOT, {', '.join(FIELDS)}"
            _refuse_value(
                here, "unknown_field", f"Unknown filter. Allowed: {allowed}. Fields of your own are below metadata."
            )
        return self._read_field(key, value, here) if key in FIELDS else self._read_metadata({key: value}, here)

    def _read_field(self, field: str, value: object, path: str) -> FilterTree:
        if field == METADATA:
            return self._read_metadata(value, path)
        if not isinstance(value, Mapping):
            bare = _BARE.get(field, "eq")
            if isinstance(value, list | tuple) and "in" in OPERATORS[field]:
                bare = "in"
            value = {bare: [value] if bare == "in" and not isinstance(value, list | tuple) else value}
        return self._read_operators(field, value, path)

    def _read_operators(self, field: str, tests: Mapping[Any, Any], path: str, key: str = "") -> FilterTree:
        if not tests:
            _refuse_value(path, "required", f"Must name an operator: {', '.join(OPERATORS[field])}.")
        found = []
        for operator, operand in tests.items():
            here = f"{path}.{_printable(str(operator))}"
            self._count_condition(here)
            if operator not in OPERATORS[field]:
                _refuse_value(
                    here, "unknown_operator", f"Unknown operator. Allowed here: {', '.join(OPERATORS[field])}."
                )
            found.append(FilterTest(field, str(operator), _read_operand(field, str(operator), operand, here), key))
        return found[0] if len(found) == 1 else FilterGroup("and", tuple(found))

    def _read_metadata(self, value: object, path: str) -> FilterTree:
        if not isinstance(value, Mapping) or not value:
            _refuse_value(path, "wrong_type", "Must be an object with at least one field of the metadata.")
        operators = set(OPERATORS[METADATA])
        if value.keys() <= operators and all(isinstance(one, Mapping) for one in value.values()):
            tests = [(op, key, one) for op, fields in value.items() for key, one in fields.items()]
        else:
            tests = [
                (op, key, operand)
                for key, one in value.items()
                for op, operand in (
                    one.items() if isinstance(one, Mapping) and one and one.keys() <= operators else [("eq", one)]
                )
            ]
        parts = [
            self._read_operators(METADATA, {op: one}, f"{path}.{_printable(str(key))}", str(key))
            for op, key, one in tests
        ]
        return parts[0] if len(parts) == 1 else FilterGroup("and", tuple(parts))

    def _count_condition(self, path: str) -> None:
        self._tests += 1
        if self._tests > MAX_CONDITIONS:
            _refuse_value(path, "too_many", f"Must not have more than {MAX_CONDITIONS} conditions.")


def _read_operand(field: str, operator: str, operand: object, path: str) -> Any:
    if operator == "in":
        items = list(operand) if isinstance(operand, list | tuple) else [operand]
        most = MEM0.batch_most if field == "memory_ids" else MAX_LIST
        if not 1 <= len(items) <= most:
            _refuse_value(path, "length", f"Must hold 1 to {most} values.")
        return tuple(_read_scalar(field, one, f"{path}.{n}") for n, one in enumerate(items))
    return _read_scalar(field, operand, path)


def _read_scalar(field: str, value: object, path: str) -> Any:
    if isinstance(value, str) and len(value) > MAX_STRING:
        _refuse_value(path, "too_long", f"Must not be longer than {MAX_STRING} characters.")
    if field in TIMES:
        moment = read_moment(value)
        if moment is None:
            _refuse_value(path, "wrong_type", "Must be a time such as 2026-01-31 or 2026-01-31T08:00:00Z.")
        return moment
    if field == METADATA:
        return value
    if not isinstance(value, str) or not value:
        _refuse_value(path, "wrong_type", "Must be a text that is not empty.")
    return value


def read_moment(value: object) -> datetime | None:
    """Return a time given as ISO text or as seconds since 1970, in UTC where it names no zone; None for neither."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        if isinstance(value, str):
            moment = datetime.fromisoformat(value.strip())
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        if isinstance(value, date):
            return datetime.combine(value, time(), UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def _printable(key: str) -> str:
    return "".join(sign if sign.isprintable() else "?" for sign in key[:80])


def _refuse_value(path: str, code: str, message: str) -> NoReturn:
    raise InvalidInput(faults=[FieldFault(path, code, message)])

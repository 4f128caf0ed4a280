"""Match memories against a filter: each distinct condition once, over each distinct value.

A field that a memory lacks matches only ``ne`` and ``exists: false``. The work is counted before it is done, so that no
filter keeps a process from other questions.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from memory_platform.kernel.errors import FieldFault, Refused
from snapshots.recall.config import FILTERING, FilterConfig
from snapshots.recall.filtering.filter_grammar import (
    AnyOf,
    Condition,
    EvaluatedPart,
    FilterNode,
    FilterValue,
    NotOf,
    is_number,
)

Int64 = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_SCALARS = (str, int, float)
# A text is searched for up to so many characters in one pass over it, at worst: for more it counts again.
CHARACTERS_AT_ONCE = 16


class FilterTooCostly(Refused):
    """The filter would look at more values than one question may."""

    code = "filter_too_costly"

    def __init__(self, field: str) -> None:
        message = "The memories have too many values in this field for this filter. Use fewer conditions on it."
        detail = f"The filter would look at too many values of `{field}`. Use fewer conditions on this field."
        super().__init__(detail, faults=[FieldFault(f"filter.{field}", self.code, message)])


@dataclass(frozen=True, slots=True)
class FieldValues:
    """The values of one field: row ``rows[i]`` holds ``values[codes[i]]``, and each value is listed once.

    ``listed`` marks values that stand in a list, ``present``, shape (n,), memories that hold any. ``convert`` converts
    the value of a condition to the type of the column.
    """

    values: Sequence[FilterValue]
    rows: Int64
    codes: Int64
    listed: Mask
    present: Mask
    convert: Callable[[Any], FilterValue] = lambda value: value


class FilterMatcher:
    """Evaluates filters; ``held`` returns the values of a field by name. Raises FilterTooCostly."""

    def __init__(self, values_of: Callable[[str], FieldValues], config: FilterConfig = FILTERING) -> None:
        self._held = values_of
        self._left = config.looked_at
        self._fields: dict[str, _FieldIndex] = {}
        self._matched: dict[Hashable, Mask] = {}

    def match_rows(self, node: FilterNode) -> Mask:
        if isinstance(node, EvaluatedPart):
            return node.rows
        if isinstance(node, NotOf):
            return ~self.match_rows(node.part)
        if isinstance(node, Condition):
            return self._match_condition(node)
        parts = np.stack([self.match_rows(part) for part in node.parts])
        return np.asarray(parts.any(axis=0) if isinstance(node, AnyOf) else parts.all(axis=0), np.bool_)

    def _match_condition(self, condition: Condition) -> Mask:
        field = self._load_field(condition.field)
        wanted = condition.value if isinstance(condition.value, tuple) else (condition.value,)
        key = (condition.field, condition.operator, *map(_pair_with_type, wanted))
        if key not in self._matched:
            self._left -= field.count_values_to_read(condition)
            if self._left < 0:
                raise FilterTooCostly(condition.field)
            self._matched[key] = field.match_operator(condition.operator, wanted)
        return self._matched[key]

    def _load_field(self, name: str) -> "_FieldIndex":
        if name not in self._fields:
            self._fields[name] = _FieldIndex(self._held(name))
        return self._fields[name]


class _FieldIndex:
    def __init__(self, field_values: FieldValues) -> None:
        self.held = field_values

    def count_values_to_read(self, condition: Condition) -> int:
        """Return how many values, and characters of texts to search in, the condition looks at."""
        looked_at = len(self.held.codes) + len(self.held.present)
        if condition.operator == "contains" and isinstance(condition.value, str):
            looked_at += self.characters * (1 + len(condition.value) // CHARACTERS_AT_ONCE)
        return looked_at

    def match_operator(self, operator: str, values: Sequence[FilterValue]) -> Mask:
        if operator == "exists":
            return self.held.present if values[0] else ~self.held.present
        wanted = [self.held.convert(value) for value in values]
        if operator == "ne":
            return ~self._find_rows_of_codes(self._list_codes_equal_to(wanted))
        if operator in ("eq", "in"):
            return self._find_rows_of_codes(self._list_codes_equal_to(wanted))
        if operator == "contains":
            return self._find_rows_of_codes(self._list_codes_equal_to(wanted), listed=True) | self._find_rows_of_codes(
                self._list_codes_containing(wanted[0]), listed=False
            )
        return self._find_rows_of_codes(self._list_codes_in_order(operator, wanted[0]), listed=False)

    def _find_rows_of_codes(self, codes: Sequence[int], *, listed: bool | None = None) -> Mask:
        """Return which rows hold one of the values ``codes``; ``listed`` narrows to values inside or outside a list."""
        rows = np.zeros(len(self.held.present), np.bool_)
        if len(codes):
            wanted = np.zeros(len(self.held.values), np.bool_)
            wanted[codes] = True
            found = wanted[self.held.codes]
            if listed is not None:
                found &= self.held.listed == listed
            rows[self.held.rows[found]] = True
        return rows

    def _list_codes_equal_to(self, values: Sequence[FilterValue]) -> list[int]:
        """A list equals each value that it holds, because topics are a set of words."""
        return [self.code_by_value[one] for one in map(_pair_with_type, values) if one in self.code_by_value]

    def _list_codes_containing(self, value: FilterValue) -> list[int]:
        if not isinstance(value, str):
            return []
        part = value.casefold()
        return [code for code, text in self.folded_texts.items() if part in text]

    def _list_codes_in_order(self, operator: str, value: FilterValue) -> list[int]:
        """Values of two kinds have no order: the condition does not hold."""
        ordered = self.texts if isinstance(value, str) else self.numbers if is_number(value) else []
        begin: Any = bisect_left if operator in ("gte", "lt") else bisect_right
        place = begin(ordered, value, key=lambda one: one[0])
        return [code for _, code in (ordered[place:] if operator in ("gt", "gte") else ordered[:place])]

    @cached_property
    def code_by_value(self) -> Mapping[Hashable, int]:
        return {_pair_with_type(value): code for code, value in enumerate(self.held.values)}

    @cached_property
    def folded_texts(self) -> Mapping[int, str]:
        return {code: value.casefold() for code, value in enumerate(self.held.values) if isinstance(value, str)}

    @cached_property
    def characters(self) -> int:
        return sum(map(len, self.folded_texts.values()))

    @cached_property
    def texts(self) -> list[tuple[Any, int]]:
        return sorted((value, code) for code, value in enumerate(self.held.values) if isinstance(value, str))

    @cached_property
    def numbers(self) -> list[tuple[Any, int]]:
        return sorted((value, code) for code, value in enumerate(self.held.values) if is_number(value))


def make_single_value_field(values: Sequence[FilterValue], codes: npt.NDArray[Any]) -> FieldValues:
    """Return a field with one value per row, ``codes`` (n,) into ``values``; -1 for none."""
    present = codes >= 0
    rows = np.flatnonzero(present)
    return FieldValues(values, rows, codes[rows].astype(np.int64), np.zeros(len(rows), np.bool_), present)


def make_number_values(
    numbers: npt.NDArray[np.float32 | np.float64], convert: Callable[[Any], FilterValue]
) -> FieldValues:
    """Return a field with one number per row; numbers that are not finite are missing."""
    present = np.isfinite(numbers)
    rows = np.flatnonzero(present)
    values, codes = np.unique(numbers[rows], return_inverse=True)
    return FieldValues(values.tolist(), rows, codes, np.zeros(len(rows), np.bool_), present, convert)


def to_seconds(moment: datetime) -> float:
    return moment.timestamp()


def to_single_precision(number: float) -> float:
    """Return a number in single precision, as columns store it: 0.6 equals a stored 0.6."""
    return float(np.float32(np.clip(number, -1e38, 1e38)))


def make_json_values(rows: Sequence[int], values: Sequence[object], size: int) -> FieldValues:
    """Return a field of JSON values of any kinds: ``values[i]`` for row ``rows[i]`` of ``size``; null is missing."""
    places: dict[tuple[bool, FilterValue], int] = {}
    codes: list[int] = []
    counts = np.zeros(len(rows), np.int64)
    for number, value in enumerate(values):
        before = len(codes)
        codes.extend(places.setdefault(leaf, len(places)) for leaf in _list_leaves(value))
        counts[number] = len(codes) - before
    at = np.array(rows, np.int64)
    present = np.zeros(size, np.bool_)
    present[at[[value is not None for value in values]]] = True
    return FieldValues(
        values=[value for _, value in places],
        rows=np.repeat(at, counts),
        codes=np.array(codes, np.int64),
        listed=np.repeat(np.array([isinstance(value, list) for value in values], np.bool_), counts),
        present=present,
    )


def _list_leaves(value: object) -> Collection[tuple[bool, FilterValue]]:
    """Return the texts, numbers and booleans of a value, also in nested lists; objects equal nothing."""
    if not isinstance(value, list):
        return [_pair_with_type(value)] if isinstance(value, _SCALARS) else ()
    leaves: set[tuple[bool, FilterValue]] = set()
    left = [value]
    while left:
        inner = left.pop()
        leaves.update([_pair_with_type(one) for one in inner if isinstance(one, _SCALARS)])
        left += [one for one in inner if isinstance(one, list)]
    return leaves


def _pair_with_type(value: FilterValue) -> tuple[bool, FilterValue]:
    """Python takes True for 1; a filter does not."""
    return isinstance(value, bool), value

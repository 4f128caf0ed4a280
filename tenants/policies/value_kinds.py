"""Kinds of values that a tenant may set: the JSON, its bounds, and the value in the code.

The checks are plain Python: pydantic made them neither simpler nor faster. docs/architecture.md has the figures.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from math import inf
from typing import Any, Protocol

NAME_CHARS = 40
NAMED_MOST = 50


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault inside a value; ``path`` is its place, "" for the whole value."""

    path: str
    message: str


class WrongValue(ValueError):
    """An invalid value; the text names the rule, and never repeats the value. ``faults`` are all faults of a value with
    parts."""

    def __init__(self, message: str, faults: Sequence[Fault] = ()) -> None:
        super().__init__(message)
        self.faults = tuple(faults) or (Fault("", message),)


class Kind(Protocol):
    """One kind of value."""

    def read(self, value: Any) -> Any:
        pass

    def to_json(self, value: Any) -> Any:
        pass

    def describe(self) -> dict[str, Any]:
        pass


@dataclass(frozen=True, slots=True)
class Flag:
    """``true`` or ``false``."""

    def read(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise WrongValue("Must be true or false.")
        return value

    def to_json(self, value: bool) -> bool:
        return value

    def describe(self) -> dict[str, Any]:
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a closed list of names."""

    options: tuple[str, ...]

    def read(self, value: Any) -> str:
        if not isinstance(value, str) or value not in self.options:
            raise WrongValue(f"Must be one of: {', '.join(self.options)}.")
        return value

    def to_json(self, value: str) -> str:
        return value

    def describe(self) -> dict[str, Any]:
        return {"type": "choice", "options": list(self.options)}


@dataclass(frozen=True, slots=True)
class Choices:
    """Some of a closed list of names; the code holds a tuple in the order of the list."""

    options: tuple[str, ...]

    def read(self, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
            raise WrongValue(f"Must be a list with some of: {', '.join(self.options)}.")
        if not {*value} <= {*self.options}:
            raise WrongValue(f"Must contain only: {', '.join(self.options)}.")
        return tuple(option for option in self.options if option in value)

    def to_json(self, value: tuple[str, ...]) -> list[str]:
        return list(value)

    def describe(self) -> dict[str, Any]:
        return {"type": "choices", "options": list(self.options)}


@dataclass(frozen=True, slots=True)
class WholeNumber:
    """A whole number between two bounds, both included, with a ``unit``."""

    least: int
    most: int
    unit: str = ""

    def read(self, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
            raise WrongValue("Must be a whole number.")
        if not self.least <= value <= self.most:
            raise WrongValue(f"Must be between {self.least} and {self.most}.")
        return int(value)

    def to_json(self, value: int) -> int:
        return value

    def describe(self) -> dict[str, Any]:
        return {"type": "integer", "least": self.least, "most": self.most, "unit": self.unit}


@dataclass(frozen=True, slots=True)
class Days:
    """A time in whole days."""

    least: int
    most: int

    def read(self, value: Any) -> timedelta:
        return timedelta(days=WholeNumber(self.least, self.most).read(value))

    def to_json(self, value: timedelta) -> int:
        return value.days

    def describe(self) -> dict[str, Any]:
        return WholeNumber(self.least, self.most, "days").describe()


@dataclass(frozen=True, slots=True)
class DaysOrNever:
    """A time in whole days; ``null`` is never, None in the code."""

    least: int
    most: int

    def read(self, value: Any) -> timedelta | None:
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise WrongValue(f"Must be a whole number of days between {self.least} and {self.most}, or null for never.")
        return Days(self.least, self.most).read(value)

    def to_json(self, value: timedelta | None) -> int | None:
        return None if value is None else value.days

    def describe(self) -> dict[str, Any]:
        return {**Days(self.least, self.most).describe(), "nullable": True}


@dataclass(frozen=True, slots=True)
class Number:
    """A finite number between two bounds, both included."""

    least: float
    most: float

    def read(self, value: Any) -> float:
        # Compared, not given to ``isfinite``, which raises OverflowError for integers that no float can hold.
        if isinstance(value, bool) or not isinstance(value, int | float) or not -inf < value < inf:
            raise WrongValue("Must be a number.")
        if not self.least <= value <= self.most:
            raise WrongValue(f"Must be between {self.least:g} and {self.most:g}.")
        return float(value)

    def to_json(self, value: float) -> float:
        return value

    def describe(self) -> dict[str, Any]:
        return {"type": "number", "least": self.least, "most": self.most}


@dataclass(frozen=True, slots=True)
class Numbers:
    """A list of exactly ``length`` numbers; ``rising``: each greater than the one before it."""

    length: int
    each: Number
    rising: bool = False

    def read(self, value: Any) -> tuple[float, ...]:
        if not isinstance(value, list) or len(value) != self.length:
            raise WrongValue(f"Must be a list of {self.length} numbers.")
        numbers = tuple(map(self.each.read, value))
        if self.rising and any(one >= following for one, following in pairwise(numbers)):
            raise WrongValue("Each number must be greater than the one before it.")
        return numbers

    def to_json(self, value: tuple[float, ...]) -> list[float]:
        return list(value)

    def describe(self) -> dict[str, Any]:
        return {"type": "numbers", "length": self.length, "rising": self.rising, "each": self.each.describe()}


@dataclass(frozen=True, slots=True)
class NamedValues:
    """An object of whole numbers or choices by name; the code holds a tuple of pairs, in the order of the names."""

    each: WholeNumber | Choice

    def read(self, value: Any) -> tuple[tuple[str, int | str], ...]:
        if not isinstance(value, Mapping) or len(value) > NAMED_MOST:
            what = "a whole number" if isinstance(self.each, WholeNumber) else f"one of: {', '.join(self.each.options)}"
            raise WrongValue(f"Must be an object of at most {NAMED_MOST} names, each with {what}.")
        if not all(isinstance(name, str) and 0 < len(name) <= NAME_CHARS and name.isprintable() for name in value):
            raise WrongValue(f"A name must have 1 to {NAME_CHARS} printable characters.")
        return tuple((name, self.each.read(value[name])) for name in sorted(value))

    def to_json(self, value: tuple[tuple[str, int | str], ...]) -> dict[str, int | str]:
        return dict(value)

    def describe(self) -> dict[str, Any]:
        return {"type": "named", "each": self.each.describe()}

"""Reading a line: each column's value is checked as strictly as the table would, before anything is stored."""

import math
from base64 import b64decode
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import orjson
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models

from snapshots.portability.line_kinds import PACKED_COLUMN, LineKind

TEXT_BYTES = 256 * 1024
JSON_BYTES = 1024 * 1024
NUL = "\x00"
# What to say when a validator of Django fails, by its code.
_LIMITS = {
    "max_length": "Must have at most {limit_value} characters.",
    "min_value": "Must be at least {limit_value}.",
    "max_value": "Must be at most {limit_value}.",
}
INTEGER_RANGES = {
    "SmallIntegerField": (-(2**15), 2**15 - 1),
    "PositiveSmallIntegerField": (0, 2**15 - 1),
    "PositiveIntegerField": (0, 2**31 - 1),
    "PositiveBigIntegerField": (0, 2**63 - 1),
    "BigIntegerField": (-(2**63), 2**63 - 1),
    "IntegerField": (-(2**31), 2**31 - 1),
}


class ColumnFault(Exception):
    """A value that cannot be stored: the column and the rule, never the value."""

    def __init__(self, column: str, message: str) -> None:
        super().__init__(message)
        self.column, self.message = column, message


def read_row(kind: LineKind, line: Mapping[str, Any]) -> dict[str, Any]:
    """Return a line's values by column, ``id`` among them; a missing column has the table's default. Raises
    ColumnFault."""
    unknown = line.keys() - kind.columns.keys() - {"type", "id"}
    if unknown:
        raise ColumnFault(
            min(unknown)[:64],
            f"This type of line has no such field. Allowed: {', '.join(('type', 'id', *kind.columns))}.",
        )
    values: dict[str, Any] = {"id": _read_id("id", line.get("id"))}
    for name, column in kind.columns.items():
        if name in line:
            values[name] = read_value(name, column, line[name])
        elif column.has_default() or column.has_db_default() or column.null or column.blank:
            values[name] = None if column.null else column.get_default()
        else:
            raise ColumnFault(name, "This field is required.")
    return values


def read_value(name: str, column: models.Field[Any, Any], value: Any) -> Any:
    """Return a column's value as the table holds it. Raises ColumnFault."""
    if value is None:
        if column.null:
            return None
        raise ColumnFault(name, "Must not be null.")
    checked = _read_typed(name, column, value)
    left_blank = column.blank and checked == ""
    if column.choices and not left_blank and checked not in {choice for choice, _ in column.flatchoices}:
        raise ColumnFault(name, f"Must be one of: {', '.join(str(choice) for choice, _ in column.flatchoices)}.")
    try:
        if not isinstance(column, models.JSONField | ArrayField):
            column.run_validators(checked)
    except ValidationError as broken:
        raise ColumnFault(name, _describe_limit(broken.error_list[0])) from None
    return checked


def _describe_limit(broken: ValidationError) -> str:
    """Return the rule that a validator of a column states; its own message may repeat the value."""
    rule = _LIMITS.get(broken.code or "", "This value is not allowed in this field.")
    return rule.format(**(broken.params or {}))


def _read_typed(name: str, column: models.Field[Any, Any], value: Any) -> Any:  # noqa: PLR0911 - one answer per type
    kind = column.get_internal_type()
    if isinstance(column, models.ForeignKey) or kind == "UUIDField":
        return _read_id(name, value)
    if isinstance(column, ArrayField):
        if not isinstance(value, list):
            raise ColumnFault(name, "Must be a list.")
        return [read_value(name, column.base_field, one) for one in value]
    if kind == "JSONField" or name == PACKED_COLUMN:
        return _read_json(name, value)
    if kind == "BinaryField":
        return _read_bytes(name, value)
    if kind == "DateTimeField":
        return _read_time(name, value)
    if kind == "BooleanField":
        return _require_type(name, value, bool, "Must be true or false.")
    if kind in INTEGER_RANGES:
        return _read_integer(name, value, *INTEGER_RANGES[kind])
    if kind == "FloatField":
        return _read_float(name, value)
    return _read_text(name, value)


def _require_type(name: str, value: Any, expected_type: type, message: str) -> Any:
    if not isinstance(value, expected_type):
        raise ColumnFault(name, message)
    return value


def _read_id(name: str, value: Any) -> UUID:
    try:
        return UUID(_require_type(name, value, str, "Must be an id."))
    except ValueError:
        raise ColumnFault(name, "Must be an id.") from None


def _read_text(name: str, value: Any) -> str:
    text: str = _require_type(name, value, str, "Must be a string.")
    if NUL in text or len(text.encode("utf-8", "surrogatepass")) > TEXT_BYTES:
        raise ColumnFault(name, f"Must have at most {TEXT_BYTES // 1024} KiB, and no NUL character.")
    return text


def _read_time(name: str, value: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(_require_type(name, value, str, "Must be a time as in RFC 3339."))
    except ValueError:
        raise ColumnFault(name, "Must be a time as in RFC 3339.") from None
    if moment.tzinfo is None:
        raise ColumnFault(name, "Must be a time with its offset, as in RFC 3339.")
    try:
        return moment.astimezone(UTC)
    except OverflowError:  # the table would take it, and nothing could read it again
        raise ColumnFault(name, "Must be in the years 1 to 9999.") from None


def _read_integer(name: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ColumnFault(name, f"Must be an integer between {least} and {most}.")
    return value


def _read_float(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ColumnFault(name, "Must be a number.")
    return float(value)


def _read_json(name: str, value: Any) -> Any:
    if len(orjson.dumps(value)) > JSON_BYTES or _holds_nul(value):
        raise ColumnFault(name, f"Must have at most {JSON_BYTES // 1024} KiB of JSON, and no NUL character.")
    return value


def _read_bytes(name: str, value: Any) -> bytes:
    try:
        return b64decode(_require_type(name, value, str, "Must be bytes in base64."), validate=True)
    except ValueError:
        raise ColumnFault(name, "Must be bytes in base64.") from None


def _holds_nul(value: Any) -> bool:
    if isinstance(value, dict):
        return any(NUL in str(key) or _holds_nul(inner) for key, inner in value.items())
    if isinstance(value, list):
        return any(map(_holds_nul, value))
    return isinstance(value, str) and NUL in value

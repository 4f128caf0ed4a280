"""Typed fields of requests and answers, which the OpenAPI document is read from.

They are stricter than REST framework's own: nothing is converted (``"5"`` is not an integer), trimmed or clamped, and
messages never repeat the value.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from typing import Any, NoReturn
from uuid import UUID

import orjson
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.fields import empty
from rest_framework.settings import api_settings

from memory_platform.api.config import API_CONFIG, BIGINT_LEAST, BIGINT_MOST, KIB
from memory_platform.api.requests.json_guard import WHOLE_BODY, printable_key
from memory_platform.api.requests.path_and_query import own_id
from memory_platform.kernel.character_checks import find_text_fault
from memory_platform.kernel.errors import FieldFault
from memory_platform.kernel.product_ids import find_product_id_fault

AnyField = serializers.Field[Any, Any, Any, Any]
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_RFC3339 = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})"
)
_DIGITS = re.compile(r"-?[0-9]{1,19}")
_DECIMAL = re.compile(r"-?[0-9]{1,19}(\.[0-9]{1,19})?")


class Direct:
    """Mixin: ``to_internal_value`` does all the checking. REST framework's validators stay for the OpenAPI document
    only: their messages repeat the value."""

    def run_validation(self, data: Any = empty) -> Any:
        is_final, data = self.validate_empty_values(data)  # type: ignore[attr-defined]  # of serializers.Field
        return data if is_final else self.to_internal_value(data)  # type: ignore[attr-defined]


class TextField(Direct, serializers.CharField):
    """A string of 1 to ``max_bytes`` bytes of UTF-8, kept exactly as it came."""

    def __init__(self, *, max_bytes: int = API_CONFIG.string_bytes, allow_empty: bool = False, **kwargs: Any) -> None:
        self.max_bytes = max_bytes
        kwargs.setdefault("max_length", max_bytes)
        super().__init__(allow_blank=allow_empty, trim_whitespace=False, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise_field_error("not_a_string", "Must be a string.")
        if not data and not self.allow_blank:
            raise_field_error("empty", "Must not be empty.")
        found = find_text_fault(data)
        if found:
            raise_field_error(*found)
        if len(data) > (self.max_length or self.max_bytes) or len(data.encode()) > self.max_bytes:
            raise_field_error("too_long", f"Must have at most {format_size(self.max_length, self.max_bytes)}.")
        return str(data)


class ProductIdField(TextField):
    """An id chosen by the product: 1 to 200 characters, no control characters, no ``/``, not ``.`` or ``..``."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_bytes=API_CONFIG.id_bytes, **{"max_length": API_CONFIG.id_chars, **kwargs})

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise_field_error("not_a_string", "Must be a string.")
        found = find_product_id_fault(data)
        if found:
            raise_field_error(*found)
        return str(data)


class OwnIdField(Direct, serializers.CharField):
    """An id made by the platform. Any other string is the id of nothing."""

    def to_internal_value(self, data: Any) -> UUID:  # type: ignore[override]  # text outside, UUID inside
        if not isinstance(data, str) or not 0 < len(data) <= API_CONFIG.id_chars:
            raise_field_error("not_an_id", "Must be an id.")
        found = find_text_fault(data)
        if found:
            raise_field_error(*found)
        return own_id(data)


class InstantField(Direct, serializers.DateTimeField):
    """A time as RFC 3339 with offset; in UTC inside, unless ``local`` keeps its offset."""

    def __init__(self, *, local: bool = False, **kwargs: Any) -> None:
        self.local = local
        super().__init__(**kwargs)

    def to_internal_value(self, value: Any) -> datetime:
        if not isinstance(value, str) or not _RFC3339.fullmatch(value):
            raise_field_error("not_a_time", "Must be a time as in RFC 3339, with its offset, in the years 1 to 9999.")
        try:
            moment = datetime.fromisoformat(value.upper())
            in_utc = moment.astimezone(UTC)
            return moment if self.local else in_utc
        except (ValueError, OverflowError):
            raise_field_error("not_a_time", "Must be a time as in RFC 3339, with its offset, in the years 1 to 9999.")


class DayField(Direct, serializers.DateField):
    """A UTC day as ``YYYY-MM-DD``, or that of a moment as RFC 3339 with offset."""

    def to_internal_value(self, value: Any) -> date:
        if isinstance(value, str) and _RFC3339.fullmatch(value):
            return InstantField().to_internal_value(value).date()
        try:
            return date.fromisoformat(value if _DAY.fullmatch(value) else "")
        except (ValueError, TypeError):
            raise_field_error(
                "not_a_day", "Must be a day such as 2026-03-01, or a time as in RFC 3339 with its offset."
            )


class WholeField(Direct, serializers.IntegerField):
    """An integer between two bounds; digits in a query string."""

    def __init__(self, *, least: int = BIGINT_LEAST, most: int = BIGINT_MOST, **kwargs: Any) -> None:
        self.least, self.most = least, most
        super().__init__(min_value=least, max_value=most, **kwargs)

    def to_internal_value(self, data: Any) -> int:
        value = data
        if isinstance(data, float) and data.is_integer():
            value = int(data)  # 5.0 is an integer to JSON Schema
        if isinstance(data, QueryText) and _DIGITS.fullmatch(data):
            value = int(data)
        if isinstance(value, bool) or not isinstance(value, int):
            raise_field_error("not_an_integer", "Must be an integer.")
        if not self.least <= value <= self.most:
            raise_field_error("out_of_range", f"Must be between {self.least} and {self.most}.")
        return value


class NumberField(Direct, serializers.FloatField):
    """A finite number between two bounds."""

    def __init__(self, *, least: float, most: float, **kwargs: Any) -> None:
        self.least, self.most = least, most
        super().__init__(min_value=least, max_value=most, **kwargs)

    def to_internal_value(self, data: Any) -> float:
        value = float(data) if isinstance(data, QueryText) and _DECIMAL.fullmatch(data) else data
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise_field_error("not_a_number", "Must be a number.")
        if not self.least <= value <= self.most:
            raise_field_error("out_of_range", f"Must be between {self.least} and {self.most}.")
        return float(value)


class RoundedField(serializers.FloatField):
    """A number of an answer, rounded to ``digits`` places after the point."""

    def __init__(self, *, digits: int, **kwargs: Any) -> None:
        self.digits = digits
        super().__init__(**kwargs)

    def round(self, value: float) -> float:
        return round(value, self.digits)


class FlagField(Direct, serializers.BooleanField):
    """``true`` or ``false``."""

    def to_internal_value(self, data: Any) -> bool:
        if isinstance(data, QueryText) and data in {"true", "false"}:
            return data == "true"
        if not isinstance(data, bool):
            raise_field_error("not_a_boolean", "Must be true or false.")
        return data


class OneOfField(Direct, serializers.ChoiceField):
    """One of a closed list of strings."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or data not in self.choices:
            raise_field_error("not_a_choice", f"Must be one of: {', '.join(map(str, self.choices))}.")
        return str(data)


class ListOfField(Direct, serializers.ListField):
    """A list of ``least`` to ``most`` items of ``child``."""

    def __init__(self, *, child: AnyField, most: int, least: int = 0, **kwargs: Any) -> None:
        self.least, self.most = least, most
        super().__init__(child=child, min_length=least, max_length=most, **kwargs)

    def to_internal_value(self, data: Any) -> list[Any]:
        if not isinstance(data, list):
            raise_field_error("not_a_list", "Must be a list.")
        if not self.least <= len(data) <= self.most:
            raise_field_error("length", f"Must have {self.least} to {self.most} items.")
        return list(self.run_child_validation(data))


class JsonField(Direct, serializers.JSONField):
    """Any JSON value of at most ``max_bytes`` bytes, with strings and numbers that can be stored."""

    def __init__(self, *, max_bytes: int = 64 * KIB, **kwargs: Any) -> None:
        self.max_bytes = max_bytes
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> Any:
        if len(orjson.dumps(data)) > self.max_bytes:
            raise_field_error("too_long", f"Must have at most {format_size(None, self.max_bytes)} of JSON.")
        self.check_leaves(data, "")
        return data

    def check_leaves(self, value: Any, path: str) -> None:
        """Raise ValidationError for the first string or number in ``value`` that cannot be stored."""
        if isinstance(value, dict):
            for key, item in value.items():
                inner = f"{path}.{printable_key(key)}" if path else printable_key(key)
                self.check_leaves(key, inner)
                self.check_leaves(item, inner)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                self.check_leaves(item, f"{path}.{index}" if path else str(index))
        else:
            found = _leaf_fault(value)
            if found:
                raise ValidationError({path: [ErrorDetail(found[1], code=found[0])]} if path else [_detail(*found)])


class JsonObjectField(JsonField):
    """A JSON object, such as ``metadata``."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise_field_error("not_an_object", "Must be a JSON object.")
        value: dict[str, Any] = super().to_internal_value(data)
        return value


class QueryText(str):
    """A value of a query string: text that may be a number or a boolean."""

    __slots__ = ()


def raise_field_error(code: str, message: str) -> NoReturn:
    """Raise the error of one field. The message gives the rule and never repeats the value."""
    raise ValidationError([_detail(code, message)])


def format_size(chars: int | None, max_bytes: int) -> str:
    size = f"{max_bytes // KIB} KiB" if max_bytes % KIB == 0 else f"{max_bytes} bytes"
    return size if chars is None or chars >= max_bytes else f"{chars} characters and {size}"


def _leaf_fault(value: Any) -> tuple[str, str] | None:
    """Return the fault of a string or number. A number such as 1e300 is a fault: jsonb returns 301 digits."""
    if isinstance(value, str):
        return find_text_fault(value)
    if isinstance(value, float) and not BIGINT_LEAST <= value <= BIGINT_MOST:
        return "out_of_range", "Must fit into 64 bits."
    return None


def _detail(code: str, message: str) -> ErrorDetail:
    return ErrorDetail(message, code=code)


def make_field_error(field: str, code: str, message: str) -> ValidationError:
    return ValidationError({field: [ErrorDetail(message, code=code)]})


def flatten_faults(detail: Any, path: str = "") -> Iterator[FieldFault]:
    """Yield one fault for each leaf of a ``ValidationError.detail``; list items are named by index."""
    if isinstance(detail, Mapping):
        for key, inner in detail.items():
            yield from flatten_faults(inner, _join_path(path, str(key)))
    elif isinstance(detail, list | tuple):
        for index, inner in enumerate(detail):
            yield from flatten_faults(inner, path if isinstance(inner, ErrorDetail) else _join_path(path, str(index)))
    else:
        yield FieldFault(path or WHOLE_BODY, str(getattr(detail, "code", "invalid")), str(detail))


def _join_path(path: str, key: str) -> str:
    if key == api_settings.NON_FIELD_ERRORS_KEY:
        return path
    return f"{path}.{key}" if path else key

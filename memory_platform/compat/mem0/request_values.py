"""Times and lists in the bodies of mem0's clients."""

from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.fields import empty

from memory_platform.api.requests.fields import AnyField, JsonObjectField, ListOfField, TextField
from memory_platform.compat.mem0.filters.grammar import read_moment
from memory_platform.compat.mem0.memory_scope import refuse_marks
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import FieldFault, InvalidInput

CATEGORY_CHARS = 100
_DAY = timedelta(days=1)
_DAY_CHARS = len("2026-01-31")
_METADATA = JsonObjectField()
_CATEGORIES = ListOfField(child=TextField(max_bytes=4 * CATEGORY_CHARS, max_length=CATEGORY_CHARS), most=32)


def read_timestamp(body: Mapping[str, Any]) -> datetime | None:
    """Return when it was said: seconds since 1970, or ISO text. Raises InvalidInput, also for a time to come."""
    if body.get("timestamp") is None:
        return None
    moment = read_moment(body["timestamp"])
    if moment is None or moment > utc_now() + _DAY:
        message = "Must be seconds since 1970, or a time such as 2026-01-31T08:00:00Z, at most a day in the future."
        raise InvalidInput(faults=[FieldFault("timestamp", "wrong_type", message)])
    return moment


def read_expiration(value: object) -> datetime | None:
    """Return when a memory expires: after the day that is named, in UTC. Raises InvalidInput; null is never."""
    if value is None:
        return None
    moment = read_moment(value) if isinstance(value, str) else None
    if moment is None:
        raise InvalidInput(
            faults=[FieldFault("expiration_date", "wrong_type", "Must be a day such as 2026-01-31, or null.")]
        )
    if isinstance(value, str) and len(value.strip()) == _DAY_CHARS:
        return datetime.combine(moment.date(), time(), UTC) + _DAY
    return moment


def read_categories(value: object) -> list[str]:
    """Return categories of the product's own. Raises ValidationError."""
    return list(dict.fromkeys(check_value("categories", _CATEGORIES, value)))


def read_metadata(value: object) -> dict[str, Any]:
    """Return metadata of the product's own. Raises ValidationError; InvalidInput for a key of ours."""
    metadata: dict[str, Any] = check_value("metadata", _METADATA, value)
    refuse_marks(metadata)
    return metadata


def check_value(name: str, value_field: AnyField, value: object) -> Any:
    """Return a value that a field of the REST API accepts. Raises ValidationError under ``name``."""
    try:
        return value_field.run_validation(empty if value is None else value)
    except ValidationError as refused:
        raise ValidationError({name: refused.detail}) from None

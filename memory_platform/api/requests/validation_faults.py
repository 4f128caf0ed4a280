"""Turns the nested errors of serializers into a flat list of faults with dotted paths."""

from collections.abc import Iterator, Mapping
from typing import Any

from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.settings import api_settings

from memory_platform.api.requests.json_guard import WHOLE_BODY
from memory_platform.kernel.errors import FieldFault


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

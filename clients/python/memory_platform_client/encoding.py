"""Arguments of methods become paths, queries and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any
from urllib.parse import quote
from uuid import UUID

from memory_platform_client.decoding import Answer

When = datetime | str
"""A datetime, or a text as in RFC 3339; either with an offset."""


def fill_path(template: str, values: Mapping[str, Any]) -> str:
    """Return a path with its values percent-encoded; a value that would leave its place is refused."""
    for name, value in values.items():
        text = "" if value is None else str(value)
        if not text or text in (".", ".."):
            raise ValueError(f"{name} must be a text that is neither empty nor '.' nor '..'.")
        template = template.replace(f"{{{name}}}", quote(text, safe=""))
    return template


def encode_query(values: Mapping[str, Any]) -> dict[str, str]:
    """Return a query as texts."""
    return {name: encode_text(value) for name, value in values.items()}


def encode_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):  # a datetime is one
        return value.isoformat()
    return str(value)


def encode_body(values: Mapping[str, Any]) -> bytes:
    """Return JSON in UTF-8."""
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"), default=_encode_other).encode()


def _encode_other(value: Any) -> Any:
    if isinstance(value, date | UUID):
        return encode_text(value)
    if isinstance(value, Answer):
        own = {name.rstrip("_"): one for name, one in vars(value).items() if name not in ("meta", "extra")}
        return {name: one for name, one in own.items() if one is not None}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple | set | frozenset):
        return list(value)
    raise TypeError(f"{type(value).__name__} cannot be sent as JSON.")

"""Secrets in requests: refused in memories, masked in the reasons for an act."""

from collections.abc import Iterator, Mapping
from typing import Any

from memory_platform.api.config import KIB
from memory_platform.api.requests.fields import TextField
from memory_platform.api.requests.json_guard import printable_key
from memory_platform.api.requests.serializers import Input
from memory_platform.kernel.errors import FieldFault, Refused
from snapshots.sensitive.detector import is_sensitive, is_sensitive_list, is_sensitive_named, mask_sensitive

_LONGEST = 500
MESSAGE = "Must not contain a card or identity number or a secret."


class Sensitive(Refused):
    """The request contains something that must not be remembered; ``faults`` names the fields. HTTP 422."""

    code = "sensitive"


def refuse_sensitive(values: Mapping[str, Any], *, below: str = "", names: Mapping[str, str] | None = None) -> None:
    """Raise Sensitive when a text or number in ``values`` must not be remembered.

    ``below`` is put before each path. A value is read together with its name, so that ``{"wifi_password": "x7k2"}`` is
    a secret; ``names`` has the names of fields that differ from their paths.
    """
    called = {field: field for field in values} | dict(names or {})
    faults = [
        FieldFault(path, "sensitive", MESSAGE)
        for field, value in values.items()
        for path in _sensitive_paths(f"{below}{field}", called[field], value)
    ]
    if faults:
        raise Sensitive(faults=list(dict.fromkeys(faults)))


def _sensitive_paths(path: str, name: str, value: Any) -> Iterator[str]:
    """Yield the paths of sensitive values; for a sensitive key, the path of its object."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if is_sensitive(key):
                yield path
            else:
                yield from _sensitive_paths(f"{path}.{printable_key(key)}", key, item)
    elif isinstance(value, list):
        found = [one for index, item in enumerate(value) for one in _sensitive_paths(f"{path}.{index}", name, item)]
        yield from found or ([path] if is_sensitive_list(name, value) else [])
    elif isinstance(value, str | int | float) and not isinstance(value, bool) and is_sensitive_named(name, str(value)):
        yield path


class OptionalReasonInput(Input):
    """An optional reason."""

    reason = TextField(required=False, max_bytes=1 * KIB, help_text="Why, for the audit trail.")


def mask_reason(body: Mapping[str, Any]) -> str:
    """Return the reason without secrets, at most 500 characters; "" if no reason was given."""
    return mask_sensitive(body.get("reason", ""))[0][:_LONGEST]

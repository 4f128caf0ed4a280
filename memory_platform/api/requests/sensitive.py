"""Card and identity numbers and secrets never enter a profile, preference or tag, not from a product either (E2)."""

from collections.abc import Iterator, Mapping
from typing import Any

from memory_platform.api.requests.json_guard import printable_key
from memory_platform.kernel.errors import FieldFault, Refused
from snapshots.sensitive.detector import is_sensitive, is_sensitive_as, is_sensitive_list

MESSAGE = "Holds a card or identity number or a secret, which is not kept."


class Sensitive(Refused):
    """What was sent holds something that must not be remembered; ``faults`` names the fields. HTTP 422."""

    code = "sensitive"


def refuse_sensitive(given: Mapping[str, Any], *, below: str = "", names: Mapping[str, str] | None = None) -> None:
    """Raise Sensitive when a text or number in ``given`` must not be remembered.

    ``below`` comes before each field's path. A value is also read together with what it is called, so that
    ``{"wifi_password": "x7k2"}`` is a secret; ``names`` says so for fields that are called otherwise than their path.
    """
    called = {field: field for field in given} | dict(names or {})
    faults = [
        FieldFault(path, "sensitive", MESSAGE)
        for field, value in given.items()
        for path in _sensitive_paths(f"{below}{field}", called[field], value)
    ]
    if faults:
        raise Sensitive(faults=list(dict.fromkeys(faults)))


def _sensitive_paths(path: str, name: str, value: Any) -> Iterator[str]:
    """Yield where something sensitive stands; an object whose key is sensitive itself is named in the key's place."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if is_sensitive(key):
                yield path
            else:
                yield from _sensitive_paths(f"{path}.{printable_key(key)}", key, item)
    elif isinstance(value, list):
        found = [one for index, item in enumerate(value) for one in _sensitive_paths(f"{path}.{index}", name, item)]
        yield from found or ([path] if is_sensitive_list(name, value) else [])
    elif isinstance(value, str | int | float) and not isinstance(value, bool) and is_sensitive_as(name, str(value)):
        yield path

"""Parses a JSON body that may be hostile: bounded depth first, then values that Postgres can store.

orjson parses, and refuses bad UTF-8, NaN and lone surrogates. A suspicious body is parsed by the standard library as
well, which keeps big integers and surrogates, so that the answer can name the field.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import orjson

from memory_platform.api.config import API_CONFIG, BIGINT_LEAST, BIGINT_MOST
from memory_platform.kernel.character_checks import UNSTORABLE
from memory_platform.kernel.errors import FieldFault, InvalidInput

WHOLE_BODY = "body"
MALFORMED_JSON = "malformed_json"
SHOWN_KEY_CHARS = 100

# Possessive, and an unclosed string runs to the end of the body: otherwise a body of `\"\"\"…` is quadratic.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_LONG_NUMBER = re.compile(rb"[0-9]{19}")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]|\xed[\xa0-\xbf]")
_CHUNK = 65_536  # so that a body of nothing but brackets costs no memory of its size
_NOT_BRACKET = bytes(set(range(256)) - set(b"{}[]"))


def parse_json(body: bytes) -> Any:
    skeleton = _STRING.sub(b"", body)
    check_depth(skeleton)
    if _LONG_NUMBER.search(skeleton) or _SURROGATE.search(body) or b"\\u0000" in body:
        return _parse_slowly(body)
    value = _parse(body)
    if skeleton.count(b":") > API_CONFIG.keys_per_object:
        raise_if_faults(list(value_faults(value)))
    return value


def check_depth(skeleton: bytes) -> None:
    """Raise InvalidInput when brackets outside of strings are nested too deeply."""
    if skeleton.count(b"{") + skeleton.count(b"[") <= API_CONFIG.json_depth:
        return  # fewer than that cannot
    brackets = np.frombuffer(skeleton.translate(None, _NOT_BRACKET), dtype=np.uint8)
    depth = 0
    for start in range(0, brackets.size, _CHUNK):
        chunk = brackets[start : start + _CHUNK]
        levels = depth + np.cumsum(np.where((chunk == ord("{")) | (chunk == ord("[")), 1, -1))
        if int(levels.max()) > API_CONFIG.json_depth:
            raise_if_faults([FieldFault(WHOLE_BODY, "too_deep", f"Must have at most {API_CONFIG.json_depth} levels.")])
        depth = int(levels[-1])


def value_faults(value: Any, path: str = "") -> Iterator[FieldFault]:
    if isinstance(value, dict):
        yield from _object_faults(value, path)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from value_faults(item, f"{path}.{index}" if path else str(index))
    elif isinstance(value, str):
        if UNSTORABLE.search(value):
            yield FieldFault(path or WHOLE_BODY, "unstorable_character", "Must not contain a NUL or a lone surrogate.")
    elif isinstance(value, int) and not BIGINT_LEAST <= value <= BIGINT_MOST:
        yield FieldFault(path or WHOLE_BODY, "out_of_range", "Must fit into 64 bits.")


def raise_if_faults(faults: list[FieldFault]) -> None:
    if faults:
        raise InvalidInput(faults=faults[: API_CONFIG.page_default])


def _object_faults(value: dict[str, Any], path: str) -> Iterator[FieldFault]:
    if len(value) > API_CONFIG.keys_per_object:
        message = f"Must have at most {API_CONFIG.keys_per_object} keys."
        yield FieldFault(path or WHOLE_BODY, "too_many_keys", message)
        return
    for key, item in value.items():
        shown = printable_key(key)
        field = f"{path}.{shown}" if path else shown
        if UNSTORABLE.search(key):
            yield FieldFault(field, "unstorable_character", "The key must not contain a NUL or a lone surrogate.")
        yield from value_faults(item, field)


def printable_key(key: str) -> str:
    """Return the start of ``key`` without characters that cannot be encoded."""
    return UNSTORABLE.sub("\ufffd", key[:SHOWN_KEY_CHARS])


def _parse(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        message = f"Must be JSON in UTF-8; it is not at line {error.lineno}, column {error.colno}."
        raise InvalidInput(faults=[FieldFault(WHOLE_BODY, MALFORMED_JSON, message)]) from None


def _parse_slowly(body: bytes) -> Any:
    """Parse with the standard library, name the faults, and only then trust the fast parser."""
    try:
        raise_if_faults(list(value_faults(json.loads(body.decode("utf-8", "surrogatepass")))))
    except ValueError:  # malformed, bad UTF-8, or an integer of more than 4,300 digits
        message = "Must be JSON in UTF-8 with numbers of 64 bits."
        raise InvalidInput(faults=[FieldFault(WHOLE_BODY, MALFORMED_JSON, message)]) from None
    return _parse(body)

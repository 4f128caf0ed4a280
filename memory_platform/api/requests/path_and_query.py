"""Checks of path and query, which may be hostile bytes, and the converters of their parts: ``<product_id:x>`` (chosen
by the product), ``<own_id:x>`` (made here) and ``<version:x>``."""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote_to_bytes
from uuid import UUID

from django.http import HttpRequest
from django.urls import register_converter

from memory_platform.api.requests.json_guard import printable_key
from memory_platform.kernel.character_checks import has_control
from memory_platform.kernel.errors import FieldFault
from memory_platform.kernel.ids import stable_id
from memory_platform.kernel.product_ids import find_product_id_fault

UUID_CHARS = 36
VERSION_DIGITS = 9
PATH = "path"
QUERY = "query"
_REPERCENTED = re.compile("%[89A-F][0-9A-F]")


def target_faults(request: HttpRequest, kwargs: Mapping[str, Any]) -> list[FieldFault]:
    return [*_path_faults(request, kwargs), *_query_faults(request.META.get("QUERY_STRING", ""))]


def _path_faults(request: HttpRequest, kwargs: Mapping[str, Any]) -> Iterator[FieldFault]:
    for name, value in kwargs.items():
        found = find_product_id_fault(value) if isinstance(value, str) else None
        if found:
            yield FieldFault(name, *found)
            return
    raw = request.META.get("RAW_URI", "").partition("?")[0]
    if has_control(request.path_info) or not _is_utf8_path(raw, request.path_info):
        yield FieldFault(PATH, "malformed", "Must be percent-encoded UTF-8 without control characters.")
    elif "%2f" in raw.lower():
        yield FieldFault(PATH, "not_an_id", "An id must not contain '/', not even as %2F.")


def _is_utf8_path(raw: str, path: str) -> bool:
    """Return whether the path was UTF-8. Django writes broken bytes as ``%FF``, which may also be text of an id.
    gunicorn passes the original path (``raw``), which decides; without it such an id is refused."""
    if raw:
        return _is_utf8(unquote_to_bytes(raw))
    return _REPERCENTED.search(path) is None


def _query_faults(query: str) -> Iterator[FieldFault]:
    for pair in query.split("&") if query else ():
        name, _, value = pair.partition("=")
        raw = [unquote_to_bytes(part.replace("+", " ").encode("latin-1", "replace")) for part in (name, value)]
        field = printable_key(raw[0].decode("utf-8", "replace")) or QUERY
        if not all(map(_is_utf8, raw)) or any(has_control(part.decode()) for part in raw):
            yield FieldFault(field, "malformed", "Must be percent-encoded UTF-8 without control characters.")


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


class ProductIdConverter:
    """An id chosen by the product, in any script. The view checks it, so that a malformed one is 400, not 404."""

    regex = r"[^/]+"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class OwnIdConverter:
    """An id made here. It is opaque to callers, so that a malformed one is 404, not 400."""

    regex = r"[^/]+"

    def to_python(self, value: str) -> UUID:
        return own_id(value)

    def to_url(self, value: object) -> str:
        return str(value)


class VersionConverter:
    """A number from 1. A malformed one is 404, not 400."""

    regex = r"[^/]+"

    def to_python(self, value: str) -> int:
        return int(value) if value.isascii() and value.isdigit() and len(value) <= VERSION_DIGITS else 0

    def to_url(self, value: object) -> str:
        return str(value)


def own_id(value: str) -> UUID:
    """Return the UUID with the usual form ``value``, else one that no row has."""
    if len(value) == UUID_CHARS:
        try:
            return UUID(value)
        except ValueError:
            pass
    return stable_id("not-an-id-of-ours", value)


# Every view imports this module, so that the paths of a noun can be loaded alone.
register_converter(ProductIdConverter, "product_id")
register_converter(OwnIdConverter, "own_id")
register_converter(VersionConverter, "version")

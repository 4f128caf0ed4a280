"""Parts of paths: ``<product_id:x>`` (chosen by the product), ``<own_id:x>`` (made here) and ``<version:x>``."""

from uuid import UUID

from django.urls import register_converter

from memory_platform.api.requests.path_and_query import make_unused_id

UUID_CHARS = 36
VERSION_DIGITS = 9


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
    return make_unused_id(value)


# Every view imports this module, so that the paths of a noun can be loaded alone.
register_converter(ProductIdConverter, "product_id")
register_converter(OwnIdConverter, "own_id")
register_converter(VersionConverter, "version")

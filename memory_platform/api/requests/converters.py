"""Path parts: ``<product_id:x>``, an id that the product chose, ``<own_id:x>``, one that was made here, and
``<version:x>``, a number that was counted here."""

from uuid import UUID

from django.urls import register_converter

from memory_platform.api.requests.targets import id_nobody_has

UUID_CHARS = 36
VERSION_DIGITS = 9


class ProductIdConverter:
    """An id chosen by the product, in any script. The view checks its rules, so that a bad one is 400, not 404."""

    regex = r"[^/]+"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class OwnIdConverter:
    """An id made here. Callers must treat it as opaque, so anything else is an id that nothing has: 404, not 400."""

    regex = r"[^/]+"

    def to_python(self, value: str) -> UUID:
        return own_id(value)

    def to_url(self, value: object) -> str:
        return str(value)


class VersionConverter:
    """A number counted here, from 1; anything else is one that nothing has: 404, not 400."""

    regex = r"[^/]+"

    def to_python(self, value: str) -> int:
        return int(value) if value.isascii() and value.isdigit() and len(value) <= VERSION_DIGITS else 0

    def to_url(self, value: object) -> str:
        return str(value)


def own_id(value: str) -> UUID:
    """Return the UUID that ``value`` writes in its usual form, else one that no row has."""
    if len(value) == UUID_CHARS:
        try:
            return UUID(value)
        except ValueError:
            pass
    return id_nobody_has(value)


# At import, and every view imports this module: a noun's addresses can be read by themselves.
register_converter(ProductIdConverter, "product_id")
register_converter(OwnIdConverter, "own_id")
register_converter(VersionConverter, "version")

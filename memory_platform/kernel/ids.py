"""Identifiers: time-ordered for new rows, derived from content for rows that a retry must find again."""

from uuid import NAMESPACE_URL, UUID, uuid5

from uuid_utils.compat import uuid7

# Root of every derived id. Never change it: each retry would write a second row.
STABLE_NAMESPACE = uuid5(NAMESPACE_URL, "https://memory-platform.invalid/stable-id")


def new_id() -> UUID:
    """Return a UUIDv7: unique and ordered by creation time."""
    return uuid7()


def stable_id(*parts: object) -> UUID:
    """Return the UUIDv5 of ``parts``: the same parts always give the same id. Parts are joined by a character that no
    id may contain, so ("a", "bc") and ("ab", "c") differ."""
    return uuid5(STABLE_NAMESPACE, "\x1f".join(str(part) for part in parts))

"""Identifiers made here: time-ordered for new rows, derived for rows that a retry must meet again."""

from uuid import NAMESPACE_URL, UUID, uuid5

from uuid_utils.compat import uuid7

STABLE_NAMESPACE = uuid5(NAMESPACE_URL, "https://memory-platform.invalid/stable-id")
"""Root of every derived id. Changing it makes each retry write a second row: never change it."""


def new_id() -> UUID:
    """Return a UUIDv7: unique and ordered by the time of its making."""
    return uuid7()


def stable_id(*parts: object) -> UUID:
    """Return the UUIDv5 of ``parts``: the same parts always give the same id.

    Parts are joined by a character that no id may contain, so ("a", "bc") and ("ab", "c") differ.
    """
    return uuid5(STABLE_NAMESPACE, "\x1f".join(str(part) for part in parts))

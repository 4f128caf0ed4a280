"""Keyed hashes: what recognises a text or an id again without telling it, and what nobody else can write."""

import hashlib
import hmac

_APART = "\x1f"
"""Stands in no id and in no normalised text, so ("a", "bc") and ("ab", "c") differ."""


def derived_key(secret: str, purpose: str) -> bytes:
    """Return the key (32 bytes) for one purpose: what is known of one tells nothing of another."""
    return hmac.digest(secret.encode(), f"memory-platform/{purpose}".encode(), "sha256")


def keyed_digest(key: bytes, *parts: object) -> bytes:
    """Return the HMAC-SHA256 (32 bytes) of ``parts``; lone surrogates are hashed as they are."""
    return hmac.digest(key, _APART.join(map(str, parts)).encode("utf-8", "surrogatepass"), "sha256")


def key_name(key: bytes) -> str:
    """Return eight hex digits that name a key and do not tell it."""
    return hashlib.sha256(key).hexdigest()[:8]

"""Keyed hashes: recognise a text or an id without revealing it, and sign data against forgery."""

import hashlib
import hmac

# Occurs in no id and in no normalised text, so ("a", "bc") and ("ab", "c") differ.
_APART = "\x1f"


def derived_key(secret: str, purpose: str) -> bytes:
    """Return the key (32 bytes) for one purpose; the keys of different purposes are independent."""
    return hmac.digest(secret.encode(), f"memory-platform/{purpose}".encode(), "sha256")


def keyed_digest(key: bytes, *parts: object) -> bytes:
    """Return the HMAC-SHA256 (32 bytes) of ``parts``; lone surrogates are hashed as they are."""
    return hmac.digest(key, _APART.join(map(str, parts)).encode("utf-8", "surrogatepass"), "sha256")


def key_name(key: bytes) -> str:
    """Return eight hex digits that name a key without revealing it."""
    return hashlib.sha256(key).hexdigest()[:8]

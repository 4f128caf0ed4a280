"""A cache for pure functions of texts. It keeps digests, no texts.

The digest is keyed per process, so that it reveals nothing outside.
"""

import secrets
from collections.abc import Callable
from hashlib import blake2b
from typing import Generic, TypeVar

from memory_platform.kernel.lru_cache import LruCache

T = TypeVar("T")

_DIGEST_BYTES = 16
_KEYED = blake2b(key=secrets.token_bytes(_DIGEST_BYTES), digest_size=_DIGEST_BYTES)


class TextCache(Generic[T]):
    """Caches ``compute`` for the last ``most`` new texts. Thread-safe: two threads may compute the same."""

    def __init__(self, compute: Callable[[str], T], most: int) -> None:
        self._compute = compute
        # In a tuple, so that None is a result like any other.
        self._results: LruCache[bytes, tuple[T]] = LruCache(most)

    def __call__(self, text: str) -> T:
        digest = _KEYED.copy()
        digest.update(text.encode("utf-8", "surrogatepass"))
        key = digest.digest()
        result = self._results.get(key)
        if result is None:
            result = (self._compute(text),)
            self._results.put(key, result)
        return result[0]

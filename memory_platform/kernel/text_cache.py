"""A cache for pure functions of texts. It keeps digests, no texts.

The digest is keyed per process, so that it reveals nothing outside.
"""

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")

_MISSING: Any = object()
_DIGEST_BYTES = 16
_KEYED = blake2b(key=secrets.token_bytes(_DIGEST_BYTES), digest_size=_DIGEST_BYTES)


class ByText(Generic[T]):
    """Caches ``compute`` for the last ``most`` new texts. Thread-safe: two threads may compute the same."""

    def __init__(self, compute: Callable[[str], T], most: int) -> None:
        self._compute = compute
        self._most = most
        self._held: OrderedDict[bytes, T] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, text: str) -> T:
        digest = _KEYED.copy()
        digest.update(text.encode("utf-8", "surrogatepass"))
        key = digest.digest()
        held = self._held.get(key, _MISSING)
        if held is not _MISSING:
            return cast(T, held)
        found = self._compute(text)
        with self._lock:
            self._held[key] = found
            if len(self._held) > self._most:
                self._held.popitem(last=False)
        return found

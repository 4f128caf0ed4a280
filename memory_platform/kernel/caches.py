"""Caches of bounded size, safe between threads."""

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from hashlib import blake2b
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
T = TypeVar("T")

_DIGEST_BYTES = 16
_KEYED = blake2b(key=secrets.token_bytes(_DIGEST_BYTES), digest_size=_DIGEST_BYTES)


class LruCache(Generic[Key, Value]):
    """Holds values whose sizes add up to at most ``limit``; without ``size_of`` each value counts 1."""

    def __init__(self, limit: int, size_of: Callable[[Value], int] = lambda _: 1) -> None:
        self._limit = limit
        self._size_of = size_of
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._lock = threading.Lock()
        self.size = 0

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Key) -> Value | None:
        """Return the value of ``key`` and count it as used; None if the cache does not hold it."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: Key, value: Value, *, unless: Callable[[Value], bool] = lambda _: False) -> None:
        """Store ``value`` unless the present value says otherwise; one larger than the whole cache is not stored."""
        with self._lock:
            if key in self._values and unless(self._values[key]):
                return
            self._remove(key)
            size = self._size_of(value)
            if size > self._limit:
                return
            self._values[key] = value
            self.size += size
            while self.size > self._limit:
                self._remove(next(iter(self._values)))

    def clear(self) -> None:
        self.discard(lambda _: True)

    def discard(self, is_gone: Callable[[Key], bool]) -> None:
        """Remove the values of all keys for which ``is_gone`` holds."""
        with self._lock:
            for key in list(filter(is_gone, self._values)):
                self._remove(key)

    def _remove(self, key: Key) -> None:
        if key in self._values:
            self.size -= self._size_of(self._values.pop(key))


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

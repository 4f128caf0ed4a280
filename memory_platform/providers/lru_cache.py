"""A bounded, thread-safe cache; the least recently used value goes first."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LruCache(Generic[Key, Value]):
    """At most ``limit`` values."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held: OrderedDict[Key, Value] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._held)

    def get(self, key: Key) -> Value | None:
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def put(self, key: Key, value: Value) -> None:
        with self._lock:
            self._held[key] = value
            self._held.move_to_end(key)
            if len(self._held) > self._limit:
                self._held.popitem(last=False)

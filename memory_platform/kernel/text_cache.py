"""What a pure function says of texts, kept for the next time under a digest of each: no text is held.

The digest is keyed by the process, so that what is held tells nothing to who reads it elsewhere.
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
    """``compute`` of a text, computed once while the text is among the last ``most`` new ones. Safe between threads:
    two may compute the same."""

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

"""The images this process holds: least recently used out first, bounded by bytes, valid for one version only.

A hit yields ids, never text: texts come from the database under its row-level security, so that a fault here cannot
show one tenant's words to another.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from uuid import UUID

from snapshots.recall.loading.images import LoadedImage


@dataclass(frozen=True, slots=True)
class ImageKey:
    """Whose memory, in which embedding spaces (their names in order; empty without any)."""

    tenant_id: UUID
    subject_id: UUID
    spaces: str = ""


class ImageCache:
    """Safe to share between threads. Building happens outside: two threads may build the same image, one is kept."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._held: OrderedDict[ImageKey, LoadedImage] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    @property
    def nbytes(self) -> int:
        """Bytes of all images held, as they estimate themselves."""
        return self._bytes

    def __len__(self) -> int:
        return len(self._held)

    def held(self, key: ImageKey) -> LoadedImage | None:
        """Return what is held for ``key``, whatever its version: the caller compares it with the database's."""
        with self._lock:
            found = self._held.get(key)
            if found is not None:
                self._held.move_to_end(key)
            return found

    def put(self, key: ImageKey, loaded: LoadedImage) -> None:
        """Hold an image unless a later version is held; one larger than the whole cache is not held."""
        with self._lock:
            present = self._held.get(key)
            if present is not None and present.state.version > loaded.state.version:
                return
            self._remove(key)
            if loaded.nbytes > self._limit:
                return
            self._held[key] = loaded
            self._bytes += loaded.nbytes
            while self._bytes > self._limit:
                self._remove(next(iter(self._held)))

    def discard(self, tenant_id: UUID, subject_id: UUID) -> None:
        """Forget every image of one subject (erasure, tests)."""
        with self._lock:
            for key in [key for key in self._held if (key.tenant_id, key.subject_id) == (tenant_id, subject_id)]:
                self._remove(key)

    def clear(self) -> None:
        """Forget all images."""
        with self._lock:
            self._held.clear()
            self._bytes = 0

    def _remove(self, key: ImageKey) -> None:
        gone = self._held.pop(key, None)
        if gone is not None:
            self._bytes -= gone.nbytes


class KnownSubjects:
    """Ids of subjects by tenant and the product's own id, the least recently learnt out first. Safe between threads."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held: OrderedDict[tuple[UUID, str], UUID] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[UUID, str]) -> UUID | None:
        """Return the id as it was last seen; it may be erased since."""
        return self._held.get(key)

    def put(self, key: tuple[UUID, str], subject_id: UUID) -> None:
        """Remember an id."""
        with self._lock:
            self._held[key] = subject_id
            if len(self._held) > self._limit:
                self._held.popitem(last=False)

    def clear(self) -> None:
        """Forget all ids."""
        with self._lock:
            self._held.clear()

"""Limits on indexes of an earlier moment: each is built for one question, one at a time in a process."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from threading import BoundedSemaphore
from uuid import UUID

from memory_platform.kernel.errors import FieldFault, Refused, Unavailable
from memory_platform.postgres.prepared_statements import fetch_prepared
from snapshots.embedding.embedding_spaces import Embedders
from snapshots.recall.config import EARLIER, EarlierConfig
from snapshots.recall.values import RecallQuery
from tenants.isolation import current_tenant_id

# Sizes are read without the values.
SIZE = """
SELECT count(*), coalesce(sum(octet_length(words)), 0), (
  SELECT coalesce(sum(pg_column_size(v.fields) + octet_length(s.text) + pg_column_size(s.metadata)), 0)
  FROM snapshot_version v JOIN snapshot s ON s.tenant_id = v.tenant_id AND s.id = v.snapshot_id
  WHERE v.tenant_id = $1 AND v.subject_id = $2 AND v.retired_at > $3)
FROM snapshot_words WHERE tenant_id = $1 AND subject_id = $2
"""


class MemoryTooLarge(Refused):
    """The index of an earlier moment would take more memory than a process has for one question."""

    code = "memory_too_large"

    def __init__(self) -> None:
        message = "The subject has too many memories to recall an earlier moment. Ask without `known_at`."
        super().__init__("The memory is too large.", faults=[FieldFault("known_at", self.code, message)])


class BuildSlots:
    """Slots for questions that build an index. Safe between threads."""

    def __init__(self, config: EarlierConfig = EARLIER) -> None:
        self._seats = BoundedSemaphore(config.at_once)
        self._places = BoundedSemaphore(config.at_once + config.waiting)
        self._wait_s = config.wait_s

    @contextmanager
    def hold_slot(self, query: RecallQuery) -> Iterator[None]:
        """Hold a slot for the block if the question needs one; take it before a transaction opens.

        Raises Unavailable when none becomes free in time, and at once where the queue is full: waiting keeps a thread
        from other questions.
        """
        if query.known_at is None or not query.searches_index:
            yield
            return
        with _hold_semaphore(self._places, 0), _hold_semaphore(self._seats, self._wait_s):
            yield


@contextmanager
def _hold_semaphore(seats: BoundedSemaphore, wait_s: float) -> Iterator[None]:
    if not seats.acquire(timeout=wait_s):
        raise Unavailable("Too many questions about earlier moments at once. Try again in a moment.")
    try:
        yield
    finally:
        seats.release()


TURNS = BuildSlots()


def check_build_size(
    subject_id: UUID, embedders: Embedders, known_at: datetime, config: EarlierConfig = EARLIER
) -> None:
    """Raise MemoryTooLarge when an index of ``known_at`` would take too much memory. In the open scope."""
    ((rows, words, changed),) = fetch_prepared(SIZE, [current_tenant_id(), subject_id, known_at])
    vectors = config.dimension_bytes * sum(embedder.dimensions for embedder in embedders)
    needed = rows * (config.row_bytes + vectors) + config.word_bytes * words + config.changed_bytes * changed
    if needed > config.build_bytes:
        raise MemoryTooLarge

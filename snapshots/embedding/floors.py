"""From which cosine on nearness speaks for a memory: learnt from an embedding space's own vectors (R3, S5).

Most questions are as far from a memory that does not answer them as memories of different subjects are from each
other, the one without its date, as questions are. Vectors of two tenants never meet: each tenant's sample gives one
number in a scope of its own, and the floor is the mean of these, weighed by their pairs.
"""

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from django.db import Error
from django.db.models import BinaryField, F, Func
from pgvector import HalfVector

from memory_platform.kernel.ids import stable_id
from memory_platform.observability.logs import Event, log
from snapshots.embedding.backfill import in_use
from snapshots.embedding.policy import FLOOR, FloorPolicy
from snapshots.embedding.rows import Float32
from snapshots.models import EmbeddingSpace, SnapshotVector


@dataclass(frozen=True, slots=True)
class Unrelated:
    """A sample of pairs of memories that have nothing to do with each other: how many, and their cosine's percentile.

    The sum of two weighs each by its pairs.
    """

    pairs: int = 0
    cosine: float = 0.0

    def __add__(self, other: "Unrelated") -> "Unrelated":
        pairs = self.pairs + other.pairs
        weighed = self.pairs * self.cosine + other.pairs * other.cosine
        return Unrelated(pairs, weighed / pairs) if pairs else self

    def floor(self, policy: FloorPolicy = FLOOR) -> float | None:
        """Return the floor of the space; None where too few pairs speak."""
        return self.cosine if self.pairs >= policy.least_pairs else None


NO_PAIRS = Unrelated()


def sample_unrelated(space: UUID, policy: FloorPolicy = FLOOR, *, seed: int = 0) -> Unrelated:
    """Return what a sample of the tenant's memories in use says of ``space``, in the open scope.

    The same ``seed`` takes the same memories as long as none is added or leaves: answers must not change by the hour.
    """
    sent = (Func(F(view), function="halfvec_send", output_field=BinaryField()) for view in ("previous", "dated"))
    rows = SnapshotVector.objects.filter(in_use(), space_id=space).order_by("id")
    read = rows.values_list("subject_id", *sent)
    begin = stable_id("floor-sample", seed)  # ids are hashes: those that follow any point are a fair sample
    found = list(read.filter(id__gte=begin)[: policy.sample])
    found += read.filter(id__lt=begin)[: policy.sample - len(found)]
    if not found:
        return NO_PAIRS
    subjects, undated, dated = zip(*found, strict=True)
    return unrelated_pairs(subjects, _unit_rows(undated), _unit_rows(dated), policy)


def unrelated_pairs(subjects: Sequence[UUID], undated: Float32, dated: Float32, policy: FloorPolicy) -> Unrelated:
    """Compare each memory's undated vector with the dated ones of the other subjects; rows (n, d), unit or zero."""
    _, numbers = np.unique([str(subject) for subject in subjects], return_inverse=True)
    telling = np.outer(undated.any(axis=1), dated.any(axis=1))
    cosines = (undated @ dated.T)[telling & (numbers[:, None] != numbers)]
    return Unrelated(cosines.size, float(np.percentile(cosines, policy.percentile))) if cosines.size else NO_PAIRS


class LearntFloors:
    """The floors that the spaces have learnt, as this process last read them. Safe to share between threads."""

    def __init__(self, policy: FloorPolicy = FLOOR) -> None:
        self._kept_s = policy.kept.total_seconds()
        self._lock = threading.Lock()
        self._floors: Mapping[str, float] = {}
        self._read_at = -float("inf")

    def of(self, spaces: Iterable[str]) -> dict[str, float]:
        """Return the floors of those of ``spaces`` (names) that have learnt one. Without any it reads nothing."""
        wanted = set(spaces)
        if wanted and self._is_due():
            self.read()
        return {name: floor for name, floor in self._floors.items() if name in wanted}

    def read(self) -> None:
        """Read all floors now; while the database is away, what was read before holds on."""
        self._read_at = time.monotonic()
        try:
            known = EmbeddingSpace.objects.values_list("name", "similarity_floor")
            self._floors = {name: floor for name, floor in known if floor is not None}
        except Error as failed:
            log(Event.RECALL_DEGRADED, provider="embedding_space", error=type(failed).__name__)

    def _is_due(self) -> bool:
        """Return whether to read now; True for one of the threads that ask at once."""
        with self._lock:
            due = time.monotonic() - self._read_at >= self._kept_s
            if due:
                self._read_at = time.monotonic()
            return due


LEARNT_FLOORS = LearntFloors()
"""The floors that this process knows."""


def _unit_rows(sent: Sequence[bytes]) -> Float32:
    """Return pgvector's binary halfvecs as unit rows; zero where one says nothing (zero, not finite)."""
    rows = np.stack([HalfVector.from_binary(bytes(one)).to_numpy() for one in sent]).astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    usable = np.isfinite(lengths) & (lengths > 0)
    return np.where(usable, rows / np.where(usable, lengths, 1), np.float32(0))

"""From which cosine on nearness speaks for a memory: learnt from an embedding space's own vectors (R3, S5).

Most questions are as far from a memory that does not answer them as memories of different subjects are from each
other, the one without its date, as questions are. Vectors of two tenants never meet: each tenant's sample gives one
number in a scope of its own, and the floor is the lower median of these. No subject and no text weighs more than
others in a sample, and no tenant among the tenants: what somebody floods a memory with moves nobody else's answers.
"""

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from statistics import median_low
from uuid import UUID

import numpy as np
from django.db import Error
from django.db.models import BinaryField, BooleanField, ExpressionWrapper, F, Func, Q, Window
from django.db.models.functions import RowNumber
from pgvector import HalfVector

from memory_platform.kernel.ids import stable_id
from memory_platform.observability.logs import Event, log
from snapshots.embedding.policy import FLOOR, FloorPolicy
from snapshots.embedding.rows import Float32
from snapshots.embedding.upkeep.index_pages import in_use
from snapshots.models import EmbeddingSpace, Snapshot, SnapshotVector


@dataclass(frozen=True, slots=True)
class Unrelated:
    """A sample of pairs of a tenant's memories that have nothing to do with each other: how many, and their cosine's
    percentile."""

    pairs: int = 0
    cosine: float = 0.0


NO_PAIRS = Unrelated()


def floor_of(samples: Iterable[Unrelated], policy: FloorPolicy = FLOOR) -> float | None:
    """Return the floor of a space from one sample of each tenant; None where too few pairs speak.

    A floor that is too low leaves in what it could have left out; one that is too high hides memories. So of two in the
    middle the lower counts, and few tenants cannot teach a high one.
    """
    speaking = [sample for sample in samples if sample.pairs >= policy.tenant_pairs]
    if sum(sample.pairs for sample in speaking) < policy.least_pairs:
        return None
    highest = policy.highest if len(speaking) >= policy.agreeing else policy.highest_of_few
    return min(median_low(sample.cosine for sample in speaking), highest)


def sample_unrelated(space: UUID, policy: FloorPolicy = FLOOR, *, seed: int = 0) -> Unrelated:
    """Return what a sample of the tenant's memories in use says of ``space``, in the open scope.

    One memory of each subject, then the second of each, and so on; what says the same counts once. The same ``seed``
    takes the same memories as long as none is added or leaves: answers must not change by the hour.
    """
    sent = (Func(F(view), function="halfvec_send", output_field=BinaryField()) for view in ("previous", "dated"))
    chosen = SnapshotVector.objects.filter(id__in=_sampled(space, policy, seed)).order_by("id")
    found = _each_once(chosen.values_list("subject_id", *sent))
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
        self._policy = policy
        self._lock = threading.Lock()
        self._floors: Mapping[str, float] = {}
        self._due_at = -float("inf")

    def of(self, spaces: Iterable[str]) -> dict[str, float]:
        """Return the floors of those of ``spaces`` (names) that have learnt one. Without any it reads nothing."""
        wanted = set(spaces)
        if wanted and self._is_due():
            self.read()
        return {name: floor for name, floor in self._floors.items() if name in wanted}

    def read(self) -> None:
        """Read all floors now; while the database is away, what was read before holds on, and is soon read again."""
        try:
            known = EmbeddingSpace.objects.values_list("name", "similarity_floor")
            self._floors = {name: floor for name, floor in known if floor is not None}
        except Error as failed:
            log(Event.RECALL_DEGRADED, provider="embedding_space", error=type(failed).__name__)
            self._put_off(self._policy.tried_again)
        else:
            self._put_off(self._policy.kept)

    def _is_due(self) -> bool:
        """Return whether to read now; True for one of the threads that ask at once."""
        with self._lock:
            due = time.monotonic() >= self._due_at
            if due:
                self._put_off(self._policy.tried_again)
            return due

    def _put_off(self, wait: timedelta) -> None:
        self._due_at = time.monotonic() + wait.total_seconds()


LEARNT_FLOORS = LearntFloors()
"""The floors that this process knows."""


def _unit_rows(sent: Sequence[bytes]) -> Float32:
    """Return pgvector's binary halfvecs as unit rows; zero where one says nothing (zero, not finite)."""
    rows = np.stack([HalfVector.from_binary(bytes(one)).to_numpy() for one in sent]).astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    usable = np.isfinite(lengths) & (lengths > 0)
    return np.where(usable, rows / np.where(usable, lengths, 1), np.float32(0))


def _sampled(space: UUID, policy: FloorPolicy, seed: int) -> list[UUID]:
    """Return the ids of the memories in a sample of ``space``."""
    begin = stable_id("floor-sample", seed)  # ids are hashes: those that follow any point are a fair sample
    before = ExpressionWrapper(Q(id__lt=begin), BooleanField())
    turn = Window(RowNumber(), partition_by="subject_id", order_by=[before.asc(), "id"])
    rows = SnapshotVector.objects.filter(space_id=space).annotate(before=before, turn=turn)
    own_share = rows.filter(turn__lte=policy.subject_sample).order_by("turn", "before", "id")
    drawn = list(own_share.values_list("id", "snapshot_id")[: policy.sample])
    used = set(Snapshot.objects.filter(in_use(), id__in=[one for _, one in drawn]).values_list("id", flat=True))
    return [vector for vector, snapshot in drawn if snapshot in used]


def _each_once(rows: Iterable[tuple[UUID, bytes, bytes]]) -> list[tuple[UUID, bytes, bytes]]:
    """Return (subject, undated, dated) without those whose one or other vector an earlier one has."""
    seen: set[bytes] = set()
    kept = []
    for subject, *sent in rows:
        undated, dated = map(bytes, sent)
        if seen.isdisjoint((undated, dated)):
            kept.append((subject, undated, dated))
        seen |= {undated, dated}
    return kept

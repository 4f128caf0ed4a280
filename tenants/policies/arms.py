"""Assigns subjects to arms of an experiment: by a stable hash, in 100 buckets of equal size."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any
from uuid import UUID

BUCKETS = 100


@dataclass(frozen=True, slots=True)
class Arm:
    """One policy version for ``percent`` of all subjects: those in its buckets."""

    name: str
    policy_version: int
    percent: int
    buckets: tuple[int, ...] = ()


def compute_bucket(experiment_id: UUID, subject_external_id: str) -> int:
    """Return a subject's bucket, 0 to 99: uniform, permanent, and independent between experiments."""
    digest = blake2b(subject_external_id.encode("utf-8", "surrogatepass"), key=experiment_id.bytes, digest_size=8)
    return int.from_bytes(digest.digest()) % BUCKETS


def assign_buckets(arms: Sequence[Arm]) -> list[Arm]:
    """Return the arms with as many buckets as their percentage, moving as few as possible.

    A shrinking arm gives up its last buckets; free ones go to the growing arms, the lowest first. So an arm that keeps
    its percentage keeps every subject. Raises ValueError beyond 100.
    """
    if sum(arm.percent for arm in arms) > BUCKETS:
        raise ValueError("more than all subjects")
    kept = [arm.buckets[: arm.percent] for arm in arms]
    taken = {bucket for buckets in kept for bucket in buckets}
    free = iter([bucket for bucket in range(BUCKETS) if bucket not in taken])
    return [
        Arm(arm.name, arm.policy_version, arm.percent, (*have, *(next(free) for _ in range(arm.percent - len(have)))))
        for arm, have in zip(arms, kept, strict=True)
    ]


def list_owners(arms: Iterable[Arm]) -> dict[int, Arm]:
    """Return ``{bucket: arm}``; a bucket of no arm is missing."""
    return {bucket: arm for arm in arms for bucket in arm.buckets}


def arms_to_json(arms: Iterable[Arm]) -> list[dict[str, Any]]:
    return [
        {"name": arm.name, "policy_version": arm.policy_version, "percent": arm.percent, "buckets": list(arm.buckets)}
        for arm in arms
    ]


def read_arms(rows: Iterable[Mapping[str, Any]]) -> list[Arm]:
    return [Arm(one["name"], one["policy_version"], one["percent"], tuple(one["buckets"])) for one in rows]

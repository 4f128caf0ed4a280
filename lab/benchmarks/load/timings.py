"""Timings of a run from single answers: percentiles, medians over rounds, multiples of the floor."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

# Answers without which a percentile says nothing: it would be one of the slowest two.
LEAST_FOR = {95: 20, 99: 100}

ENDS = (50, 95, 99)


@dataclass(frozen=True, slots=True)
class Slice:
    """One cell in one round: milliseconds of each answer, seconds it took, CPU seconds of its clients.

    ``stages`` holds the milliseconds by stage that answers report; ``failed`` counts failed requests.
    """

    ms: tuple[float, ...]
    wall_s: float
    cpu_s: float = 0.0
    failed: int = 0
    stages: tuple[Mapping[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class CellTimings:
    """One cell of the table. ``p95_ms`` and ``p99_ms`` are None where there were too few answers to say."""

    answers: int
    rounds: int
    p50_ms: float
    p95_ms: float | None
    p99_ms: float | None
    per_second: float
    # CPU that all clients of the cell took together, in processors: 0.5 is half of one.
    client_cpu: float
    failed: int = 0
    stages_ms: Mapping[str, float] = field(default_factory=dict)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least ``share`` percent of ``values`` do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(math.ceil(share / 100 * len(ordered)), 1) - 1]


def cell_timings(slices: Sequence[Slice], *, pooled: bool = False) -> CellTimings | None:
    """Return medians over the rounds; with ``pooled`` the percentiles of all answers together, for a few a round.

    None when nothing was answered.
    """
    answered = [one for one in slices if one.ms]
    if not answered:
        return None
    groups = [[ms for one in answered for ms in one.ms]] if pooled else [list(one.ms) for one in answered]
    p50, p95, p99 = (_median(groups, share) for share in ENDS)
    told = [stages for one in answered for stages in one.stages]
    names = dict.fromkeys(name for stages in told for name in stages)
    return CellTimings(
        answers=sum(len(one.ms) for one in answered),
        rounds=len(answered),
        p50_ms=p50 or 0.0,
        p95_ms=p95,
        p99_ms=p99,
        per_second=median(len(one.ms) / one.wall_s for one in answered),
        client_cpu=median(one.cpu_s / one.wall_s for one in answered),
        failed=sum(one.failed for one in slices),
        stages_ms={name: median(stages[name] for stages in told if name in stages) for name in names},
    )


def ratio(value: float | None, floor: float | None) -> float | None:
    return value / floor if value is not None and floor else None


def _median(groups: Sequence[Sequence[float]], share: int) -> float | None:
    """Return the median over all groups, or None: some of them alone could put a percentile below a lower one."""
    if min(map(len, groups)) < LEAST_FOR.get(share, 1):
        return None
    return median(percentile(group, share) for group in groups)

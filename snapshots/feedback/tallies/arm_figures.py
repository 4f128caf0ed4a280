"""How well each arm of an experiment served: shares of counts, each with its confidence interval.

The intervals take every memory for an independent draw. Memories of one subject are alike, so with few subjects the
true intervals are wider.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import sqrt
from typing import Any

from django.db.models import Max, QuerySet, Sum

from snapshots.models import Indicator

# Quantile of the normal distribution: 95 of a hundred intervals hold the true share.
Z_95_PERCENT = 1.959964
COUNTS = (
    "contexts",
    "degraded",
    "injected",
    "replied",
    "utilised",
    "judged",
    "positive",
    "corrected",
    "stale",
    "tokens",
    "tokens_full_history",
    "fast_lane_changes",
)


@dataclass(frozen=True, slots=True)
class ShareEstimate:
    """``count`` out of ``of``, with the 95 % confidence interval of the true share. None of 0."""

    count: int
    of: int
    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class ArmFigures:
    """Figures of one arm and policy version.

    ``precision``: positive among judged; ``utilisation``: used among memories with a known reply; ``correction``:
    corrected among judged; ``staleness``: not validated for 30 days, among injected; ``degraded``: among contexts.
    ``fast_lane_p95_ms`` is that of the worst day.
    """

    arm: str
    policy_version: str
    contexts: int
    precision: ShareEstimate
    utilisation: ShareEstimate
    correction: ShareEstimate
    staleness: ShareEstimate
    degraded: ShareEstimate
    tokens_per_context: float | None
    saved_ratio: float | None
    fast_lane_changes: int
    fast_lane_p95_ms: float | None


def estimate_share(count: int, of: int) -> ShareEstimate:
    """Return the share ``count / of`` with Wilson's score interval. Source: E. B. Wilson, JASA 22 (1927) 209."""
    if of <= 0:
        return ShareEstimate(count, of)
    share = count / of
    spread = Z_95_PERCENT * sqrt(share * (1 - share) / of + Z_95_PERCENT * Z_95_PERCENT / (4 * of * of))
    middle, scale = share + Z_95_PERCENT * Z_95_PERCENT / (2 * of), 1 + Z_95_PERCENT * Z_95_PERCENT / of
    low, high = max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)
    return ShareEstimate(count, of, round(share, 4), round(low, 4), round(high, 4))


def load_arm_figures(experiment: str) -> list[ArmFigures]:
    return _sum_figures(Indicator.objects.filter(experiment=experiment), "arm", "policy_version")


def load_version_figures(numbers: Iterable[int]) -> list[ArmFigures]:
    """Return the figures of policy versions over all their days, whatever the arm; ``arm`` is ""."""
    return _sum_figures(Indicator.objects.filter(policy_version__in=[str(one) for one in numbers]), "policy_version")


def _sum_figures(days: QuerySet[Indicator], *groups: str) -> list[ArmFigures]:
    rows: Any = days.order_by().values(*groups)
    counted = rows.annotate(**{name: Sum(name) for name in COUNTS}, p95=Max("fast_lane_p95_ms"))
    return list(_build_figures(counted.order_by(*groups)))


def _build_figures(rows: Iterable[dict[str, Any]]) -> Iterator[ArmFigures]:
    for row in rows:
        n = {name: int(row[name] or 0) for name in COUNTS}
        p95, full = row["p95"], n["tokens_full_history"]
        yield ArmFigures(
            arm=str(row.get("arm", "")),
            policy_version=str(row["policy_version"]),
            contexts=n["contexts"],
            precision=estimate_share(n["positive"], n["judged"]),
            utilisation=estimate_share(n["utilised"], n["replied"]),
            correction=estimate_share(n["corrected"], n["judged"]),
            staleness=estimate_share(n["stale"], n["injected"]),
            degraded=estimate_share(n["degraded"], n["contexts"]),
            tokens_per_context=round(n["tokens"] / n["contexts"], 1) if n["contexts"] else None,
            saved_ratio=round(max(0.0, 1 - n["tokens"] / full), 4) if full else None,
            fast_lane_changes=n["fast_lane_changes"],
            fast_lane_p95_ms=round(p95, 1) if p95 is not None else None,
        )

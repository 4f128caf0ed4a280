"""The main figures of a policy version beside those of the version before it: what it has changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Sum

from memory_platform.console.figures.daily_indicators import SHARE_TITLES, compute_share, format_percent
from memory_platform.console.policies.policy_history import load_active_spells
from snapshots.feedback.tallies.arm_figures import COUNTS, ShareEstimate
from snapshots.models import Indicator

MAIN_FIGURES = ("precision", "utilisation", "correction", "staleness")


@dataclass(frozen=True, slots=True)
class VersionEffect:
    """``rows``: title of a figure, its value under version ``before``, and under the version itself."""

    before: int
    rows: Sequence[tuple[Any, str, str]]


def load_version_effect(version: Any) -> VersionEffect | None:
    """Return the figures of a version that has answered, and of the one it replaced; None for any other. Three
    queries."""
    before = _find_replaced(version.number)
    if before is None:
        return None
    rows: Any = Indicator.objects.filter(policy_version__in=[str(before), str(version.number)]).order_by()
    sums = {row["policy_version"]: row for row in rows.values("policy_version").annotate(**{n: Sum(n) for n in COUNTS})}
    old, new = sums.get(str(before)), sums.get(str(version.number))
    if old is None or new is None:
        return None
    told = [
        (SHARE_TITLES[name][0], _describe(compute_share(name, old)), _describe(compute_share(name, new)))
        for name in MAIN_FIGURES
    ]
    return VersionEffect(before, told)


def _find_replaced(number: int) -> int | None:
    """Return the version that was active until this one was first."""
    spells = load_active_spells()
    if number not in spells:
        return None
    since = spells[number][0].since
    return next((other for other, held in spells.items() if any(one.until == since for one in held)), None)


def _describe(share: ShareEstimate) -> str:
    """Return a share with its range and of how many it is, as one cannot tell a difference without them."""
    if share.value is None:
        return format_percent(None)
    return (
        f"{format_percent(share.value)} ({format_percent(share.low)} – {format_percent(share.high)}, n = {share.of:,})"
    )

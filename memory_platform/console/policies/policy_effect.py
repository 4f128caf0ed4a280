"""The main figures of a policy version beside those of the version before it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memory_platform.console.policies.experiments.experiment_figures import INDICATORS, render_share
from memory_platform.console.policies.policy_history import load_active_spells
from snapshots.feedback.tallies.arm_figures import load_version_figures


@dataclass(frozen=True, slots=True)
class VersionEffect:
    """``rows``: name of a figure and its meaning, its value under version ``before``, and under the version itself."""

    before: int
    rows: Sequence[tuple[Any, Any, str, str]]


def load_version_effect(number: int) -> VersionEffect | None:
    """Return the figures of a version that has answered beside those of the one it replaced; None for any other. Three
    queries."""
    before = _find_replaced(number)
    if before is None:
        return None
    figures = {one.policy_version: one for one in load_version_figures((before, number))}
    old, new = figures.get(str(before)), figures.get(str(number))
    if old is None or new is None:
        return None
    rows = [
        (label, what, render_share(getattr(old, name)), render_share(getattr(new, name)))
        for name, label, what in INDICATORS
    ]
    return VersionEffect(before, rows)


def _find_replaced(number: int) -> int | None:
    """Return the version that was active until this one was first."""
    spells = load_active_spells()
    if number not in spells:
        return None
    since = spells[number][0].since
    return next((other for other, held in spells.items() if any(one.until == since for one in held)), None)

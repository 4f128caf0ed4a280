"""The numbers of a policy that are tuned: the values tried, and how a policy takes one."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lab.evaluation.config import GRIDS, GridConfig
from lab.evaluation.ranking.inputs import LoadedSubject
from snapshots.recall.config import RecallPolicy

# One value for each tunable, by name.
TunedValues = Mapping[str, float]

RECENCY = "recency_values"
DENSE_WEIGHT = "dense_weights"


@dataclass(frozen=True, slots=True)
class Tunable:
    """One number that is searched.

    ``grid`` holds the values tried, rising; ``plain`` is the value of a policy that nobody fitted to anything; ``read``
    takes it from a policy, ``put`` returns the policy with another one.
    """

    grid: tuple[float, ...]
    plain: float
    read: Callable[[RecallPolicy], float]
    put: Callable[[RecallPolicy, float], RecallPolicy]

    def list_values(self, now: float, *, near: bool) -> list[float]:
        """Return the values to try instead of ``now``: all of the grid, or only the next on either side."""
        others = [value for value in self.grid if value != now]
        if not near:
            return others
        below, above = [value for value in others if value < now], [value for value in others if value > now]
        return below[-1:] + above[:1]


def list_tunables(subjects: Iterable[LoadedSubject], grids: GridConfig = GRIDS) -> Mapping[str, Tunable]:
    """Return the numbers that are tuned, in the order of the search.

    The first view stays as it is: of weights only their ratio counts. The spaces are those of ``subjects``.
    """
    spaces = sorted({space.name for subject in subjects for space in subject.index.spaces})
    return {
        **{name: _make_scoring_tunable(name, grids.view) for name in ("keyword_window", "keyword_sitting")},
        **{name: _make_scoring_tunable(name, grids.view) for name in ("dense_dated", "dense_continued")},
        **{f"{DENSE_WEIGHT}: {space}": _make_space_tunable(space, grids.space) for space in spaces},
        **{name: _make_scoring_tunable(name, grids.smoothing) for name in ("smooth_previous", "smooth_next")},
        "related_share": _make_scoring_tunable("related_share", grids.related_share),
        "related_cosine": _make_scoring_tunable("related_cosine", grids.related_cosine, plain=grids.related_cosine[0]),
        "sentence_decay": _make_scoring_tunable("sentence_decay", grids.decay, plain=1.0),
        **{
            name: _make_scoring_tunable(name, grids.preference)
            for name in ("named_speaker", "named_time", "said_in_time")
        },
        "said_after_days": _make_scoring_tunable("said_after_days", grids.days),
        "said_recently": _make_scoring_tunable("said_recently", grids.hint),
        **{name: _make_scoring_tunable(name, grids.hint) for name in ("asking", "longer")},
        RECENCY: Tunable(grids.recency, 0.0, read=lambda _: 1.0, put=_scale_recency),
    }


def apply_values(policy: RecallPolicy, tunables: Mapping[str, Tunable], point: TunedValues) -> RecallPolicy:
    for name, tunable in tunables.items():
        if point[name] != tunable.read(policy):
            policy = tunable.put(policy, point[name])
    return policy


def _make_scoring_tunable(name: str, grid: tuple[float, ...], *, plain: float = 0.0) -> Tunable:
    def put(policy: RecallPolicy, value: float) -> RecallPolicy:
        changed: dict[str, Any] = {name: value}
        return replace(policy, scoring=replace(policy.scoring, **changed))

    return Tunable(grid, plain, read=lambda policy: float(getattr(policy.scoring, name)), put=put)


def _make_space_tunable(space: str, grid: tuple[float, ...]) -> Tunable:
    def put(policy: RecallPolicy, value: float) -> RecallPolicy:
        weights = {**dict(policy.scoring.dense_weights), space: value}
        return replace(policy, scoring=replace(policy.scoring, dense_weights=tuple(weights.items())))

    return Tunable(grid, 1.0, read=lambda policy: dict(policy.scoring.dense_weights).get(space, 1.0), put=put)


def _scale_recency(policy: RecallPolicy, strength: float) -> RecallPolicy:
    """Return ``policy`` with its recency to the power of ``strength``: 0 switches it off, 2 doubles it."""
    values = tuple(math.pow(value, strength) for value in policy.ranking.recency_values)
    return replace(policy, ranking=replace(policy.ranking, recency_values=values))

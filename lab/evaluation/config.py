"""Numbers of the evaluation: how it counts, how sure it has to be, how far it searches."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import assumed, measured, promised


@dataclass(frozen=True, slots=True)
class CountingConfig:
    """When evidence counts as found. Another value makes figures that no earlier run can be compared with."""

    # The K of Recall@K and hit@K.
    depths: tuple[int, ...] = promised((5, 10, 20, 50))
    # The K of NDCG and of "all evidence".
    judged_depth: int = promised(10)
    # Units (words, Chinese characters) in one piece of an evidence turn.
    shingle: int = promised(3)
    # Share of an evidence turn's pieces from which on the turn is present.
    share: float = promised(0.6)
    tokens_per_word: float = promised(1.3)
    tokens_per_character: float = promised(1.0)


COUNTING = CountingConfig()


@dataclass(frozen=True, slots=True)
class BootstrapConfig:
    """The interval around a difference between two policies."""

    level: float = promised(0.95)
    resamples: int = measured(
        2_000, source="locomo-dev, dense lane off, 20 seeds: an interval's ends lie within 0.0023; of 10,000, 0.0018"
    )
    seed: int = promised(20_260_501)


BOOTSTRAP = BootstrapConfig()


_GRID = {"owner": "evaluation", "settle_by": "whether finer steps find more on held-out subjects"}


@dataclass(frozen=True, slots=True)
class GridConfig:
    """The values that a search for better weights tries, rising. Zero is "off" wherever it stands."""

    # Beside the first view's 0.35.
    view: tuple[float, ...] = assumed((0.0, 0.15, 0.3, 0.5), **_GRID)
    space: tuple[float, ...] = assumed((0.5, 1.0, 1.5, 2.0), **_GRID)
    smoothing: tuple[float, ...] = assumed((0.0, 0.15, 0.3, 0.45), **_GRID)
    related_share: tuple[float, ...] = assumed((0.0, 0.25, 0.5, 1.0), **_GRID)
    related_cosine: tuple[float, ...] = assumed((0.35, 0.45, 0.6), **_GRID)
    decay: tuple[float, ...] = assumed((0.5, 0.65, 0.8, 1.0), **_GRID)
    # In standard deviations of a view.
    preference: tuple[float, ...] = assumed((0.0, 0.5, 1.0, 1.5), **_GRID)
    hint: tuple[float, ...] = assumed((0.0, 0.1, 0.2, 0.3), **_GRID)
    days: tuple[float, ...] = assumed((0.0, 7.0, 14.0, 30.0), **_GRID)
    # Powers of the policy's own steps.
    recency: tuple[float, ...] = assumed((0.0, 1.0, 2.0), **_GRID)


GRIDS = GridConfig()


@dataclass(frozen=True, slots=True)
class TuningConfig:
    """How far a search for better weights goes."""

    # The first tries whole grids, the others the next values on either side.
    rounds: int = assumed(2, owner="evaluation", settle_by="whether a third round changes a weight on real data")
    # In mean coverage: a value that gains less is not learnt.
    least_gain: float = assumed(0.001, owner="evaluation", settle_by="what smaller gains keep on held-out subjects")
    # At most; with fewer subjects each is left out once.
    folds: int = assumed(5, owner="evaluation", settle_by="data sets of so many subjects that leaving one out is slow")


TUNING = TuningConfig()

"""Numbers of the evaluation: how it counts, how sure it has to be, how far it searches."""

from dataclasses import dataclass

from memory_platform.kernel.policy import assumed, measured, promised


@dataclass(frozen=True, slots=True)
class CountingPolicy:
    """When evidence counts as found. Another value makes figures that no earlier run can be compared with."""

    depths: tuple[int, ...] = promised((5, 10, 20, 50), row="D4")
    """The K of Recall@K and hit@K."""
    judged_depth: int = promised(10, row="D4")
    """The K of NDCG and of "all evidence"."""
    shingle: int = promised(3, row="D4")
    """Units (words, Chinese characters) in one piece of an evidence turn."""
    share: float = promised(0.6, row="D4")
    """Share of an evidence turn's pieces from which on the turn is present."""
    tokens_per_word: float = promised(1.3, row="D4")
    tokens_per_character: float = promised(1.0, row="D4")


COUNTING = CountingPolicy()


@dataclass(frozen=True, slots=True)
class BootstrapPolicy:
    """The interval around a difference between two policies."""

    level: float = promised(0.95, row="D4")
    resamples: int = measured(
        2_000, source="locomo-dev, dense lane off, 20 seeds: an interval's ends lie within 0.0023; of 10,000, 0.0018"
    )
    seed: int = promised(20_260_501, row="D4: the same rows give the same interval")


BOOTSTRAP = BootstrapPolicy()


@dataclass(frozen=True, slots=True)
class TuningPolicy:
    """How far a search for better weights goes."""

    factors: tuple[float, ...] = assumed(
        (0.0, 0.5, 0.75, 1.5, 2.0), owner="evaluation", settle_by="whether finer steps find more on held-out subjects"
    )
    """What each weight is multiplied by in turn."""
    rounds: int = assumed(2, owner="evaluation", settle_by="whether a third round changes a weight on real data")
    folds: int = assumed(5, owner="evaluation", settle_by="data sets of so many subjects that leaving one out is slow")
    """At most; with fewer subjects each is left out once."""


TUNING = TuningPolicy()

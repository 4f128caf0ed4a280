"""Numbers of the evaluation: how it counts."""

from dataclasses import dataclass

from memory_platform.kernel.policy import promised


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

"""The numbers of relevance, each with where it comes from."""

from dataclasses import dataclass

from memory_platform.kernel.policy import assumed, measured

ENCODER_SPACE, DIMENSIONS = "use-multilingual-v3", 512
"""The embedding space that the readers were taught in, and the length of its vectors."""

_STATEMENTS = (
    'madial-zh-dev, all 80 questions: logistic regression of "is evidence" on the z-score and the logarithm of the '
    "number of memories, whose weight came out as -0.98 and is -1 here: how many memories help does not depend on how "
    "many there are"
)


@dataclass(frozen=True, slots=True)
class RelevancePolicy:
    """How scores become probabilities."""

    statement_slope: float = measured(1.3, source=_STATEMENTS)
    """What one standard deviation of a statement's fused score adds to the logarithm of its odds."""
    statement_base: float = measured(-0.2, source=_STATEMENTS)
    """The logarithm of the odds of a statement of average score, were it the only one."""
    asked_reply: float = assumed(2.0, owner="recall", settle_by="labelled questions about what the assistant said")
    """Added to the logarithm of a reply's odds where the question asks for what the assistant said."""
    strict_relevance: float = assumed(0.5, owner="recall", settle_by="PrecisionMemBench, strict")
    """From which relevance on a strict question takes what it does not name."""
    strict_words: float = assumed(2.0, owner="recall", settle_by="PrecisionMemBench, strict")
    """From which BM25 on a strict question names a memory: one rare word of it in thirty memories gives 3."""


RELEVANCE = RelevancePolicy()

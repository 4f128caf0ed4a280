"""Numbers of statements and extractive summaries, each with its source."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import assumed, promised


@dataclass(frozen=True, slots=True)
class SummaryConfig:
    """Limits of extractive summaries. Importance is 0..1."""

    segment_over_turns: int = promised(20)
    segment_turns: int = assumed(10, owner="understanding", settle_by="recall_eval with segments of 5, 10 and 20 turns")
    max_tokens: int = promised(200)
    max_chars_zh: int = promised(100)
    max_sentences: int = assumed(6, owner="understanding", settle_by="answer judging with a model")
    max_topics: int = assumed(5, owner="understanding", settle_by="topic filter use in receipts")
    base_importance: float = assumed(0.3, owner="understanding", settle_by="utilisation by importance")
    importance_per_cue: float = assumed(0.15, owner="understanding", settle_by="utilisation by importance")


SUMMARY = SummaryConfig()

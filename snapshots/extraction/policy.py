"""Every tunable number of the extraction room, with where it comes from."""

from dataclasses import dataclass
from datetime import timedelta

from memory_platform.kernel.policy import assumed, measured, promised


@dataclass(frozen=True, slots=True)
class ExtractionPolicy:
    """Limits and confidences of rule-based extraction. Lengths are characters, confidences 0..1."""

    max_analysed_chars: int = assumed(4_000, owner="extraction", settle_by="share of pasted documents among messages")
    fast_lane_chars: int = measured(
        1_000, source="locomo-dev: longest of 1,972 messages 479; 4,000 hostile characters cost 0.8 s of a request"
    )
    max_sentence_chars: int = measured(600, source="locomo-dev: longest of 1,972 messages 479; clauses are few so far")
    max_clause_chars: int = measured(300, source="locomo-dev: longest of 1,972 messages 479, longest clause 214")
    max_candidates: int = measured(
        64, source="tests/golden/extraction.jsonl: most in one message 4; writing one takes the worker 8 ms"
    )
    fast_lane_batch_chars: int = measured(
        8_000, source="200 hostile messages of 1,000 characters held a request for minutes, 8,000 cost 0.3 s"
    )
    fast_lane_changes: int = measured(
        10,
        source="300 held values, busy machine: a request with 1 change takes 0.1 s, with 10 0.5 to 0.8, with 20 over 1",
    )
    shown_within: timedelta = assumed(
        timedelta(hours=24), owner="extraction", settle_by="pauses between an answer and its correction"
    )
    max_thing_words: int = measured(6, source="tests/golden/extraction.jsonl: longest right answer is 5 words")
    max_thing_chars_zh: int = measured(14, source="tests/golden/extraction.jsonl: longest right answer is 7 characters")
    max_value_chars: int = assumed(200, owner="extraction", settle_by="review queue of rejected candidates")
    fact_confidence: float = assumed(0.9, owner="extraction", settle_by="calibration from receipts (E4)")
    explicit_confidence: float = assumed(0.9, owner="extraction", settle_by="calibration from receipts (E4)")
    change_confidence: float = promised(0.9, row="G4")
    observation_ceiling: float = promised(0.6, row="P5")
    analysis_ceiling: float = promised(0.8, row="P5")
    confirmed_ceiling: float = promised(1.0, row="P5")


@dataclass(frozen=True, slots=True)
class DoubtPolicy:
    """What waits for a person instead of being written. Confidences 0..1."""

    least_confidence: float = assumed(
        0.35, owner="extraction", settle_by="share of unsure candidates that are approved"
    )
    plain_confidence: float = assumed(0.75, owner="extraction", settle_by="share of contradictions that are approved")
    """From here on, a new value takes the place of another that is known in the same way."""


@dataclass(frozen=True, slots=True)
class SummaryPolicy:
    """Limits of the extractive conversation snapshot. Importance is 0..1."""

    segment_over_turns: int = promised(20, row="S1")
    segment_turns: int = assumed(10, owner="extraction", settle_by="recall_eval with segments of 5, 10 and 20 turns")
    max_tokens: int = promised(200, row="S1")
    max_chars_zh: int = promised(100, row="S1")
    max_sentences: int = assumed(6, owner="extraction", settle_by="answer judging with a model (D4)")
    max_topics: int = assumed(5, owner="extraction", settle_by="topic filter use in receipts")
    base_importance: float = assumed(0.3, owner="extraction", settle_by="utilisation by importance (G2)")
    importance_per_cue: float = assumed(0.15, owner="extraction", settle_by="utilisation by importance (G2)")


EXTRACTION = ExtractionPolicy()
DOUBT = DoubtPolicy()
SUMMARY = SummaryPolicy()

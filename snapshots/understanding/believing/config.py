"""Numbers of extraction and doubt, each with its source."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import assumed, measured, promised


@dataclass(frozen=True, slots=True)
class ExtractionConfig:
    """Limits and confidences of extraction by patterns. Lengths are characters, confidences 0..1."""

    max_analysed_chars: int = assumed(
        4_000, owner="understanding", settle_by="share of pasted documents among messages"
    )
    fast_lane_chars: int = measured(
        1_000, source="locomo-dev: longest of 1,972 messages 479; 4,000 hostile characters cost 0.8 s of a request"
    )
    max_sentence_chars: int = measured(600, source="locomo-dev: longest of 1,972 messages 479; clauses are few so far")
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
    max_value_chars: int = assumed(200, owner="understanding", settle_by="review queue of rejected candidates")
    change_confidence: float = promised(0.9)
    observation_ceiling: float = promised(0.6)
    analysis_ceiling: float = promised(0.8)
    confirmed_ceiling: float = promised(1.0)


@dataclass(frozen=True, slots=True)
class DoubtConfig:
    """When a candidate waits for review. Confidences 0..1."""

    least_confidence: float = assumed(
        0.35, owner="understanding", settle_by="share of unsure candidates that are approved"
    )
    # From this confidence on, a new value replaces one of the same provenance.
    plain_confidence: float = assumed(
        0.75, owner="understanding", settle_by="share of contradictions that are approved"
    )


EXTRACTION = ExtractionConfig()
DOUBT = DoubtConfig()

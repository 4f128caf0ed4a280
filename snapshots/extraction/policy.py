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
    implicit_confidence: float = assumed(0.5, owner="extraction", settle_by="calibration from receipts (E4)")
    change_confidence: float = promised(0.9, row="G4")
    observation_ceiling: float = promised(0.6, row="P5")
    analysis_ceiling: float = promised(0.8, row="P5")
    confirmed_ceiling: float = promised(1.0, row="P5")


@dataclass(frozen=True, slots=True)
class ReadingPolicy:
    """Extraction with a model. Lengths are characters."""

    calls: int = assumed(4, owner="extraction", settle_by="time of one batch with a real model")
    """Of one batch of work; what is behind them goes back and is claimed again."""
    messages: int = assumed(20, owner="extraction", settle_by="precision of a real model by messages in a question")
    """In one question."""
    chars: int = assumed(12_000, owner="extraction", settle_by="precision of a real model by length of the question")
    message_chars: int = assumed(4_000, owner="extraction", settle_by="share of pasted documents among messages")


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


@dataclass(frozen=True, slots=True)
class RunningPolicy:
    """The running summary of a long conversation (C4). Lengths are characters where not said otherwise."""

    turns: int = promised(10, row="C4")
    """User messages between two summaries."""
    turns_shown: int = promised(3, row="C4")
    tool_chars: int = promised(500, row="C4")
    over_share: float = promised(0.5, row="C4")
    budget: int = assumed(400, owner="extraction", settle_by="share of contexts whose summary section is cut at 500")
    """Tokens by estimate."""
    words: int = assumed(250, owner="extraction", settle_by="length of model summaries against their budget")
    tolerated: float = assumed(1.5, owner="extraction", settle_by="length of model summaries against their budget")
    from_source: float = assumed(0.4, owner="extraction", settle_by="words of model summaries that nobody had said")
    """Of a model's words, the share that has to stand in what it read."""
    user_weight: float = assumed(1.5, owner="extraction", settle_by="answer judging with a model (D4)")
    kept_before: float = assumed(0.5, owner="extraction", settle_by="answer judging with a model (D4)")
    line_chars: int = assumed(300, owner="extraction", settle_by="longest sentence of real messages")
    messages_read: int = assumed(400, owner="extraction", settle_by="longest stretch of a real conversation")
    prompt_chars: int = assumed(24_000, owner="extraction", settle_by="context length of small configured models")


@dataclass(frozen=True, slots=True)
class EchoPolicy:
    """When words of a message are taken for an echo of what a prompt showed (S6). Lengths are characters."""

    held_share: float = measured(
        0.5, source="tests/golden/echoes.jsonl: up to 0.5 all 123 are read rightly, 2 not at 0.6, 6 not at 1"
    )
    """Of the words of a memory, or of the part of it that is said again."""
    strange_pairs: float = measured(
        0.5, source="tests/golden/echoes.jsonl: from 0.3 on all 123 are read rightly, 1 not at 0.2, 6 not at 0"
    )
    """Of a sentence's pairs of Chinese characters, the share that the memory may lack: the order may differ."""
    sentence_chars: int = assumed(600, owner="extraction", settle_by="longest sentence of real answers")
    message_chars: int = assumed(20_000, owner="extraction", settle_by="lengths of real answers")
    memory_chars: int = assumed(2_000, owner="extraction", settle_by="lengths of injected memories")
    memories: int = assumed(500, owner="extraction", settle_by="memories that a conversation's prompts held")
    """Read at once, those shown last first."""
    receipts: int = assumed(30, owner="extraction", settle_by="how far back what is said again was shown")
    receipts_of_conversation: int = assumed(200, owner="extraction", settle_by="prompts of real conversations")
    prompts: int = assumed(3, owner="extraction", settle_by="which prompts products send back as messages")
    within: timedelta = assumed(
        timedelta(days=7), owner="extraction", settle_by="time between a prompt and what comes back of it"
    )


EXTRACTION = ExtractionPolicy()
READING = ReadingPolicy()
RUNNING = RunningPolicy()
DOUBT = DoubtPolicy()
SUMMARY = SummaryPolicy()
ECHO = EchoPolicy()

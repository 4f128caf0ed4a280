"""Tunable numbers of running summaries."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import assumed, promised


@dataclass(frozen=True, slots=True)
class RunningConfig:
    """The running summary of a long conversation. Lengths are characters if not stated otherwise."""

    turns_shown: int = promised(3)
    tool_chars: int = promised(500)
    over_share: float = promised(0.5)
    # Tokens by estimate.
    budget: int = assumed(400, owner="summaries", settle_by="share of contexts whose summary section is cut at 500")
    words: int = assumed(250, owner="summaries", settle_by="length of model summaries against their budget")
    tolerated: float = assumed(1.5, owner="summaries", settle_by="length of model summaries against their budget")
    # The share of a model's words that must occur in its source.
    from_source: float = assumed(0.4, owner="summaries", settle_by="words of model summaries that nobody had said")
    user_weight: float = assumed(1.5, owner="summaries", settle_by="answer judging with a model")
    kept_before: float = assumed(0.5, owner="summaries", settle_by="answer judging with a model")
    line_chars: int = assumed(300, owner="summaries", settle_by="longest sentence of real messages")
    messages_read: int = assumed(400, owner="summaries", settle_by="longest stretch of a real conversation")
    prompt_chars: int = assumed(24_000, owner="summaries", settle_by="context length of small configured models")


RUNNING = RunningConfig()

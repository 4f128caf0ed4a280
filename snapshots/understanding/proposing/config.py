"""Every tunable number of asking a chat model and judging what it proposes, with where it comes from."""

from dataclasses import dataclass

from memory_platform.kernel.policy import assumed, measured, promised

_TAUGHT = "tests/golden/changes_teach*.jsonl, each tenth of the topics read by what the others taught"


@dataclass(frozen=True, slots=True)
class AskingPolicy:
    """What one question holds. Lengths are characters."""

    calls: int = assumed(4, owner="understanding", settle_by="time of one batch with a real model")
    """Of one batch of work; what is behind them goes back and is claimed again."""
    messages: int = assumed(10, owner="understanding", settle_by="precision of a real model by messages in a question")
    """In one question."""
    chars: int = assumed(6_000, owner="understanding", settle_by="precision of a real model by length of the question")
    message_chars: int = assumed(2_000, owner="understanding", settle_by="share of pasted documents among messages")
    held_notes: int = assumed(12, owner="understanding", settle_by="held notes that a real model rightly says are over")
    """Shown with a question: those that share a word or a kind of thing with it, the newest."""
    items: int = assumed(3, owner="understanding", settle_by="right proposals of a real model by message")
    """Of each kind in one answer, and one more for each message."""
    quote_chars: int = assumed(240, owner="understanding", settle_by="length of notes that a real model quotes")
    name_chars: int = promised(100, row="P9")


@dataclass(frozen=True, slots=True)
class JudgingPolicy:
    """What of a model's proposals stands. Thresholds are probabilities, shares and confidences 0..1."""

    note_from: float = promised(0.3, row="P9")
    """So probable must the reader of clauses find it that a proposed note lasts; without a model it takes .46."""
    clauses: int = promised(3, row="P9")
    tokens: int = promised(60, row="P9")
    quoted: float = assumed(0.5, owner="understanding", settle_by="share of torn quotes with a real model")
    """Share of a clause's letters that a quote must hold: the note is the whole clause."""
    confidence: float = promised(0.8, row="P5")
    hedged: float = promised(0.6, row="P5")
    fit_from: float = measured(
        0.3,
        source="python -m lab.teaching.proposals --slots: right keys stand .41, wrong ones .06; from .1 on .62, .18",
    )
    """So probable must it be that the clause of a value speaks of its slot or field; without a model it takes .85."""
    doubt_from: float = measured(0.3, source=f"{_TAUGHT}: ends or doubts .71-.80 / .66-.90")
    """A held note that a model says is over is asked about from here on; what ends for sure is as without a model."""


ASKING = AskingPolicy()
JUDGING = JudgingPolicy()

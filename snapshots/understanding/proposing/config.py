"""Numbers of asking a chat model and judging its proposals, each with its source."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import assumed, measured, promised

_TAUGHT = "tests/golden/changes_teach*.jsonl, each tenth of the topics read by what the others taught"


@dataclass(frozen=True, slots=True)
class AskingConfig:
    """The size of one question. Lengths are characters."""

    # Calls for one batch of work; the rest is released and claimed again.
    calls: int = assumed(4, owner="understanding", settle_by="time of one batch with a real model")
    # In one question.
    messages: int = assumed(10, owner="understanding", settle_by="precision of a real model by messages in a question")
    chars: int = assumed(6_000, owner="understanding", settle_by="precision of a real model by length of the question")
    message_chars: int = assumed(2_000, owner="understanding", settle_by="share of pasted documents among messages")
    # Known notes shown with a question: the newest that share a word or a kind of thing with it.
    held_notes: int = assumed(12, owner="understanding", settle_by="held notes that a real model rightly says are over")
    # Of each kind in one answer, and one more for each message.
    items: int = assumed(3, owner="understanding", settle_by="right proposals of a real model by message")
    quote_chars: int = assumed(240, owner="understanding", settle_by="length of notes that a real model quotes")
    name_chars: int = promised(100)


@dataclass(frozen=True, slots=True)
class ProposalConfig:
    """Which of a model's proposals are accepted. Thresholds are probabilities, shares and confidences 0..1."""

    # The least probability that a proposed note lasts; without a model .46 is needed.
    note_from: float = promised(0.3)
    clauses: int = promised(3)
    tokens: int = promised(60)
    # The share of a clause's letters that a quote must hold: the note is the whole clause.
    quoted: float = assumed(0.5, owner="understanding", settle_by="share of torn quotes with a real model")
    confidence: float = promised(0.8)
    hedged: float = promised(0.6)
    # The least probability that the clause of a value is about its slot or field; without a model .85 is needed.
    fit_from: float = measured(
        0.3,
        source="python -m lab.measuring.proposed_keys: right keys stand .41, wrong ones .06; from .1 on .62, .18",
    )
    # A note that a model calls over becomes doubtful from this probability on; certain ends are found without a
    # model.
    doubt_from: float = measured(0.3, source=f"{_TAUGHT}: ends or doubts .71-.80 / .66-.90")


ASKING = AskingConfig()
JUDGING = ProposalConfig()

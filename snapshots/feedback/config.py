"""Fixed numbers of feedback."""

from dataclasses import dataclass
from datetime import timedelta

from memory_platform.kernel.number_sources import assumed, measured

_DEV = "tests/golden/feedback_dev.jsonl"


@dataclass(frozen=True, slots=True)
class UtilisationConfig:
    """When a reply counts as having used a memory. Shares are of the memory's IDF weight."""

    reply_chars: int = assumed(20_000, owner="feedback", settle_by="lengths of real replies")
    memory_chars: int = assumed(2_000, owner="feedback", settle_by="lengths of injected memories")
    words_share: float = measured(0.3, source=_DEV)
    # Of a memory's weight, in the sentence that says "as you mentioned".
    reference_share: float = measured(0.15, source=_DEV)
    echo_weight: float = measured(0.25, source=f"{_DEV}: a word of the question comes back in any reply")


@dataclass(frozen=True, slots=True)
class SignalConfig:
    """How a next turn is read."""

    next_chars: int = assumed(600, owner="feedback", settle_by="where in long turns people say what they think")
    # Of question, reply and next turn, that are embedded.
    sentence_chars: int = measured(
        200,
        source="CPU of one core: 25 characters 4 ms, 200 6 to 11, 400 9 to 19; longest labelled text 133",
    )
    context_chars: int = assumed(4_000, owner="feedback", settle_by="lengths of real replies")
    # Of the core words of question and next turn together, that both have: above, the question is asked again.
    restated_share: float = measured(0.6, source=_DEV)
    restated_words: int = measured(2, source=_DEV)
    # Of the content units of the question, in a turn that says it again.
    repeated_share: float = measured(
        0.4, source="tests/golden/feedback.jsonl: 0.87 of restating turns, 0.03 of following ones"
    )
    # New content units for each one that the question had, at most.
    repeated_fresh: float = measured(2.0, source="tests/golden/feedback.jsonl")
    # Of the core words of a question, in a turn that asks the same and takes nothing from the reply.
    covered_share: float = measured(0.5, source=_DEV)
    # Content units of a question that asks back a word of the reply, at most.
    echoed_units: int = assumed(4, owner="feedback", settle_by="turns that ask back a word of the reply")
    # Words of a turn that only answers the question at the end of the reply, at most.
    answer_words: int = assumed(12, owner="feedback", settle_by="replies that end with a question")
    # A question of at most so many words that names no subject of its own is a follow-up.
    elliptic_words: int = measured(7, source=_DEV)
    elliptic_terms: int = measured(2, source=_DEV)
    # A Chinese question of at most so many characters is a follow-up, whatever it asks.
    bare_chars: int = measured(4, source="tests/golden/feedback_2.jsonl")
    elliptic_chars: int = measured(12, source=_DEV)
    # Of a memory's weight, in the words of a correction: then it concerns this memory.
    concerned_share: float = measured(0.3, source=_DEV)
    # Times the share of the next memory.
    concerned_lead: float = assumed(1.5, owner="feedback", settle_by="corrections with verdicts of products")


@dataclass(frozen=True, slots=True)
class LoopConfig:
    """Closing the loop from posted turns, and rolling up tallies."""

    answer_within: timedelta = assumed(timedelta(hours=24), owner="feedback", settle_by="pauses between real turns")
    replies_read: int = assumed(20, owner="feedback", settle_by="messages between two turns of a user")
    tally_every: timedelta = assumed(timedelta(minutes=5), owner="feedback", settle_by="how fast ranking should learn")
    tally_batch: int = assumed(500, owner="feedback", settle_by="how long one transaction of tallies lasts")
    indicators_every: timedelta = assumed(timedelta(hours=1), owner="feedback", settle_by="who looks at them how often")


@dataclass(frozen=True, slots=True)
class TurnJudgingConfig:
    """How much of turns that rules do not understand is shown to a model."""

    turns: int = assumed(8, owner="feedback", settle_by="unclear turns in a batch of work, with a real judge")
    # Of a question, a reply and a next turn, each.
    chars: int = assumed(2_000, owner="feedback", settle_by="lengths of real replies")


UTILISATION = UtilisationConfig()
SIGNALS = SignalConfig()
LOOP = LoopConfig()
JUDGING = TurnJudgingConfig()

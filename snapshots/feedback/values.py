"""Values of feedback: injected texts, turns, signals, and the outcome."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal
from uuid import UUID

from snapshots.models import VERDICT
from snapshots.understanding.believing.lesson import CandidateResult

UtilisationSign = Literal["words", "reference", "value"]


class Signal(StrEnum):
    """How an injected memory was received, the most serious first."""

    CORRECTED = "corrected"
    NEGATIVE = "negative"
    POSITIVE = "positive"
    NEUTRAL = "neutral"


# The most serious of several signals on one memory counts, so that parts may come in any order.
GRAVITY = {signal: number for number, signal in enumerate(Signal)}


class TurnSense(StrEnum):
    """How the user's next turn takes the reply before it."""

    CONFIRM = "confirm"
    FOLLOW_UP = "follow_up"
    RESTATE = "restate"
    CORRECT = "correct"
    TOPIC_CHANGE = "topic_change"
    # The turn does not show how the user took the reply, so no memory is judged by it.
    UNCLEAR = "unclear"


SIGNAL_OF: Mapping[TurnSense, Signal] = {
    TurnSense.CONFIRM: Signal.POSITIVE,
    TurnSense.FOLLOW_UP: Signal.POSITIVE,
    TurnSense.RESTATE: Signal.NEGATIVE,
    TurnSense.CORRECT: Signal.CORRECTED,
    TurnSense.TOPIC_CHANGE: Signal.NEUTRAL,
    TurnSense.UNCLEAR: Signal.NEUTRAL,
}
# Reason of a correction whose words show which memory is wrong: it stays there whatever the reply used.
NAMED_REASON = "correct_named"
# Reason of a memory that an objecting turn says again: it stays there whatever the reply used.
SAID_AGAIN_REASON = "confirm_said_again"


def is_verdict(reason: str) -> bool:
    return reason.startswith(VERDICT)


def concerns_one_memory(reason: str) -> bool:
    return is_verdict(reason) or reason in {NAMED_REASON, SAID_AGAIN_REASON}


@dataclass(frozen=True, slots=True)
class InjectedText:
    """One injected memory and its text. ``lane`` as in receipts; preferences read ``key: value``."""

    memory_id: UUID
    lane: str
    text: str


@dataclass(frozen=True, slots=True)
class AnsweredTurn:
    """A context's question, the reply and the user's next words, as far as they are known."""

    query: str = ""
    reply: str | None = None
    next: str | None = None


@dataclass(frozen=True, slots=True)
class ProductVerdict:
    """A product's verdict on one memory."""

    memory_id: UUID
    signal: Signal
    reason: str = ""


@dataclass(frozen=True, slots=True)
class OutcomePart:
    """One part of an outcome. ``reply`` and ``next`` are None when this part does not have them."""

    reply: str | None = None
    next: str | None = None
    verdicts: Sequence[ProductVerdict] = ()


@dataclass(frozen=True, slots=True)
class SignalWithReason:
    """A signal and why it was given."""

    signal: Signal
    reason: str


@dataclass(frozen=True, slots=True)
class UtilisedMemory:
    """A memory that the reply used."""

    memory_id: UUID
    how: str


@dataclass(frozen=True, slots=True)
class MemorySignal:
    """A memory with a signal."""

    memory_id: UUID
    signal: str
    reason: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that is known of a receipt's outcome by now, and the corrections that this part applied."""

    subject_id: UUID
    utilised: Sequence[UtilisedMemory] = ()
    signals: Sequence[MemorySignal] = ()
    fast_lane: Sequence[CandidateResult] = field(default=())

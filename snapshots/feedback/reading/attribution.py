"""Which memories a signal concerns: those that the reply used, all injected ones when no reply is known. Pure."""

from collections.abc import Sequence
from uuid import UUID

from snapshots.feedback.config import SIGNALS, SignalConfig
from snapshots.feedback.reading.agreement import find_agreeing_memories
from snapshots.feedback.reading.sense_rules import find_corrections
from snapshots.feedback.reading.utilisation import SearchedText, compute_weight_share, find_core_words, weigh_core_words
from snapshots.feedback.values import (
    NAMED_REASON,
    SAID_AGAIN_REASON,
    SIGNAL_OF,
    InjectedText,
    Signal,
    SignalWithReason,
    TurnSense,
)

OBJECTING = frozenset([TurnSense.CORRECT, TurnSense.RESTATE])


def attribute_signals(
    sense: TurnSense, said: str, memories: Sequence[InjectedText], used: Sequence[UUID] | None
) -> dict[UUID, SignalWithReason]:
    """Return the signal for each memory that the turn ``said`` concerns; ``used`` is None when no reply is known.

    A correction whose words are clearly those of one memory concerns this one alone, whether the reply used it or not.
    A correction that a memory agrees with is of the reply, and does not concern that memory. A turn that objects by
    saying a memory again confirms it; unless it corrects something else, it is about the reply and judges no other
    memory.
    """
    again = find_agreeing_memories(said, memories) if sense in OBJECTING else set()
    if not again:
        return _attribute_to_others(sense, said, memories, used)
    confirmed = dict.fromkeys(again, SignalWithReason(Signal.POSITIVE, SAID_AGAIN_REASON))
    if sense is not TurnSense.CORRECT or not find_corrections(said[: SIGNALS.next_chars]):
        return confirmed
    others = [memory for memory in memories if memory.memory_id not in again]
    used = None if used is None else [memory_id for memory_id in used if memory_id not in again]
    return {**_attribute_to_others(sense, said, others, used), **confirmed}


def _attribute_to_others(
    sense: TurnSense, said: str, memories: Sequence[InjectedText], used: Sequence[UUID] | None
) -> dict[UUID, SignalWithReason]:
    if sense is TurnSense.CORRECT:
        right = find_upheld_memories(said, memories)
        memories = [memory for memory in memories if memory.memory_id not in right]
        used = None if used is None else [memory_id for memory_id in used if memory_id not in right]
    named = find_named_memory(said, memories) if sense is TurnSense.CORRECT else None
    if named is not None:
        return {named: SignalWithReason(SIGNAL_OF[sense], NAMED_REASON)}
    concerned = [memory.memory_id for memory in memories] if used is None else used
    return dict.fromkeys(concerned, SignalWithReason(SIGNAL_OF[sense], str(sense)))


def find_upheld_memories(said: str, memories: Sequence[InjectedText], config: SignalConfig = SIGNALS) -> set[UUID]:
    """Return the memories that state the right side of a correction and nothing of its wrong side. "No, black, not with
    milk" upholds the memory of black coffee: the reply was wrong."""
    sides = [
        (find_core_words(str(one.value)), find_core_words(one.replaces))
        for one in find_corrections(said[: config.next_chars])
        if one.replaces and isinstance(one.value, str)
    ]
    return {memory.memory_id for memory in memories if any(_upholds(memory.text, *side) for side in sides)}


def _upholds(text: str, right: frozenset[str], wrong: frozenset[str]) -> bool:
    held = SearchedText.from_text(text)
    return bool(right) and held.find_words(right) == right and not held.find_words(wrong)


def find_named_memory(said: str, memories: Sequence[InjectedText], config: SignalConfig = SIGNALS) -> UUID | None:
    """Return the one memory whose core words a correction has; None when there is none, or no clear one."""
    turn = SearchedText.from_text(said[: config.next_chars])
    weights = weigh_core_words(memory.text for memory in memories)
    words = {memory.memory_id: find_core_words(memory.text) for memory in memories}
    shares = {memory_id: compute_weight_share(own, turn.find_words(own), weights) for memory_id, own in words.items()}
    best = sorted(shares, key=lambda memory_id: -shares[memory_id])[:2]
    if not best or shares[best[0]] < config.concerned_share:
        return None
    clear = len(best) == 1 or shares[best[0]] >= config.concerned_lead * shares[best[1]]
    return best[0] if clear else None

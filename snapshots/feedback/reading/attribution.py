"""Which memories a signal concerns: those that the reply used, all injected ones when no reply is known. Pure."""

from collections.abc import Sequence
from uuid import UUID

from snapshots.feedback.policy import SIGNALS, SignalPolicy
from snapshots.feedback.reading.agreement import agreeing
from snapshots.feedback.reading.signals import corrections_in
from snapshots.feedback.reading.utilisation import Said, core_words, injected_weights, share_of
from snapshots.feedback.values import NAMED, SAID_AGAIN, SIGNAL_OF, InjectedText, Judgement, Sense, Signal

OBJECTING = frozenset([Sense.CORRECT, Sense.RESTATE])


def judgements(
    sense: Sense, said: str, memories: Sequence[InjectedText], used: Sequence[UUID] | None
) -> dict[UUID, Judgement]:
    """Return the signal for each memory that the turn ``said`` concerns; ``used`` is None when no reply is known.

    A correction whose words are clearly those of one memory concerns this one alone, whether the reply used it or not.
    A correction that a memory agrees with is of the reply, and does not concern that memory. A turn that objects by
    saying a memory again confirms it; unless it corrects something else, it is about the reply and judges no other
    memory.
    """
    again = agreeing(said, memories) if sense in OBJECTING else set()
    if not again:
        return _told_of(sense, said, memories, used)
    confirmed = dict.fromkeys(again, Judgement(Signal.POSITIVE, SAID_AGAIN))
    if sense is not Sense.CORRECT or not corrections_in(said[: SIGNALS.next_chars]):
        return confirmed
    others = [memory for memory in memories if memory.memory_id not in again]
    used = None if used is None else [memory_id for memory_id in used if memory_id not in again]
    return {**_told_of(sense, said, others, used), **confirmed}


def _told_of(
    sense: Sense, said: str, memories: Sequence[InjectedText], used: Sequence[UUID] | None
) -> dict[UUID, Judgement]:
    if sense is Sense.CORRECT:
        right = upheld(said, memories)
        memories = [memory for memory in memories if memory.memory_id not in right]
        used = None if used is None else [memory_id for memory_id in used if memory_id not in right]
    named = named_memory(said, memories) if sense is Sense.CORRECT else None
    if named is not None:
        return {named: Judgement(SIGNAL_OF[sense], NAMED)}
    concerned = [memory.memory_id for memory in memories] if used is None else used
    return dict.fromkeys(concerned, Judgement(SIGNAL_OF[sense], str(sense)))


def upheld(said: str, memories: Sequence[InjectedText], policy: SignalPolicy = SIGNALS) -> set[UUID]:
    """Return the memories that say what a correction calls right and nothing of what it calls wrong.

    "No, black, not with milk" upholds the memory of black coffee: the reply was wrong.
    """
    sides = [
        (core_words(str(one.value)), core_words(one.replaces))
        for one in corrections_in(said[: policy.next_chars])
        if one.replaces and isinstance(one.value, str)
    ]
    return {memory.memory_id for memory in memories if any(_says(memory.text, *side) for side in sides)}


def _says(text: str, right: frozenset[str], wrong: frozenset[str]) -> bool:
    held = Said.of(text)
    return bool(right) and held.held(right) == right and not held.held(wrong)


def named_memory(said: str, memories: Sequence[InjectedText], policy: SignalPolicy = SIGNALS) -> UUID | None:
    """Return the one memory whose core words a correction has; None when there is none, or no clear one."""
    turn = Said.of(said[: policy.next_chars])
    weights = injected_weights(memory.text for memory in memories)
    words = {memory.memory_id: core_words(memory.text) for memory in memories}
    shares = {memory_id: share_of(own, turn.held(own), weights) for memory_id, own in words.items()}
    best = sorted(shares, key=lambda memory_id: -shares[memory_id])[:2]
    if not best or shares[best[0]] < policy.concerned_share:
        return None
    clear = len(best) == 1 or shares[best[0]] >= policy.concerned_lead * shares[best[1]]
    return best[0] if clear else None

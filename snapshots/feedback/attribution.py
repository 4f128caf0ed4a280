"""Whom a signal concerns (G3): the memories that the reply used, all injected ones when no reply is known; pure."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from snapshots.feedback.policy import SIGNALS, SignalPolicy
from snapshots.feedback.utilisation import Said, core_words, injected_weights, share_of
from snapshots.feedback.values import NAMED, SIGNAL_OF, InjectedText, Judgement, Sense


def judgements(
    sense: Sense, said: str, memories: Sequence[InjectedText], used: Sequence[UUID] | None
) -> dict[UUID, Judgement]:
    """Return what the turn ``said`` tells of each memory that it concerns; ``used`` is None when no reply is known.

    A correction whose words are clearly those of one memory concerns this one alone, whether the reply used it or not.
    """
    named = named_memory(said, memories) if sense is Sense.CORRECT else None
    if named is not None:
        return {named: Judgement(SIGNAL_OF[sense], NAMED)}
    concerned = [memory.memory_id for memory in memories] if used is None else used
    return dict.fromkeys(concerned, Judgement(SIGNAL_OF[sense], str(sense)))


def named_memory(said: str, memories: Sequence[InjectedText], policy: SignalPolicy = SIGNALS) -> UUID | None:
    """Return the one memory whose core words a correction holds; None when there is none, or no clear one."""
    turn = Said.of(said[: policy.next_chars])
    weights = injected_weights(memory.text for memory in memories)
    shares = {memory.memory_id: _held_share(memory.text, turn, weights) for memory in memories}
    best = sorted(shares, key=lambda memory_id: -shares[memory_id])[:2]
    if not best or shares[best[0]] < policy.concerned_share:
        return None
    clear = len(best) == 1 or shares[best[0]] >= policy.concerned_lead * shares[best[1]]
    return best[0] if clear else None


def _held_share(text: str, turn: Said, weights: Mapping[str, float]) -> float:
    words = core_words(text)
    return share_of(words, turn.held(words), weights)

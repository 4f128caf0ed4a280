"""Which memories a signal concerns: those that the reply used, all injected ones when no reply is known. Pure.

A turn may also say a memory again: it agrees with it, and objects to the reply that did not use it. "No, I told you, I
am allergic to peanuts" does not contradict the memory of the allergy. A turn's statements are read by the rules that
make memories, so that "I am not allergic" and "who told you so?" state nothing of the kind.

A turn that gives a place another address blames the memories of this place. The words of the new address blame no
memory: "No, my office is at 88 Mill Avenue, Portland" does not say that the city of Portland is wrong.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from uuid import UUID

from memory_platform.kernel.text import to_comparable
from profiles.prompt_lines import render_preference
from snapshots.consolidation.meaning_comparison import count_negations
from snapshots.feedback.config import SIGNALS, UTILISATION
from snapshots.feedback.reading.sense_rules import extract_from_turn, find_corrections
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
from snapshots.understanding.values import FactCandidate, PreferenceCandidate

_STATES = frozenset(["add", "set", "append", "overwrite"])
_SENTENCE = re.compile(r"[^.!?;。！？；\n]+")
_PARTS = re.compile(r"[,;、，；]\s*")
# Words that say that something was said, not what.
_TELLING = find_core_words("tell told say said mention mentioned already again") | find_core_words(
    "我说过了。告诉过。提过。讲过"
)
StatedSlot = PreferenceCandidate | FactCandidate


class StatedPlace(NamedTuple):
    """A place and the address that a text gives it, both in comparable form."""

    label: str
    address: str


OBJECTING = frozenset([TurnSense.CORRECT, TurnSense.RESTATE])


def attribute_signals(
    sense: TurnSense, next_turn: str, memories: Sequence[InjectedText], used: Sequence[UUID] | None
) -> dict[UUID, SignalWithReason]:
    """Return the signal for each memory that the turn ``next_turn`` concerns; ``used`` is None when no reply is known.

    A correction whose words are clearly those of one memory concerns this one alone, whether the reply used it or not.
    One that gives a place another address concerns the memories that give this place a different one.
    A correction that a memory agrees with is of the reply, and does not concern that memory. A turn that objects by
    saying a memory again confirms it; unless it corrects something else, it is about the reply and judges no other
    memory.
    """
    again = find_agreeing_memories(next_turn, memories) if sense in OBJECTING else set()
    if not again:
        return _attribute_to_others(sense, next_turn, memories, used)
    confirmed = dict.fromkeys(again, SignalWithReason(Signal.POSITIVE, SAID_AGAIN_REASON))
    if sense is not TurnSense.CORRECT or not find_corrections(next_turn[: SIGNALS.next_chars]):
        return confirmed
    others = [memory for memory in memories if memory.memory_id not in again]
    used = None if used is None else [memory_id for memory_id in used if memory_id not in again]
    return {**_attribute_to_others(sense, next_turn, others, used), **confirmed}


def _attribute_to_others(
    sense: TurnSense, next_turn: str, memories: Sequence[InjectedText], used: Sequence[UUID] | None
) -> dict[UUID, SignalWithReason]:
    if sense is TurnSense.CORRECT:
        places = read_stated_places(next_turn[: SIGNALS.next_chars])
        wrong = find_memories_of_other_addresses(places, memories)
        if wrong:
            return dict.fromkeys(wrong, SignalWithReason(SIGNAL_OF[sense], NAMED_REASON))
        right = find_upheld_memories(next_turn, memories) | find_parts_of_addresses(places, memories)
        memories = [memory for memory in memories if memory.memory_id not in right]
        used = None if used is None else [memory_id for memory_id in used if memory_id not in right]
    named = find_named_memory(next_turn, memories) if sense is TurnSense.CORRECT else None
    if named is not None:
        return {named: SignalWithReason(SIGNAL_OF[sense], NAMED_REASON)}
    concerned = [memory.memory_id for memory in memories] if used is None else used
    return dict.fromkeys(concerned, SignalWithReason(SIGNAL_OF[sense], str(sense)))


def find_memories_of_other_addresses(places: Sequence[StatedPlace], memories: Sequence[InjectedText]) -> set[UUID]:
    """Return the memories that give one of ``places`` another address: tags, and notes that say so."""
    return {memory.memory_id for memory in memories if any(_gives_other_address(memory, place) for place in places)}


def _gives_other_address(memory: InjectedText, place: StatedPlace) -> bool:
    text = memory.text[: UTILISATION.memory_chars]
    if memory.lane == "tags":
        label, _, value = text.partition(": ")
        return to_comparable(label) == place.label and bool(value) and place.address not in to_comparable(value)
    if memory.lane != "snapshots" or place.label not in to_comparable(text):
        return False
    held = (one for sentence in _SENTENCE.findall(text) for one in read_stated_places(sentence))
    return any(one.label == place.label and place.address not in one.address for one in held)


def find_parts_of_addresses(places: Sequence[StatedPlace], memories: Sequence[InjectedText]) -> set[UUID]:
    """Return the profile fields whose value stands in the address of one of ``places``: its city, its country."""
    forms = [SearchedText.from_text(place.address) for place in places]
    words = {memory.memory_id: find_core_words(memory.text) for memory in memories if memory.lane == "profile"}
    return {one for one, own in words.items() if own and any(form.find_words(own) == own for form in forms)}


def read_stated_places(text: str) -> list[StatedPlace]:
    found = (one for one in extract_from_turn(text).tags if one.address)
    return [StatedPlace(to_comparable(one.label), to_comparable(one.address or "")) for one in found]


def find_upheld_memories(next_turn: str, memories: Sequence[InjectedText]) -> set[UUID]:
    """Return the memories that state the right side of a correction and nothing of its wrong side. "No, black, not with
    milk" upholds the memory of black coffee: the reply was wrong."""
    sides = [
        (find_core_words(str(one.value)), find_core_words(one.replaces))
        for one in find_corrections(next_turn[: SIGNALS.next_chars])
        if one.replaces and isinstance(one.value, str)
    ]
    return {memory.memory_id for memory in memories if any(_upholds(memory.text, *side) for side in sides)}


def _upholds(text: str, right: frozenset[str], wrong: frozenset[str]) -> bool:
    held = SearchedText.from_text(text)
    return bool(right) and held.find_words(right) == right and not held.find_words(wrong)


def find_named_memory(next_turn: str, memories: Sequence[InjectedText]) -> UUID | None:
    """Return the one memory whose core words a correction has; None if no memory is clearly ahead."""
    turn = SearchedText.from_text(next_turn[: SIGNALS.next_chars])
    weights = weigh_core_words(memory.text for memory in memories)
    words = {memory.memory_id: find_core_words(memory.text) for memory in memories}
    shares = {memory_id: compute_weight_share(own, turn.find_words(own), weights) for memory_id, own in words.items()}
    best = sorted(shares, key=lambda memory_id: -shares[memory_id])[:2]
    if not best or shares[best[0]] < SIGNALS.concerned_share:
        return None
    clear = len(best) == 1 or shares[best[0]] >= SIGNALS.concerned_lead * shares[best[1]]
    return best[0] if clear else None


def find_agreeing_memories(next_turn: str, memories: Sequence[InjectedText]) -> set[UUID]:
    stated = list(_read_stated_slots(next_turn[: SIGNALS.next_chars]))
    if not stated:
        return set()
    return {
        memory.memory_id
        for memory in memories
        if any(_memory_agrees(memory.lane, memory.text[: UTILISATION.memory_chars], one) for one in stated)
    }


def _read_stated_slots(text: str) -> Iterator[StatedSlot]:
    found = extract_from_turn(text)
    yield from (one for one in found.preferences if one.mode in _STATES)
    yield from (one for one in found.facts if one.mode in _STATES)


def _memory_agrees(lane: str, text: str, candidate: StatedSlot) -> bool:
    if lane == "profile":
        return isinstance(candidate, FactCandidate) and _value_matches(text, candidate)
    if lane == "preferences":
        key, _, value = text.partition(": ")
        return (
            isinstance(candidate, PreferenceCandidate)
            and key in _list_preference_names(candidate)
            and _value_matches(value, candidate)
        )
    return lane == "snapshots" and _is_stated_by_snapshot(text, candidate)


def _list_preference_names(candidate: PreferenceCandidate) -> set[str]:
    key = candidate.key or ""
    words = render_preference(candidate.category or "", key, ", ".join(candidate.value_texts)).partition(": ")[0]
    return {key, words}


def _value_matches(value: str, candidate: StatedSlot) -> bool:
    held = {to_comparable(part) for part in (value, *_PARTS.split(value))}
    return bool(candidate.value_texts) and all(to_comparable(one) in held for one in candidate.value_texts)


def _is_stated_by_snapshot(text: str, candidate: StatedSlot) -> bool:
    """Return whether a sentence of a snapshot states it: in its words, as much denied, or read as the same
    statement."""
    quote = candidate.evidence.quote
    words = find_core_words(quote) - _TELLING
    for sentence in _SENTENCE.findall(text):
        if not words or SearchedText.from_text(sentence).find_words(words) != words:
            continue
        if bool(count_negations(sentence)) != bool(count_negations(quote)):
            continue
        if len(words) >= SIGNALS.restated_words or _build_comparison_key(candidate) in map(
            _build_comparison_key, _read_stated_slots(sentence)
        ):
            return True
    return False


def _build_comparison_key(candidate: StatedSlot) -> tuple[str | None, list[str]]:
    slot = candidate.field if isinstance(candidate, FactCandidate) else candidate.key
    return slot, [*map(to_comparable, candidate.value_texts)]

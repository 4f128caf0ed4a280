"""Which memories a turn says again: it agrees with them, and objects to the reply that did not use them. Pure.

"No, I told you, I am allergic to peanuts" does not contradict the memory of the allergy. A turn's statements are read
by the rules that make memories, so that "I am not allergic" and "who told you so?" state nothing of the kind.
"""

import re
from collections.abc import Iterator, Sequence
from uuid import UUID

from memory_platform.kernel.text import to_comparable
from profiles.memory_lines import render_preference
from snapshots.consolidation.meaning_comparison import count_negations
from snapshots.feedback.config import SIGNALS, UTILISATION, SignalConfig, UtilisationConfig
from snapshots.feedback.reading.sense_rules import extract_from_turn
from snapshots.feedback.reading.utilisation import SearchedText, find_core_words
from snapshots.feedback.values import InjectedText
from snapshots.understanding.values import FactCandidate, PreferenceCandidate

_STATES = frozenset(["add", "set", "append", "overwrite"])
_SENTENCE = re.compile(r"[^.!?;。！？；\n]+")
_PARTS = re.compile(r"[,;、，；]\s*")
# Words that say that something was said, not what.
_TELLING = find_core_words("tell told say said mention mentioned already again") | find_core_words(
    "我说过了。告诉过。提过。讲过"
)

StatedSlot = PreferenceCandidate | FactCandidate


def find_agreeing_memories(
    said: str,
    memories: Sequence[InjectedText],
    config: SignalConfig = SIGNALS,
    limits: UtilisationConfig = UTILISATION,
) -> set[UUID]:
    stated = list(_read_stated_slots(said[: config.next_chars]))
    if not stated:
        return set()
    return {
        memory.memory_id
        for memory in memories
        if any(_memory_agrees(memory.lane, memory.text[: limits.memory_chars], one, config) for one in stated)
    }


def _read_stated_slots(text: str) -> Iterator[StatedSlot]:
    """Yield the statements of ``text`` about its speaker, except those that it takes back."""
    found = extract_from_turn(text)
    yield from (one for one in found.preferences if one.mode in _STATES)
    yield from (one for one in found.facts if one.mode in _STATES)


def _memory_agrees(lane: str, text: str, stated: StatedSlot, config: SignalConfig) -> bool:
    if lane == "profile":
        return isinstance(stated, FactCandidate) and _value_matches(text, stated)
    if lane == "preferences":
        key, _, value = text.partition(": ")
        return (
            isinstance(stated, PreferenceCandidate)
            and key in _names_of_preference(stated)
            and _value_matches(value, stated)
        )
    return lane == "snapshots" and _is_stated_by_snapshot(text, stated, config)


def _names_of_preference(stated: PreferenceCandidate) -> set[str]:
    key = stated.key or ""
    words = render_preference(stated.category or "", key, ", ".join(stated.value_texts)).partition(": ")[0]
    return {key, words}


def _value_matches(value: str, stated: StatedSlot) -> bool:
    held = {to_comparable(part) for part in (value, *_PARTS.split(value))}
    return bool(stated.value_texts) and all(to_comparable(one) in held for one in stated.value_texts)


def _is_stated_by_snapshot(text: str, stated: StatedSlot, config: SignalConfig) -> bool:
    """Return whether a sentence of a snapshot states it: in its words, as much denied, or read as the same
    statement."""
    quote = stated.evidence.quote
    words = find_core_words(quote) - _TELLING
    for sentence in _SENTENCE.findall(text):
        if not words or SearchedText.from_text(sentence).find_words(words) != words:
            continue
        if bool(count_negations(sentence)) != bool(count_negations(quote)):
            continue
        if len(words) >= config.restated_words or _build_comparison_key(stated) in map(
            _build_comparison_key, _read_stated_slots(sentence)
        ):
            return True
    return False


def _build_comparison_key(stated: StatedSlot) -> tuple[str | None, list[str]]:
    slot = stated.field if isinstance(stated, FactCandidate) else stated.key
    return slot, [*map(to_comparable, stated.value_texts)]

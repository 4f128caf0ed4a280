"""Which memories a turn says again: it agrees with them, and objects to the reply that did not use them. Pure.

"No, I told you, I am allergic to peanuts" does not contradict the memory of the allergy. A turn's statements are read
by the rules that make memories, so that "I am not allergic" and "who told you so?" state nothing of the kind.
"""

import re
from collections.abc import Iterator, Sequence
from uuid import UUID

from memory_platform.kernel.text import comparable
from profiles.wording import preference_words
from snapshots.consolidation.meaning import negations_in
from snapshots.feedback.policy import SIGNALS, UTILISATION, SignalPolicy, UtilisationPolicy
from snapshots.feedback.reading.signals import taught_by
from snapshots.feedback.reading.utilisation import Said, core_words
from snapshots.feedback.values import InjectedText
from snapshots.understanding.values import PreferenceCandidate, ProfileFact

_STATES = frozenset(["add", "set", "append", "overwrite"])
_SENTENCE = re.compile(r"[^.!?;。！？；\n]+")
_PARTS = re.compile(r"[,;、，；]\s*")
# Words that say that something was said, not what.
_TELLING = core_words("tell told say said mention mentioned already again") | core_words("我说过了。告诉过。提过。讲过")

Statement = PreferenceCandidate | ProfileFact


def agreeing(
    said: str,
    memories: Sequence[InjectedText],
    policy: SignalPolicy = SIGNALS,
    limits: UtilisationPolicy = UTILISATION,
) -> set[UUID]:
    """Return the memories that say what the turn ``said`` states; empty where it states nothing that is understood."""
    stated = list(_stated(said[: policy.next_chars]))
    if not stated:
        return set()
    return {
        memory.memory_id
        for memory in memories
        if any(_agrees(memory.lane, memory.text[: limits.memory_chars], one, policy) for one in stated)
    }


def _stated(text: str) -> Iterator[Statement]:
    """Yield the statements of ``text`` about its speaker, except those that it takes back."""
    found = taught_by(text)
    yield from (one for one in found.preferences if one.mode in _STATES)
    yield from (one for one in found.facts if one.mode in _STATES)


def _agrees(lane: str, text: str, stated: Statement, policy: SignalPolicy) -> bool:
    if lane == "profile":
        return isinstance(stated, ProfileFact) and _holds(text, stated)
    if lane == "preferences":
        key, _, value = text.partition(": ")
        return isinstance(stated, PreferenceCandidate) and key in _names_of(stated) and _holds(value, stated)
    return lane == "snapshots" and _tells(text, stated, policy)


def _names_of(stated: PreferenceCandidate) -> set[str]:
    key = stated.key or ""
    words = preference_words(stated.category or "", key, ", ".join(stated.texts)).partition(": ")[0]
    return {key, words}


def _holds(value: str, stated: Statement) -> bool:
    held = {comparable(part) for part in (value, *_PARTS.split(value))}
    return bool(stated.texts) and all(comparable(one) in held for one in stated.texts)


def _tells(text: str, stated: Statement, policy: SignalPolicy) -> bool:
    """Return whether a sentence of a snapshot states it: in its words, as much denied, or read as the same
    statement."""
    quote = stated.evidence.quote
    words = core_words(quote) - _TELLING
    for sentence in _SENTENCE.findall(text):
        if not words or Said.of(sentence).held(words) != words:
            continue
        if bool(negations_in(sentence)) != bool(negations_in(quote)):
            continue
        if len(words) >= policy.restated_words or _key(stated) in map(_key, _stated(sentence)):
            return True
    return False


def _key(stated: Statement) -> tuple[str | None, list[str]]:
    slot = stated.field if isinstance(stated, ProfileFact) else stated.key
    return slot, [*map(comparable, stated.texts)]

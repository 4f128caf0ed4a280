"""The words that two memories must share to be joined, whatever their vectors say. English and Chinese. Pure.

Vectors cannot tell "with sugar" from "without", nor 500 from 800: for both embedded models such pairs are nearer to
each other than many that say the same (docs/operations/care.md). So the words decide: they must be equal except for
words that never change a meaning, and differences must be whole sentences.
"""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from memory_platform.kernel.keyword_terms import stem_words
from memory_platform.kernel.pattern_files import load_patterns
from memory_platform.kernel.text import HAN, index_form

_RE = load_patterns(Path(__file__).with_name("meaning_comparison.toml"))
_SENTENCE = re.compile(r"[^.!?;。！？；\n]+[.!?;。！？；]*")
_UNIT = re.compile(f"[{HAN}]|[a-z]+(?:'[a-z]+)?|\\d+(?:[.,:]\\d+)*|[^\\W\\d_a-z]+|[%€$£¥°]")
_CAPITAL = re.compile(r"(?<=[a-z,'] )(?!I\b)[A-Z][\w'-]*")

_ENGLISH_FILLERS = (
    "a an the i i'm i've i'd i'll am is are be it it's my me to of in at on for with that which who so too really very "
    "quite truly just also please remember always usually do does when while by as"
)
# Words that never change the meaning: they do not say who, when, whether or how much.
_FILLERS = frozenset(_ENGLISH_FILLERS.split())
_HAN_FILLERS = frozenset("的了是我在都很也把请你吧啊呀就着呢嘛里时候平常得家当")
# Different wordings of the same wish, habit or refusal.
_ALIKE = (
    (re.compile(r"\bwould (?:like|love|prefer)\b|\bwant(?:s|ed)?\b|\blooking for\b|想要|希望"), " want "),
    (re.compile(r"\b(?:like|love|enjoy|prefer)s?\b|喜欢|喜爱|爱好|热爱|爱(?!人)"), " like "),
    (re.compile(r"\b(?:can)?not\b|\b\w+n't\b"), " not "),
)


@dataclass(frozen=True, slots=True)
class Meaning:
    sentences: tuple[tuple[str, ...], ...]
    guards: frozenset[tuple[str, int]]
    has_contrast: bool

    @property
    def key(self) -> tuple[object, ...]:
        """A key that is equal for two one-sentence texts that say the same."""
        if len(self.sentences) != 1:
            return ("many", self.guards)
        words = self.sentences[0]
        return (words if self.has_contrast else tuple(sorted(set(words))), self.guards)


def parse_meaning(text: str) -> Meaning:
    form = _normalise_text(text)
    found = Counter(
        _RE["numbers"].findall(form)
        + _RE["negations"].findall(form)
        + [name.lower() for name in _CAPITAL.findall(text)]
    )
    sentences = tuple(words for part in _SENTENCE.findall(form) if (words := _split_words(part)))
    return Meaning(sentences, frozenset(found.items()), _RE["contrasts"].search(form) is not None)


def have_equal_meaning(one: Meaning, other: Meaning, *, least_shared: float) -> bool:
    """Return whether two memories may be joined.

    Single sentences need the same words, in the same order where the order matters. Longer texts share ``least_shared``
    of the shorter one's sentences, and all numbers, negations and names.
    """
    if not one.sentences or not other.sentences or one.guards != other.guards:
        return False
    if len(one.sentences) == len(other.sentences) == 1:
        return one.key == other.key
    mine, yours = ({frozenset(words) for words in meaning.sentences} for meaning in (one, other))
    return len(mine & yours) >= least_shared * min(len(mine), len(yours))


def count_negations(text: str) -> list[str]:
    """Return the words of ``text`` that deny, dislike or put into the past, in order."""
    return _RE["negations"].findall(_normalise_text(text))


def list_added_sentences(text: str, others: list[str]) -> list[str]:
    held = {frozenset(_split_words(_normalise_text(part))) for part in _SENTENCE.findall(text)}
    added = []
    for part in (part for other in others for part in _SENTENCE.findall(other)):
        words = frozenset(_split_words(_normalise_text(part)))
        if words and words not in held:
            held.add(words)
            added.append(part.strip())
    return added


def _normalise_text(text: str) -> str:
    form = index_form(text)
    for pattern, word in _ALIKE:
        form = pattern.sub(word, form)
    return form


def _split_words(form: str) -> tuple[str, ...]:
    units = _UNIT.findall(form)
    return tuple(stem_words([unit for unit in units if unit not in _FILLERS and unit not in _HAN_FILLERS]))

"""Find a text's topic words, and whether another text repeats them. Pure functions."""

import math
import re
from collections import Counter
from collections.abc import Sequence, Set
from functools import cache

from memory_platform.kernel.keyword_terms import split_terms
from snapshots.understanding.heard.forget_order_classifier import KIN, load_idle_words

_TELLING = re.compile(r"\d{2}|[\u3400-\u9fff]{2}|.{5}")
_DIGITS = frozenset("0123456789")
_LEAST_SHORTENED = 3
_KIN_WEIGHS = 0.5
_HAN = re.compile(r"[\u3400-\u9fff]")


def find_topic_words(text: str) -> set[str]:
    """Return the topic words of a text: single Chinese characters only where they name kin."""
    return {term for term in split_terms(text) if not _HAN.fullmatch(term) or term in KIN}


def weigh_shared_words(terms: Set[str], texts: Sequence[frozenset[str]]) -> list[float]:
    """Return the weighted share of the ``terms`` words in each text; words in several texts weigh less."""
    among = Counter(word for words in texts for word in words)
    weights = {
        word: math.log(1 + len(texts) / (1 + among[word])) * (_KIN_WEIGHS if word in KIN else 1) for word in terms
    }
    whole = sum(weights.values()) or 1.0
    return [sum(weights[word] for word in terms if contains_word(word, own)) / whole for own in texts]


def repeats_secret(text: str, hidden: str, besides: str) -> bool:
    """Return whether a text repeats a long word, or two, that were ``hidden`` and do not stand ``besides``. Words that
    name nothing ("something", the numbers of a list) are no secret."""
    shared = (
        find_topic_words(hidden) - find_topic_words(besides) - KIN - load_idle_terms() - _DIGITS
    ) & find_topic_words(text)
    return len(shared) > 1 or any(_TELLING.search(word) for word in shared)


@cache
def load_idle_terms() -> frozenset[str]:
    return frozenset(split_terms(" ".join(load_idle_words())))


def contains_word(word: str, words: Set[str]) -> bool:
    """Return whether a word stands among others, also shortened: "gav" for "gavin"."""
    if word in words:
        return True
    return len(word) >= _LEAST_SHORTENED and word.isascii() and any(one.startswith(word) for one in words)

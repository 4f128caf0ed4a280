"""Terms of the keyword index: English stems, Chinese characters and bigrams, mixed script in one pass."""

import re
import threading
from collections.abc import Iterable, Sequence
from itertools import pairwise

import Stemmer  # type: ignore[import-not-found]  # a C extension without stubs

from memory_platform.kernel.stopwords import CHINESE, ENGLISH
from memory_platform.kernel.text import HAN, HANGUL, KANA, index_form

# Longest term, characters: longer runs are keys or noise, and are cut.
TERM_LENGTH = 64

# Scripts indexed by characters and bigrams: written without spaces, or with changing endings (Korean).
_UNSPACED = f"{HAN}{KANA}{HANGUL}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"

_RUN = re.compile(f"([{_UNSPACED}]+)|((?:(?![{_UNSPACED}])[^\\W_])+(?:'[a-z]+)?)")
_RUN_ASCII = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")


class _Stemmers(threading.local):
    """One stemmer per thread: PyStemmer objects must not be shared between threads."""

    def __init__(self) -> None:
        self.english = Stemmer.Stemmer("english")


_stemmers = _Stemmers()


def split_terms(text: str) -> list[str]:
    """Return the terms of ``text`` in order, with repeats, without stop words. Linear in ``len(text)``."""
    form = index_form(text)
    if form.isascii():
        return _stems(_RUN_ASCII.findall(form))
    found: list[str] = []
    for unspaced, word in _RUN.findall(form):
        if unspaced:
            found += _characters_and_bigrams(unspaced)
        else:
            found += _stems((word,))
    return found


def stem_words(words: Sequence[str]) -> list[str]:
    """Return the English stem of each word; words of other scripts stay as they are."""
    return list(_stemmers.english.stemWords(words))


def _stems(words: Iterable[str]) -> list[str]:
    return stem_words([word[:TERM_LENGTH] for word in words if word not in ENGLISH])


def _characters_and_bigrams(run: str) -> list[str]:
    """Return the terms of a run of Chinese. Adding words brings nothing: docs/evaluation.md has the figures."""
    singles = [c for c in run if c not in CHINESE]
    bigrams = [a + b for a, b in pairwise(run) if not (a in CHINESE and b in CHINESE)]
    return singles + bigrams

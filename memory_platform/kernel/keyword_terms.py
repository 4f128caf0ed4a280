"""The terms of the keyword index, its stop words, and the words that a question and a text share."""

import re
import threading
from collections.abc import Iterable, Sequence, Set
from itertools import pairwise

import Stemmer  # type: ignore[import-not-found]  # a C extension without stubs

from memory_platform.kernel.text import HAN, HANGUL, KANA, index_form

_WORD = re.compile(r"[㐀-鿿]+|[^\W_㐀-鿿]+(?:['’-][^\W_㐀-鿿]+)*")
_ENGLISH = """
a about above after again against all am an and any are aren't as at be because been before being below between both
but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each few for from further
had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him himself his how how's i
i'd i'll i'm i've if in into is isn't it it's its itself just let's me more most mustn't my myself no nor not now of
off on once only or other ought our ours ourselves out over own same shan't she she'd she'll she's should shouldn't so
some such than that that's the their theirs them themselves then there there's these they they'd they'll they're
they've this those through to too under until up very was wasn't we we'd we'll we're we've were weren't what what's
when when's where where's which while who who's whom why why's will with won't would wouldn't you you'd you'll you're
you've your yours yourself yourselves s t d ll m re ve
"""

# The Snowball English list with "just", "now", "will" and the endings after an apostrophe.
ENGLISH = frozenset(_ENGLISH.split())

# Characters without a meaning of their own; a bigram is dropped only if both characters are here: "不辣" stays.
# Measured on MADial zh (80 questions): coverage@125 .470 without both lines and their bigrams, .427 without the first
# line only.
CHINESE = frozenset(
    "的了是在和与及也都就着过吗呢吧啊呀哦嗯么之其而且或被把给让对于从向以为这那哪"
    "我你您他她它们个一很会要说可到去来不没有"
)
# Longest term, characters: longer runs are keys or noise, and are cut.
TERM_LENGTH = 64

# Scripts indexed by characters and bigrams: written without spaces, or with changing endings (Korean).
_UNSPACED = f"{HAN}{KANA}{HANGUL}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"

_RUN = re.compile(f"([{_UNSPACED}]+)|((?:(?![{_UNSPACED}])[^\\W_])+(?:'[a-z]+)?)")
_RUN_ASCII = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")


def shared_words(question: str, text: str) -> list[str]:
    """Return the words of ``question`` that occur in ``text`` in any form, each once, in order; for Chinese the
    characters and pairs."""
    held = frozenset(split_terms(text))
    words = (part for word in _WORD.findall(question) for part in _parts_in(word, held))
    return list(dict.fromkeys(words))


def _parts_in(word: str, terms: Set[str]) -> list[str]:
    found = [term for term in split_terms(word) if term in terms]
    return found if not word.isascii() else [word] * bool(found)


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

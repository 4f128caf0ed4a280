"""Whom and what a question names: memories by one of their other names, and names that stand in what is remembered."""

import calendar
import re

import numpy as np
import numpy.typing as npt

from memory_platform.kernel.terms import terms
from snapshots.embedding.aliases import naming_marks
from snapshots.embedding.rows import ABOUT, SPEAKER, TEXT, term_key
from snapshots.recall.images.image import Image
from snapshots.recall.ranking.lexical import locate

# A capital inside a sentence: after a word and a blank. The first word of a sentence is none, whatever it is.
_NAME = re.compile(r"(?<=[a-z0-9,;'\u2019] )[A-Z][a-z]+(?:['\u2019][A-Z][a-z]+)?\b(?!['\u2019](?:m|ll|d|ve|re)\b)")
_CALENDAR = frozenset(map(str.lower, (*calendar.day_name, *calendar.month_name)))
_SPOKEN_NAMES = (TEXT, SPEAKER)


def read_names(text: str) -> frozenset[int]:
    """Return the keys of the terms of the names in ``text``: words with a capital inside an English sentence."""
    names = (name for name in _NAME.findall(text) if name.lower() not in _CALENDAR)
    return frozenset(term_key(term) for name in names for term in terms(name))


def holds_name(image: Image, names: frozenset[int]) -> bool:
    """Return whether any memory of ``image`` says one of the ``names`` or was said by who is called so."""
    found = locate(image, np.fromiter(names, np.uint64, len(names)))
    return bool((found.end - found.begin)[:, _SPOKEN_NAMES].any())


def named_rows(image: Image, text: str) -> npt.NDArray[np.bool_]:
    """Return which rows ``text`` names, shape (n,)."""
    named = np.zeros(image.size, np.bool_)
    found = locate(image, np.array([term_key(mark) for mark in naming_marks(text)], np.uint64))
    for begin, end in zip(found.begin[:, ABOUT].tolist(), found.end[:, ABOUT].tolist(), strict=True):
        named[image.postings.docs[begin:end]] = True
    return named

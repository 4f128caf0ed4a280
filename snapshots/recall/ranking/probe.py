"""A question made ready: what it asks for, in weighted terms, vectors and wishes. Pure, and bounded for any text."""

import re
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from memory_platform.kernel.stopwords import ENGLISH
from memory_platform.kernel.terms import terms
from memory_platform.kernel.text import detect_language, index_form
from memory_platform.providers.contracts import EmbeddingUnavailable, WordRelations
from snapshots.embedding.rows import Float32, term_key
from snapshots.recall.policy import ScoringPolicy
from snapshots.recall.times.expressions import NO_TIMES, Times, times_of

UInt64 = npt.NDArray[np.uint64]

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|[。!?！？]+|\n+")
_WORD = re.compile(r"[a-z][a-z']+")
_ASKS_WHEN = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:year|month|week|weekend|day|date|time)\b|\bhow long\b"
    r"|什么时候|什么时间|啥时候|何时|几点|几号|几月|哪一?[天年月周]|多久|多长时间|星期几|周几"
)


@dataclass(frozen=True, slots=True)
class Related:
    """Terms near to the question's own: the number of the term they stand for, their keys and cosines, best first."""

    source: UInt64
    keys: UInt64
    cosines: Float32


NO_RELATED = Related(np.zeros(0, np.uint64), np.zeros(0, np.uint64), np.zeros(0, np.float32))


@dataclass(frozen=True, slots=True)
class Probe:
    """A question made ready.

    ``terms`` are its terms by key with their weights, ``vectors`` its vector by embedding space (only of spaces that
    know its language), ``asks_when`` whether it asks for a time,
    ``times`` those it names, as seen from when it is asked, ``beside`` the keys of the terms it has beside them,
    ``needs`` how probable it is that
    the question needs memory at all, ``is_named`` whether that is so for a name in it that the memory holds,
    ``replies`` that it asks for what the assistant said.
    """

    terms: Mapping[int, float]
    vectors: Mapping[str, Float32]
    related: Related = NO_RELATED
    asks_when: bool = False
    times: Times = NO_TIMES
    beside: frozenset[int] = frozenset()
    needs: float = 1.0
    is_named: bool = False
    replies: float = 0.0
    is_chinese: bool = False


def make_probe(
    text: str, vectors: Mapping[str, Float32], policy: ScoringPolicy, relations: WordRelations | None = None
) -> Probe:
    """Return the probe of a question; ``vectors`` that say nothing (zero, not finite) are left out."""
    weighed = weigh_terms(text, policy)
    usable = {space: vector for space, vector in vectors.items() if np.isfinite(vector).all() and vector.any()}
    related = related_terms(text, weighed, policy, relations) if relations else NO_RELATED
    return Probe(
        weighed,
        usable,
        related,
        asks_when=bool(_ASKS_WHEN.search(index_form(text))),
        is_chinese=detect_language(text) == "zh",
    )


def asked_at(probe: Probe, text: str, moment: datetime) -> Probe:
    """Return the probe of ``text`` as it is meant at ``moment`` (aware)."""
    times = times_of(text, moment)
    beside = frozenset(map(term_key, terms(times.rest))) if times.spans else frozenset[int]()
    return replace(probe, times=times if times.spans else NO_TIMES, beside=beside)


def weigh_terms(text: str, policy: ScoringPolicy) -> dict[int, float]:
    """Return the terms of ``text`` by key: each sentence counts less than the one after it, down to a least share."""
    sentences = [part for part in _SENTENCE_END.split(text) if part.strip()]
    weighed: dict[int, float] = {}
    for back, sentence in enumerate(reversed(sentences)):
        weight = max(policy.sentence_decay**back, policy.sentence_least)
        for term, count in Counter(terms(sentence)).items():
            key = term_key(term)
            weighed[key] = weighed.get(key, 0.0) + count * weight
    return weighed


def related_terms(text: str, asked: Mapping[int, float], policy: ScoringPolicy, relations: WordRelations) -> Related:
    """Return terms near in meaning to the words of a short question; a long one says enough itself."""
    words = [word for word in dict.fromkeys(_WORD.findall(index_form(text))) if word not in ENGLISH]
    if len(words) > policy.related_words:
        return NO_RELATED
    try:
        found = [row for word in words for row in _near(cast(Hashable, relations), word, policy.related_cosine)]
    except EmbeddingUnavailable:
        return NO_RELATED
    kept = [row for row in dict.fromkeys(found) if row[1] not in asked]
    if not kept:
        return NO_RELATED
    source, keys, cosines = zip(*kept, strict=True)
    return Related(np.array(source, np.uint64), np.array(keys, np.uint64), np.array(cosines, np.float32))


@lru_cache(maxsize=8_192)
def _near(relations: Any, word: str, least: float) -> tuple[tuple[int, int, float], ...]:
    """Return (key of the word's term, key of a near term, cosine); kept, because questions share their words.

    ``relations`` are :class:`WordRelations`, told apart by identity.
    """
    return tuple(
        (term_key(source), term_key(term), cosine)
        for source in terms(word)
        for near, cosine in relations.related_words(word)
        if cosine >= least
        for term in terms(near)
    )

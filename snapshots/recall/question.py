"""A question made ready for recall: weighted terms, vectors, and the times and names in it. Bounded for any text.

Models are asked here, with no transaction open; a model that does not answer leaves the keywords.
"""

import calendar
import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from time import perf_counter
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from memory_platform.kernel.keyword_terms import ENGLISH, split_terms
from memory_platform.kernel.text import detect_language, index_form, truncate_text
from memory_platform.providers.contracts import EmbeddingUnavailable, WordRelations
from memory_platform.providers.registry import word_relations
from snapshots.embedding.embedding_spaces import Embedders, active_embedders
from snapshots.embedding.index_row_packing import Float32, hash_term
from snapshots.embedding.indexed_text import EVERY_LANGUAGE
from snapshots.recall.config import DEFAULT_RECALL, RecallPolicy, ScoringPolicy
from snapshots.recall.times.time_expressions import NO_TIMES, NamedTimes, find_times
from snapshots.recall.values import SEARCHED_LANES, SNAPSHOTS, DegradedReason
from snapshots.relevance.question_needs_model import predict_question_needs

UInt64 = npt.NDArray[np.uint64]

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|[。!?！？]+|\n+")
_WORD = re.compile(r"[a-z][a-z']+")
_ASKS_WHEN = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:year|month|week|weekend|day|date|time)\b|\bhow long\b"
    r"|什么时候|什么时间|啥时候|何时|几点|几号|几月|哪一?[天年月周]|多久|多长时间|星期几|周几"
)
# A capital inside a sentence, after a word and a blank: the first word of a sentence always has one.
_NAME = re.compile(r"(?<=[a-z0-9,;'\u2019] )[A-Z][a-z]+(?:['\u2019][A-Z][a-z]+)?\b(?!['\u2019](?:m|ll|d|ve|re)\b)")
_CALENDAR = frozenset(map(str.lower, (*calendar.day_name, *calendar.month_name)))


@dataclass(frozen=True, slots=True)
class RelatedTerms:
    """Terms near to the question's own: the key of the term they stand for, their keys and cosines, best first."""

    source: UInt64
    keys: UInt64
    cosines: Float32


NO_RELATED = RelatedTerms(np.zeros(0, np.uint64), np.zeros(0, np.uint64), np.zeros(0, np.float32))


@dataclass(frozen=True, slots=True)
class Probe:
    """One wording of a question as the ranking reads it.

    ``terms`` are weights by term key; ``vectors`` are by embedding space, only of spaces that know the language.
    ``times`` are the times that it names, relative to when it is asked, and ``beside`` the keys of its other terms.
    ``needs`` is the probability that it needs memory, ``is_named`` whether a name in the memory is the reason, and
    ``replies`` the probability that it asks for the assistant's words. ``names`` are the term keys of its names.
    """

    terms: Mapping[int, float]
    vectors: Mapping[str, Float32]
    related: RelatedTerms = NO_RELATED
    asks_when: bool = False
    times: NamedTimes = NO_TIMES
    beside: frozenset[int] = frozenset()
    needs: float = 1.0
    is_named: bool = False
    replies: float = 0.0
    is_chinese: bool = False
    names: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class OtherWording:
    """Another wording of a question."""

    text: str
    probe: Probe


@dataclass(frozen=True, slots=True)
class RecallQuestion:
    """A question with its probe, the models that embedded it, degraded reasons, and embedding milliseconds. ``others``
    are its other wordings; ``policy`` prepares and answers it."""

    probe: Probe
    embedders: Embedders
    degraded: frozenset[DegradedReason]
    embed_ms: float
    others: tuple[OtherWording, ...] = ()
    policy: RecallPolicy = DEFAULT_RECALL

    def resolve_times_at(self, text: str, moment: datetime) -> "RecallQuestion":
        """Return the question as it is meant at ``moment`` (aware); itself where that changes nothing."""
        probe = resolve_probe_times(self.probe, text, moment)
        return self if probe.times == self.probe.times else replace(self, probe=probe)


class Stopwatch:
    """Milliseconds by stage of one call; a stage that comes again adds up."""

    def __init__(self) -> None:
        self.ms: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = perf_counter()
        try:
            yield
        finally:
            self.ms[name] = round(self.ms.get(name, 0.0) + (perf_counter() - started) * 1000, 3)


def prepare_question(
    text: str, policy: RecallPolicy = DEFAULT_RECALL, *, lanes: Collection[str] = (SNAPSHOTS,)
) -> RecallQuestion:
    """Return the prepared question. No model is asked unless ``lanes`` need one. No transaction may be open."""
    return prepare_questions([text], policy, lanes=lanes)[0]


def prepare_questions(
    texts: Sequence[str], policy: RecallPolicy = DEFAULT_RECALL, *, lanes: Collection[str] = (SNAPSHOTS,)
) -> list[RecallQuestion]:
    """Return several prepared questions with one call to each model; all share the degraded reasons."""
    watch, embedders = Stopwatch(), active_embedders() if SEARCHED_LANES.intersection(lanes) else ()
    texts = [truncate_text(text, policy.question_chars) for text in texts]
    with watch.stage("embed"):
        embedded, degraded = embed_questions(texts, embedders)
        relations = word_relations(embedders)
        probes = [make_probe(*one, policy.scoring, relations) for one in zip(texts, embedded, strict=True)]
    questions = []
    for text, probe in zip(texts, probes, strict=True):
        wants = predict_question_needs(text, probe.vectors)
        ready = replace(probe, needs=wants.memory, replies=wants.replies)
        questions.append(RecallQuestion(ready, embedders, degraded, watch.ms["embed"], policy=policy))
    return questions


def add_wordings(question: RecallQuestion, others: Sequence[str]) -> RecallQuestion:
    """Return ``question`` with other wordings, embedded in one call to each model. No transaction may be open."""
    more = prepare_questions(others, question.policy)
    wordings = tuple(map(OtherWording, others, (one.probe for one in more)))
    return replace(question, others=wordings, degraded=question.degraded.union(*(one.degraded for one in more)))


def embed_questions(
    texts: Sequence[str], embedders: Embedders
) -> tuple[list[dict[str, Float32]], frozenset[DegradedReason]]:
    languages = list(map(detect_language, texts))
    vectors: list[dict[str, Float32]] = [{} for _ in texts]
    degraded: frozenset[DegradedReason] = frozenset()
    for embedder in embedders:
        known = [i for i, language in enumerate(languages) if {language, EVERY_LANGUAGE} & set(embedder.languages)]
        try:
            rows = embedder.embed_questions([texts[i] for i in known]) if known else ()
        except EmbeddingUnavailable:
            degraded = frozenset({DegradedReason.EMBEDDING_UNAVAILABLE})
            continue
        for i, row in zip(known, rows, strict=True):
            vectors[i][embedder.name] = row
    return vectors, degraded


def make_probe(
    text: str, vectors: Mapping[str, Float32], policy: ScoringPolicy, relations: WordRelations | None = None
) -> Probe:
    """Return the probe of a text, without vectors that are zero or not finite."""
    weighed = weigh_terms_by_sentence(text, policy)
    usable = {space: vector for space, vector in vectors.items() if np.isfinite(vector).all() and vector.any()}
    related = find_related_terms(text, weighed, policy, relations) if relations else NO_RELATED
    return Probe(
        weighed,
        usable,
        related,
        asks_when=bool(_ASKS_WHEN.search(index_form(text))),
        is_chinese=detect_language(text) == "zh",
        names=parse_names(text),
    )


def resolve_probe_times(probe: Probe, text: str, moment: datetime) -> Probe:
    """Return the probe of ``text`` with the times that it names, read at ``moment`` (aware)."""
    times = find_times(text, moment)
    beside = frozenset(map(hash_term, split_terms(times.rest))) if times.spans else frozenset[int]()
    return replace(probe, times=times if times.spans else NO_TIMES, beside=beside)


def weigh_terms_by_sentence(text: str, policy: ScoringPolicy) -> dict[int, float]:
    """Return weights by term key: each sentence counts less than the one after it, down to a least share."""
    sentences = [part for part in _SENTENCE_END.split(text) if part.strip()]
    weighed: dict[int, float] = {}
    for back, sentence in enumerate(reversed(sentences)):
        weight = max(policy.sentence_decay**back, policy.sentence_least)
        for term, count in Counter(split_terms(sentence)).items():
            key = hash_term(term)
            weighed[key] = weighed.get(key, 0.0) + count * weight
    return weighed


def find_related_terms(
    text: str, query_terms: Mapping[int, float], policy: ScoringPolicy, relations: WordRelations
) -> RelatedTerms:
    """Return terms near in meaning to the words of a short question; a long one says enough itself."""
    words = [word for word in dict.fromkeys(_WORD.findall(index_form(text))) if word not in ENGLISH]
    if len(words) > policy.related_words:
        return NO_RELATED
    try:
        found = [
            row for word in words for row in _find_near_terms(cast(Hashable, relations), word, policy.related_cosine)
        ]
    except EmbeddingUnavailable:
        return NO_RELATED
    kept = [row for row in dict.fromkeys(found) if row[1] not in query_terms]
    if not kept:
        return NO_RELATED
    source, keys, cosines = zip(*kept, strict=True)
    return RelatedTerms(np.array(source, np.uint64), np.array(keys, np.uint64), np.array(cosines, np.float32))


# Cached, because questions share their words. Relations are compared by identity.
@lru_cache(maxsize=8_192)
def _find_near_terms(relations: Any, word: str, least: float) -> tuple[tuple[int, int, float], ...]:
    """Return (key of the word's term, key of a near term, cosine) of each near term."""
    return tuple(
        (hash_term(source), hash_term(term), cosine)
        for source in split_terms(word)
        for near, cosine in relations.related_words(word)
        if cosine >= least
        for term in split_terms(near)
    )


def parse_names(text: str) -> frozenset[int]:
    """Return the term keys of the names in ``text``: words with a capital inside an English sentence."""
    names = (name for name in _NAME.findall(text) if name.lower() not in _CALENDAR)
    return frozenset(hash_term(term) for name in names for term in split_terms(name))

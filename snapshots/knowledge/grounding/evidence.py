"""The sentence of a document that comes nearest to a sentence, and how well it supports that."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from memory_platform.kernel.keyword_terms import split_terms
from memory_platform.providers.contracts import EmbeddingUnavailable
from memory_platform.providers.registry import embedders
from snapshots.embedding.index_row_packing import Float32
from snapshots.knowledge.chunking.sentences import find_sentence_ends
from snapshots.knowledge.grounding.config import (
    EVIDENCE,
    LIMITS,
    SUPPORT,
    EvidenceChoice,
    EvidenceSupport,
    GroundingLimits,
)
from snapshots.knowledge.grounding.fact_comparison import compare_facts
from snapshots.knowledge.grounding.values import FactDifference

# Sixteen languages in one space; it comes with the platform, whatever EMBEDDER names.
ENCODER = "use"


@dataclass(frozen=True, slots=True)
class PassageText:
    """The text that a sentence is compared with: a chunk's text, and the headings that it stands under."""

    text: str
    headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChosenEvidence:
    """One sentence, or two adjacent ones, ``[start:end]`` of the passage of this number. ``likeness``, 0 to 1, tells
    whether it is of the same matter, ``support`` whether it says the same."""

    passage: int
    start: int
    end: int
    likeness: float
    support: float
    differences: Sequence[FactDifference]


@dataclass(frozen=True, slots=True)
class _Window:
    passage: int
    start: int
    end: int
    text: str
    is_pair: bool
    words: float


def choose_evidence(
    claims: Sequence[tuple[str, Sequence[PassageText]]], limits: GroundingLimits = LIMITS
) -> tuple[list[ChosenEvidence | None], bool]:
    """Return for each sentence, given with its passages, the nearest evidence, None without any; and whether the
    sentence encoder answered. Without it words alone decide. No transaction may be open."""
    windows = [_list_windows(claim, passages, limits) for claim, passages in claims]
    texts = [claim for claim, _ in claims] + [one.text for held in windows for one in held]
    vectors = _embed(list(dict.fromkeys(texts)), limits)
    found = [_choose(claim, passages, held, vectors) for (claim, passages), held in zip(claims, windows, strict=True)]
    return found, bool(vectors) or not texts


def estimate_support(words: float, meaning: float, *, differs: bool, config: EvidenceSupport = SUPPORT) -> float:
    """Return how probably evidence supports a sentence, 0 to 1, from their common words and whether a fact differs: two
    texts that differ in one fact alone have nearly everything in common."""
    odds = config.base + config.words * words + config.meaning * meaning
    return (config.differing if differs else 1.0) / (1 + math.exp(-odds))


def _embed(texts: Sequence[str], limits: GroundingLimits) -> Mapping[str, Float32]:
    if not texts:
        return {}
    try:
        (encoder,) = embedders(ENCODER)
        rows = encoder.embed([text[: limits.window_characters] for text in texts])
    except EmbeddingUnavailable:
        return {}
    return dict(zip(texts, rows, strict=True))


def _list_windows(claim: str, passages: Sequence[PassageText], limits: GroundingLimits) -> list[_Window]:
    """Return the sentences and pairs of sentences with most of the claim's words, the rare ones weighing more."""
    spans = [list(_split_spans(one.text)) for one in passages]
    terms = [
        [frozenset(split_terms(one.text[start:end])) for start, end in own]
        for one, own in zip(passages, spans, strict=True)
    ]
    weights = _weigh_terms(claim, [one for own in terms for one in own])
    found = [
        window
        for number, passage in enumerate(passages)
        for window in _list_windows_of(number, passage, spans[number], terms[number], weights)
    ]
    found.sort(key=lambda one: EVIDENCE.pair * one.is_pair - one.words)
    return found[: limits.embedded]


def _list_windows_of(
    number: int,
    passage: PassageText,
    spans: Sequence[tuple[int, int]],
    terms: Sequence[frozenset[str]],
    weights: Mapping[str, float],
) -> Iterator[_Window]:
    heading = frozenset(split_terms(" ".join(passage.headings)))
    for first, (start, end) in enumerate(spans):
        words = _share_words(weights, terms[first], heading)
        yield _Window(number, start, end, passage.text[start:end], is_pair=False, words=words)
        if first + 1 < len(spans):
            second = spans[first + 1][1]
            words = _share_words(weights, terms[first] | terms[first + 1], heading)
            yield _Window(number, start, second, passage.text[start:second], is_pair=True, words=words)


def _share_words(weights: Mapping[str, float], terms: Set[str], heading: Set[str]) -> float:
    """Return the share of the claim's words, by weight, that stand in a window; in its heading they count less."""
    common = sum(
        weight * (1 if term in terms else EVIDENCE.heading_share if term in heading else 0)
        for term, weight in weights.items()
    )
    return common / (sum(weights.values()) or 1.0)


def _split_spans(text: str) -> list[tuple[int, int]]:
    spans, start = [], 0
    for end in find_sentence_ends(text):
        words = text[start:end]
        if words.strip():
            spans.append((start + len(words) - len(words.lstrip()), start + len(words.rstrip())))
        start = end
    return spans


def _weigh_terms(claim: str, sentences: Sequence[Set[str]]) -> Mapping[str, float]:
    frequency = Counter(term for held in sentences for term in held)
    total = len(sentences)
    terms = dict.fromkeys(split_terms(claim))
    return {one: math.log(1 + (total - frequency[one] + 0.5) / (frequency[one] + 0.5)) for one in terms}


def _choose(
    claim: str,
    passages: Sequence[PassageText],
    windows: Sequence[_Window],
    vectors: Mapping[str, Float32],
    config: EvidenceChoice = EVIDENCE,
) -> ChosenEvidence | None:
    if not windows:
        return None
    meanings = [float(vectors[claim] @ vectors[one.text]) if vectors else one.words for one in windows]
    likeness = [
        config.words * one.words + config.meaning * meaning for one, meaning in zip(windows, meanings, strict=True)
    ]
    best = int(np.argmax([like - config.pair * one.is_pair for like, one in zip(likeness, windows, strict=True)]))
    window = windows[best]
    differences = compare_facts(claim, window.text)
    support = estimate_support(window.words, meanings[best], differs=bool(differences))
    is_near = likeness[best] >= config.least
    return ChosenEvidence(
        window.passage, window.start, window.end, likeness[best], support, differences if is_near else ()
    )

"""The sentence of a document that comes nearest to a sentence, and how well it supports that."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from memory_platform.kernel.keyword_terms import split_terms
from memory_platform.providers.contracts import EmbeddingUnavailable
from memory_platform.providers.registry import embedders
from snapshots.embedding.index_row_packing import Float32
from snapshots.knowledge.chunking.sentence_borders import find_sentence_ends
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
class SupportSigns:
    """Signs whether the likest evidence without a differing fact supports a sentence: the share of its words, by
    weight, and the cosine. ``rival``: by how much evidence with a differing fact is more like it. ``is_contradicted``:
    each evidence differs, and these are of the likest."""

    words: float
    meaning: float
    rival: float
    is_contradicted: bool


@dataclass(frozen=True, slots=True)
class _Window:
    passage: int
    start: int
    end: int
    text: str
    is_pair: bool
    words: float
    above: str


@dataclass(frozen=True, slots=True)
class ComparedEvidence:
    """One sentence, or two adjacent ones, of a passage beside the sentence that is checked. ``likeness`` as in
    :class:`ChosenEvidence`; ``order`` is the likeness, of two sentences a little less."""

    window: _Window
    meaning: float
    likeness: float
    order: float
    differences: Sequence[FactDifference]


def choose_evidence(
    claims: Sequence[tuple[str, Sequence[PassageText]]], limits: GroundingLimits = LIMITS
) -> tuple[list[ChosenEvidence | None], bool]:
    """Return for each sentence, given with its passages, the nearest evidence, None without any; and whether the
    sentence encoder answered. Without it words alone decide. No transaction may be open."""
    compared, is_embedded = compare_evidence(claims, limits)
    return [_choose(one) if one else None for one in compared], is_embedded


def compare_evidence(
    claims: Sequence[tuple[str, Sequence[PassageText]]], limits: GroundingLimits = LIMITS
) -> tuple[list[list[ComparedEvidence]], bool]:
    """Return for each sentence all evidence that it is compared with, and whether the sentence encoder answered."""
    windows = [_list_windows(claim, passages, limits) for claim, passages in claims]
    texts = [claim for claim, _ in claims] + [one.text for held in windows for one in held]
    vectors = _embed(list(dict.fromkeys(texts)), limits)
    compared = [
        [_compare(claim, one, vectors) for one in held] for (claim, _), held in zip(claims, windows, strict=True)
    ]
    return compared, bool(vectors) or not texts


def read_signs(
    compared: Sequence[ComparedEvidence], config: EvidenceSupport = SUPPORT
) -> tuple[SupportSigns, ComparedEvidence]:
    """Return the signs of support, and the evidence whose they are, of a sentence with any evidence."""
    agreeing = [one for one in compared if not one.differences]
    best = max(agreeing or compared, key=lambda one: one.order)
    rival = max((one.order for one in compared if one.differences), default=config.no_rival)
    return SupportSigns(best.window.words, best.meaning, rival - best.order, is_contradicted=not agreeing), best


def estimate_support(signs: SupportSigns, config: EvidenceSupport = SUPPORT) -> float:
    """Return how well evidence supports a sentence, 0 to 1: an uncalibrated score. Two texts that differ in one fact
    have nearly all else in common, so that what counts is whether evidence without a difference is as near as evidence
    with one."""
    odds = (
        config.base
        + config.words * signs.words
        + config.meaning * signs.meaning
        + config.rival * signs.rival
        + config.contradicted * signs.is_contradicted
    )
    return 1 / (1 + math.exp(-odds))


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
        for window in _list_windows_of(number, passage, spans[number], terms[number], weights, limits.before_characters)
    ]
    found.sort(key=lambda one: EVIDENCE.pair * one.is_pair - one.words)
    return found[: limits.embedded]


def _list_windows_of(
    number: int,
    passage: PassageText,
    spans: Sequence[tuple[int, int]],
    terms: Sequence[frozenset[str]],
    weights: Mapping[str, float],
    before_characters: int,
) -> Iterator[_Window]:
    headings = "\n".join(passage.headings)
    heading = frozenset(split_terms(headings))
    for first, (start, end) in enumerate(spans):
        above = f"{headings}\n{passage.text[max(0, start - before_characters) : start]}"
        words = _share_words(weights, terms[first], heading)
        yield _Window(number, start, end, passage.text[start:end], is_pair=False, words=words, above=above)
        if first + 1 < len(spans):
            second = spans[first + 1][1]
            words = _share_words(weights, terms[first] | terms[first + 1], heading)
            yield _Window(number, start, second, passage.text[start:second], is_pair=True, words=words, above=above)


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


def _compare(
    claim: str, window: _Window, vectors: Mapping[str, Float32], config: EvidenceChoice = EVIDENCE
) -> ComparedEvidence:
    meaning = float(vectors[claim] @ vectors[window.text]) if vectors else window.words
    likeness = config.words * window.words + config.meaning * meaning
    order = likeness - config.pair * window.is_pair
    return ComparedEvidence(window, meaning, likeness, order, compare_facts(claim, window.text, window.above))


def _choose(compared: Sequence[ComparedEvidence]) -> ChosenEvidence:
    """Return the evidence that supports the sentence, else the nearest with what differs."""
    signs, agreeing = read_signs(compared)
    support = estimate_support(signs)
    is_supported = support >= SUPPORT.supported
    best = agreeing if is_supported else max(compared, key=lambda one: one.order)
    differences = best.differences if best.likeness >= EVIDENCE.least else ()
    return ChosenEvidence(best.window.passage, best.window.start, best.window.end, best.likeness, support, differences)

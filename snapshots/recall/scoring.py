"""Scores of every memory for one question: BM25 and dense in two views each, summed as z-scores, smoothed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import simsimd

from memory_platform.kernel.terms import terms
from memory_platform.kernel.text import detect_language
from snapshots.embedding.rows import ABOUT, BEFORE, SPEAKER, TEXT, Float32, Int8, quantise, term_key
from snapshots.recall.image import Image, Int32, Speaker
from snapshots.recall.policy import ScoringPolicy

MATRIX_CELLS = 1_000_000
"""Terms x memories scored at once, 16 MB. Measured at 10,000 memories: 48 terms at once 2.9 ms, one by one 9.8 ms."""

Mask = npt.NDArray[np.bool_]

_FLAT = 1e-6
"""A view whose standard deviation is below this tells memories apart by rounding only."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A question made ready: counted terms, its vector (None: keywords only) and its language.

    ``floor`` is the cosine from which nearness alone makes a memory an answer, a property of the vector's space.
    """

    terms: Mapping[int, int]
    vector: Float32 | None
    language: str
    floor: float = -1.0


@dataclass(frozen=True, slots=True)
class Scores:
    """Per memory: BM25 and cosine in two views each, shape (2, n), 0 where left out; and the fused score.

    ``found`` marks memories that a word or nearness speaks for, ``dense_held`` those with a vector where the dense
    views count; ``smoothed`` is the part of ``fused`` that came from neighbours.
    """

    keyword: Float32
    dense: Float32
    dense_held: Mask
    smoothed: Float32
    fused: Float32
    found: Mask


def make_probe(text: str, vector: Float32 | None, *, floor: float = -1.0) -> Probe:
    """Return the probe of a question; ``vector`` comes from the embedder of the image's space, or is None."""
    if vector is not None and not (np.isfinite(vector).all() and vector.any()):
        vector = None
    return Probe(Counter(map(term_key, terms(text))), vector, detect_language(text), floor)


def score_memories(image: Image, probe: Probe, policy: ScoringPolicy) -> Scores:
    """Return the scores of all memories of ``image``; all finite."""
    named = [speaker for speaker in image.speakers if speaker.keys and speaker.keys <= probe.terms.keys()]
    lexical = bm25(image, _without_names(probe.terms, named), policy)
    dense = _dense_views(image, probe)
    views, weights = [*lexical], [policy.keyword_dated, policy.keyword_window]
    found: Mask = np.any(lexical, axis=0)
    if dense is not None:
        views += dense.cosines
        weights += [policy.dense_dated, policy.dense_continued]
        found = found | (dense.held & (np.maximum(*dense.cosines) >= probe.floor))
    own = fuse(np.array(views), np.array(weights, np.float32))
    fused = smooth(image, own, policy)
    smoothed: Float32 = fused - own
    for speaker in named:
        fused[speaker.rows] += np.float32(policy.named_speaker)
    if dense is None:
        return Scores(lexical, np.zeros_like(lexical), np.zeros_like(found), smoothed, fused, found)
    return Scores(lexical, np.array(dense.cosines), dense.held, smoothed, fused, found)


def bm25(image: Image, query: Mapping[int, int], policy: ScoringPolicy, *, cells: int = MATRIX_CELLS) -> Float32:
    """Return BM25 per memory, shape (2, n): its own words with speaker and date; the same over the window of +-2."""
    n = image.size
    out = np.zeros((2, n), np.float32)
    chosen, counts = rarest_terms(image, query, policy.query_terms)
    if not n or not len(chosen):
        return out
    norms = [_length_norm(length, policy) for length in (image.dated_length, image.window_length)]
    step = max(1, cells // n)
    for start in range(0, len(chosen), step):
        views = term_frequencies(image, chosen[start : start + step])
        for i, (view, norm) in enumerate(zip(views, norms, strict=True)):
            df = np.count_nonzero(view, axis=1).astype(np.float32)
            idf = counts[start : start + step] * np.log(1 + (n - df + 0.5) / (df + 0.5))
            out[i] += idf.astype(np.float32) @ (view / (view + norm))
    return out


def rarest_terms(image: Image, query: Mapping[int, int], limit: int) -> tuple[npt.NDArray[np.uint64], Float32]:
    """Return the at most ``limit`` terms of the question that fewest memories hold, and how often it says them."""
    keys = np.fromiter(query.keys(), np.uint64, len(query))
    counts = np.fromiter(query.values(), np.float32, len(query))
    frequency = np.zeros(len(keys), np.int64)
    for field in (TEXT, SPEAKER, ABOUT, BEFORE):
        begin, end = _postings_of(image, keys, field)
        frequency += end - begin
    order = np.argsort(frequency, kind="stable")
    order = order[frequency[order] > 0][:limit]
    return keys[order], counts[order]


def term_frequencies(image: Image, keys: npt.NDArray[np.uint64]) -> tuple[Float32, Float32]:
    """Return how often each memory holds each term, shape (terms, n) each: dated view, window view."""
    n = image.size
    dated, window = np.zeros((2, len(keys), n + 1), np.float32)
    pointers = image.neighbours
    for field in (TEXT, SPEAKER, ABOUT, BEFORE):
        rows, docs, tf = _gather(image, keys, field)
        if field != BEFORE:
            dated[rows, docs] += tf
        if field != ABOUT:
            window[rows, docs] += tf
        if field == TEXT:
            for pointer in (pointers.previous, pointers.previous2, pointers.next, pointers.next2):
                # Unique but for the sentinel, whose column is cut off.
                window[rows, pointer[docs]] += tf
    return dated[:, :n], window[:, :n]


def fuse(views: Float32, weights: Float32) -> Float32:
    """Return the weighted sum of z-scores, shape (n,); weights are scaled to 1, views that say nothing are left out."""
    if not views.shape[1]:
        return np.zeros(0, np.float32)
    centred = views - views.mean(axis=1, keepdims=True)
    spread = np.sqrt(np.einsum("ij,ij->i", centred, centred) / views.shape[1])
    telling = spread > _FLAT
    if not telling.any():
        return np.zeros(views.shape[1], np.float32)
    share = np.where(telling, weights / np.where(telling, spread, 1), 0) / weights[telling].sum()
    return np.asarray(share.astype(np.float32) @ centred, np.float32)


def smooth(image: Image, scores: Float32, policy: ScoringPolicy) -> Float32:
    """Add shares of the scores of the memories before and after each in its conversation."""
    padded = np.append(scores, np.float32(0))
    before, after = padded[image.neighbours.previous[:-1]], padded[image.neighbours.next[:-1]]
    smoothed: Float32 = scores + np.float32(policy.smooth_previous) * before + np.float32(policy.smooth_next) * after
    return smoothed


def cosines(matrix: Int8, scales: Float32, vector: Float32) -> Float32:
    """Return the cosine of ``vector`` with every int8 row, shape (n,); 0 for rows without a vector."""
    scale, query = quantise(vector / np.linalg.norm(vector))
    dots: Float32 = np.asarray(simsimd.cdist(query[None], matrix, "dot"), np.float32)[0]
    cosine: Float32 = dots * scales * np.float32(scale)
    return cosine


@dataclass(frozen=True, slots=True)
class _Dense:
    """Cosines of the two dense views, and which memories have vectors at all."""

    cosines: list[Float32]
    held: Mask


def _dense_views(image: Image, probe: Probe) -> _Dense | None:
    """Return both dense views, or None when the question's language is not one the space knows."""
    dense = image.dense
    if dense is None or probe.vector is None or probe.language not in image.dense_languages:
        return None
    held = np.any(dense.scales, axis=0)
    matrices = zip((dense.dated, dense.continued), dense.scales, strict=True)
    views = [cosines(matrix, scales, probe.vector) for matrix, scales in matrices]
    for view in views:
        # A memory without a vector is neither near nor far: the mean leaves it to the keywords.
        view[~held] = view[held].mean()
    return _Dense(views, held)


def _without_names(terms: Mapping[int, int], named: Sequence[Speaker]) -> Mapping[int, int]:
    """Leave the names of named speakers to the speaker preference, unless the question says nothing else."""
    names = {key for speaker in named for key in speaker.keys}
    return {term: count for term, count in terms.items() if term not in names} or terms


def _length_norm(length: Float32, policy: ScoringPolicy) -> Float32:
    mean = max(float(length.mean()), 1.0)
    return (policy.bm25_k1 * (1 - policy.bm25_b + policy.bm25_b * length / mean)).astype(np.float32)


def _postings_of(
    image: Image, keys: npt.NDArray[np.uint64], field: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return where the postings of each key begin and end; equal for a key that no memory holds."""
    held, ptr = image.postings.keys, image.postings.ptr
    wanted = keys << np.uint64(2) | np.uint64(field)
    place = np.searchsorted(held, wanted)
    known = np.zeros(len(keys), np.bool_)
    inside = place < len(held)
    known[inside] = held[place[inside]] == wanted[inside]
    place = np.where(known, place, 0)
    return np.where(known, ptr[place], 0), np.where(known, ptr[np.minimum(place + 1, len(ptr) - 1)], 0)


def _gather(image: Image, keys: npt.NDArray[np.uint64], field: int) -> tuple[npt.NDArray[np.int64], Int32, Float32]:
    """Return, for all postings of ``keys`` in one field: the key's number, the row, the term frequency."""
    begin, end = _postings_of(image, keys, field)
    count = end - begin
    rows = np.repeat(np.arange(len(keys)), count)
    at = np.arange(count.sum()) + np.repeat(begin - np.append(0, count.cumsum()[:-1]), count)
    return rows, image.postings.docs[at], image.postings.tf[at]

"""Score every memory for one question: words, vectors, fusion, neighbours, preferences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import simsimd

from snapshots.embedding.index_row_packing import ABOUT, Float32, Int8, hash_term, quantise
from snapshots.embedding.marker_terms import QUESTION, TIME
from snapshots.recall.config import ScoringPolicy
from snapshots.recall.memory_indexes.index_columns import Int32
from snapshots.recall.memory_indexes.memory_index import DenseSpace, MemoryIndex, SpeakerRows
from snapshots.recall.question import Probe
from snapshots.recall.ranking.keyword_scores import OWN, SITTING, WINDOW, choose_scored_terms, locate_terms, score_bm25
from snapshots.recall.times.time_expressions import NamedTimeSpan

Mask = npt.NDArray[np.bool_]

_DAY = 86_400
# A view whose standard deviation is below this tells memories apart by rounding only.
_FLAT = 1e-6


@dataclass(frozen=True, slots=True)
class MemoryScores:
    """BM25 (own words, window) and cosine (alone, continued), shape (2, n), 0 where missing; the others shape (n,).

    ``fused`` is the score, of which ``smoothed`` came from neighbours, ``conversation`` from the session and
    ``preferred`` from preferences. ``matches`` marks memories that a word, nearness or the time speaks for;
    ``dense_held`` those with a vector.
    """

    keyword: Float32
    dense: Float32
    dense_held: Mask
    conversation: Float32
    smoothed: Float32
    preferred: Float32
    fused: Float32
    matches: Mask


@dataclass(frozen=True, slots=True)
class VectorNearness:
    """How near each memory's vectors are to the question's, in two dense views, shape (2, n).

    ``standing`` are the ``cosines`` as z-scores within each space times its weight, 0 without a vector. ``has_vector``
    marks memories that were compared, ``near`` those near enough to be answers. ``alike``, 0 to 1: how much a memory
    says the same as the question. ``weight`` is the spaces' mean weight.
    """

    cosines: Float32
    standing: Float32
    has_vector: Mask
    near: Mask
    weight: float
    alike: Float32


def score_memories(index: MemoryIndex, probe: Probe, policy: ScoringPolicy) -> MemoryScores:
    return combine_scores(
        index, probe, match_words(index, probe, policy), compare_vectors(index, probe, policy), policy
    )


def match_words(index: MemoryIndex, probe: Probe, policy: ScoringPolicy) -> Float32:
    """Return BM25 per memory and view, shape (3, n), without the names of speakers in the question."""
    terms = _drop_speaker_names(probe.terms, find_named_speakers(index, probe))
    return score_bm25(index, choose_scored_terms(index, terms, probe.related, policy), policy)


def combine_scores(
    index: MemoryIndex, probe: Probe, words: Float32, nearness: VectorNearness, policy: ScoringPolicy
) -> MemoryScores:
    named = find_named_speakers(index, probe)
    own, conversation = fuse_views(words, nearness, policy)
    judged = own + score_length_and_questions(index, policy) - score_repeated_questions(index, nearness, policy)
    fused = smooth_by_neighbours(index, judged, policy)
    then = score_said_in_time(index, probe.times.spans, policy)
    preferred = score_preferences(index, probe, named, policy) + then
    asks_only_for_time = probe.beside <= {key for speaker in named for key in speaker.keys}
    return MemoryScores(
        keyword=words[[OWN, WINDOW]],
        dense=nearness.cosines,
        dense_held=nearness.has_vector,
        conversation=conversation,
        smoothed=fused - judged,
        preferred=judged - own + preferred,
        fused=fused + preferred,
        matches=(words[OWN] > 0) | (words[WINDOW] > 0) | nearness.near | (asks_only_for_time & (then > 0)),
    )


def find_named_speakers(index: MemoryIndex, probe: Probe) -> list[SpeakerRows]:
    return [speaker for speaker in index.speakers if speaker.keys and speaker.keys <= probe.terms.keys()]


def fuse_views(words: Float32, nearness: VectorNearness, policy: ScoringPolicy) -> tuple[Float32, Float32]:
    """Return the weighted mean of the z-scores of all views, and the share that the session's view gave. Views that
    tell no memories apart are left out of the mean."""
    keyword = np.array([policy.keyword_own, policy.keyword_window, policy.keyword_sitting], np.float32)
    dense = np.array([policy.dense_dated, policy.dense_continued], np.float32)
    standing = standardise_views(words, policy)
    total = keyword[standing.any(axis=1)].sum() + nearness.weight * dense[nearness.standing.any(axis=1)].sum()
    keyword, dense = keyword / max(total, _FLAT), dense / max(total, _FLAT)
    fused = keyword @ standing + dense @ nearness.standing
    return np.asarray(fused, np.float32), np.asarray(keyword[SITTING] * standing[SITTING], np.float32)


def standardise_views(views: Float32, policy: ScoringPolicy) -> Float32:
    return compute_z_scores(views if policy.fusion == "scores" else compute_reciprocal_ranks(views, policy.rrf_k))


def compute_reciprocal_ranks(views: Float32, k: float) -> Float32:
    """Return ``1 / (k + rank)`` in each row of ``views`` (k, n); equal scores share a rank, 0 is in no list."""
    ranks = np.stack([np.searchsorted(np.sort(-view), -view) for view in views]) + 1
    return np.asarray(np.where(views == 0, 0, 1 / (k + ranks)), np.float32)


def compute_z_scores(views: Float32) -> Float32:
    """Return each row of ``views`` (k, n) as z-scores; zeros for a row without spread."""
    if not views.shape[1]:
        return views
    centred = views - views.mean(axis=1, keepdims=True)
    spread = np.sqrt(np.einsum("ij,ij->i", centred, centred) / views.shape[1])
    telling = spread > _FLAT
    return np.asarray(centred * np.where(telling, 1 / np.where(telling, spread, 1), 0)[:, None], np.float32)


def score_length_and_questions(index: MemoryIndex, policy: ScoringPolicy) -> Float32:
    key = ("form", policy.longer, policy.asking)
    worth = index.cache.get(key)
    if worth is None:
        worth = np.asarray(np.float32(policy.longer) * np.log1p(index.dated_length), np.float32)
        worth[find_marked_rows(index, QUESTION)] -= np.float32(policy.asking)
        index.cache[key] = worth
    return np.asarray(worth, np.float32)


def find_marked_rows(index: MemoryIndex, mark: str) -> Int32:
    found = locate_terms(index, np.array([hash_term(mark)], np.uint64))
    return index.postings.docs[found.begin[0, ABOUT] : found.end[0, ABOUT]]


def score_repeated_questions(index: MemoryIndex, nearness: VectorNearness, policy: ScoringPolicy) -> Float32:
    taken = np.zeros(len(index.ids), np.float32)
    rows = find_marked_rows(index, QUESTION)
    taken[rows] = np.float32(policy.asked_alike) * nearness.alike[rows]
    return taken


def smooth_by_neighbours(index: MemoryIndex, scores: Float32, policy: ScoringPolicy) -> Float32:
    padded = np.append(scores, np.float32(0))
    before, after = padded[index.neighbours.previous[:-1]], padded[index.neighbours.next[:-1]]
    smoothed: Float32 = scores + np.float32(policy.smooth_previous) * before + np.float32(policy.smooth_next) * after
    return smoothed


def score_preferences(
    index: MemoryIndex, probe: Probe, speakers: Sequence[SpeakerRows], policy: ScoringPolicy
) -> Float32:
    """Return each memory's bonus for a speaker that the question names, and for naming a time when asked."""
    gained = np.zeros(len(index.ids), np.float32)
    for speaker in speakers:
        gained[speaker.rows] += np.float32(policy.named_speaker)
    if probe.asks_when:
        gained[find_marked_rows(index, TIME)] += np.float32(policy.named_time)
    return gained


def score_said_in_time(index: MemoryIndex, spans: Sequence[NamedTimeSpan], policy: ScoringPolicy) -> Float32:
    """Return each memory's bonus for its time of saying: full within a span, less in the days after it."""
    gained = np.zeros(len(index.ids), np.float32)
    said = np.nan_to_num(index.columns.said_at, nan=-np.inf)
    for span in spans:
        late = np.maximum(said - span.end.timestamp(), 0) / max(policy.said_after_days * _DAY, 1)
        worth = (policy.said_recently if span.vague else policy.said_in_time) * np.maximum(1 - late, 0)
        gained = np.maximum(gained, np.where(said >= span.start.timestamp(), worth, 0).astype(np.float32))
    return gained


def compare_vectors(index: MemoryIndex, probe: Probe, policy: ScoringPolicy) -> VectorNearness:
    """Compare the question with every memory that has a vector in one of its spaces."""
    cosine, standing = np.zeros((2, 2, len(index.ids)), np.float32)
    held, near = np.zeros((2, len(index.ids)), np.bool_)
    alike = np.zeros(len(index.ids), np.float32)
    weighed = 0.0
    for space in index.spaces:
        if space.name in probe.vectors:
            found = compute_space_cosines(space, probe.vectors[space.name])
            weight = dict(policy.dense_weights).get(space.name, 1.0)
            cosine[:, space.rows], held[space.rows] = found, True
            near[space.rows] = found.max(axis=0) >= dict(policy.cosine_floors).get(space.name, -1.0)
            if (least := dict(policy.alike_cosines).get(space.name, 1.0)) < 1:
                alike[space.rows] = np.clip((found[0] - least) / (1 - least), 0, 1)
            standing[:, space.rows] = np.float32(weight) * standardise_views(found, policy)
            weighed += weight * len(space.rows)
    return VectorNearness(cosine, standing, held, near, weighed / max(int(held.sum()), 1), alike)


def compute_space_cosines(space: DenseSpace, vector: Float32) -> Float32:
    """Return the cosines of ``vector`` with both views of a space's memories, shape (2, m)."""
    views = zip((space.dated, space.continued), space.scales, strict=True)
    return np.stack([compute_cosines(matrix, scales, vector) for matrix, scales in views])


def compute_cosines(matrix: Int8, scales: Float32, vector: Float32) -> Float32:
    """Return the cosine of ``vector`` with every int8 row, shape (n,); 0 for rows without a vector."""
    scale, query = quantise(vector / np.linalg.norm(vector))
    dots: Float32 = np.asarray(simsimd.cdist(query[None], matrix, "dot"), np.float32)[0]
    cosine: Float32 = dots * scales * np.float32(scale)
    return cosine


def _drop_speaker_names(terms: Mapping[int, float], speakers: Sequence[SpeakerRows]) -> Mapping[int, float]:
    """Leave names to the speaker preference, unless the question says nothing else."""
    names = {key for speaker in speakers for key in speaker.keys}
    return {term: weight for term, weight in terms.items() if term not in names} or terms

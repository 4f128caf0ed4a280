"""Notes and replies: ranked each in an image of their own, by how probably they help (:mod:`snapshots.relevance`).

Notes have no neighbours and no sittings (:mod:`snapshots.recall.images.sittings`): of what was said around a note, only
the turn before it counts, where it was indexed with the note.
"""

from dataclasses import replace

import numpy as np

from snapshots.embedding.rows import TEXT, Float32
from snapshots.recall.images.columns import Float64
from snapshots.recall.images.image import Image
from snapshots.recall.policy import RecallPolicy
from snapshots.recall.ranking.pipeline import Mask, alive_rows, best_sayings, hits_of, relevant_rows
from snapshots.recall.ranking.probe import Probe, asked_at
from snapshots.recall.ranking.scoring import Scores, said_in_time, score_memories
from snapshots.recall.values import RankedHit, RecallQuery
from snapshots.relevance.notes import Pairs, note_reader
from snapshots.relevance.policy import DIMENSIONS, ENCODER_SPACE


def rank_apart(
    query: RecallQuery,
    probe: Probe,
    image: Image,
    policy: RecallPolicy,
    *,
    favoured: float = 0.0,
    nearer_than: float | None = None,
) -> list[RankedHit]:
    """Return the best notes, or replies, of ``image``, best first, at most ``query.notes_top_k``; ids and numbers, no
    text.

    ``favoured`` is added to the logarithm of all odds. With ``nearer_than`` only those whose cosine is greater. All
    filters of ``query`` apply but ``kinds``, which is about snapshots.
    """
    top_k = query.top_k if query.notes_top_k is None else query.notes_top_k
    query = replace(query, kinds=frozenset(), top_k=top_k)
    asked = asked_at(probe, query.text, query.at)
    scores = score_memories(image, asked, policy.scoring)
    alive = alive_rows(image.columns, query, skew=policy.clock_skew_seconds)
    near = relevance_of_notes(image, alive, scores, probe)
    in_time = said_in_time(image, asked.times.spans, policy.scoring)
    near = probe.needs * raise_odds(near, favoured + in_time)
    alive &= relevant_rows(near, scores.keyword[0], query)
    if nearer_than is not None:
        alive &= scores.dense.max(axis=0) > nearer_than
    best = best_sayings(near.astype(np.float32), near, alive, query, image, policy)
    return hits_of(best, scores, alive, query, image)


def relevance_of_notes(image: Image, alive: Mask, scores: Scores, probe: Probe) -> Float64:
    """Return how probably each of the ``alive`` notes helps a question that needs memory, shape (n,); 0 for others."""
    near = np.zeros(image.size)
    pairs = Pairs(
        words=scores.keyword[0][alive],
        lengths=image.lengths[TEXT][alive],
        cosines=scores.dense.max(axis=0)[alive],
        is_chinese=probe.is_chinese,
        vectors=encoder_vectors(image)[alive],
        question=probe.vectors.get(ENCODER_SPACE),
    )
    near[alive] = note_reader().probabilities(pairs)
    return near


def encoder_vectors(image: Image) -> Float32:
    """Return the sentence encoder's unit vectors of all notes, shape (n, d): of a note and the turn before it the mean
    of both; zero where a note has none in its space."""
    space = next((one for one in image.spaces if one.name == ENCODER_SPACE), None)
    if space is None:
        return np.zeros((image.size, DIMENSIONS), np.float32)
    views = zip((space.dated, space.continued), space.scales, strict=True)
    both = np.sum([scales[:, None] * matrix.astype(np.float32) for matrix, scales in views], axis=0)
    vectors = np.zeros((image.size, both.shape[1]), np.float32)
    vectors[space.rows] = both / np.maximum(np.linalg.norm(both, axis=1, keepdims=True), np.float32(1e-9))
    return vectors


def raise_odds(probabilities: Float64, by: float | Float32) -> Float64:
    """Return probabilities with ``by`` added to the logarithm of their odds."""
    raised = probabilities * np.exp(by)
    return np.asarray(raised / (1 - probabilities + raised), np.float64)

"""How probably each memory of an image helps a question, by the readers of :mod:`snapshots.relevance`."""

from typing import cast

import numpy as np
import numpy.typing as npt

from snapshots.embedding.rows import TEXT, Float32
from snapshots.recall.images.columns import Float64
from snapshots.recall.images.image import Image
from snapshots.recall.images.sittings import Int32
from snapshots.recall.ranking.naming import named_rows
from snapshots.recall.ranking.probe import Probe
from snapshots.recall.ranking.scoring import Scores
from snapshots.recall.values import RecallQuery
from snapshots.relevance.notes import Pairs, Seen, note_reader
from snapshots.relevance.policy import DIMENSIONS, ENCODER_SPACE, RELEVANCE, RelevancePolicy
from snapshots.relevance.statements import statement_probabilities

Mask = npt.NDArray[np.bool_]


def relevance_of_statements(fused: Float32, may_answer: Mask, probe: Probe) -> Float64:
    """Return how probably each statement helps a question, shape (n,), by where its ``fused`` score stands; 0 for those
    that may not answer."""
    near = np.zeros(len(fused))
    near[may_answer] = probe.needs * statement_probabilities(fused[may_answer])
    return near


def weigh_as_notes(
    image: Image, may_answer: Mask, scores: Scores, probe: Probe, policy: RelevancePolicy = RELEVANCE
) -> Float64:
    """Return the same for statements that stand beside notes in a context: by their score, and as much by what notes
    are judged by, less what a note has ahead of a statement."""
    by_score = np.zeros(image.size)
    by_score[may_answer] = statement_probabilities(scores.fused[may_answer])
    as_notes = raise_odds(relevance_of_notes(image, may_answer, scores, probe), -policy.note_ahead)
    return probe.needs * _between(by_score, as_notes, policy.statement_as_note)


def relevant_rows(
    near: Float64, words: Float32, query: RecallQuery, image: Image, policy: RelevancePolicy = RELEVANCE
) -> Mask:
    """Return which rows are relevant enough for ``query``: by their relevance ``near``, the BM25 of their own
    ``words``, shape (n,), and whether it names them."""
    relevant = near >= query.min_relevance
    if query.strict:
        very = (near >= policy.strict_relevance) | (words >= policy.strict_words)
        relevant &= very | named_rows(image, query.text)
    return np.asarray(relevant, np.bool_)


def relevance_of_notes(image: Image, alive: Mask, scores: Scores, probe: Probe) -> Float64:
    """Return how probably each of the ``alive`` notes helps a question that needs memory, shape (n,); 0 for others."""
    near, asked = np.zeros(image.size), probe.vectors.get(ENCODER_SPACE)
    pairs = Pairs(
        words=scores.keyword[0][alive],
        lengths=image.lengths[TEXT][alive],
        cosines=scores.dense.max(axis=0)[alive],
        is_chinese=probe.is_chinese,
        question=asked,
    )
    seen = notes_seen(image).among(alive) if asked is not None and len(asked) == DIMENSIONS else None
    near[alive] = note_reader().probabilities(pairs, seen)
    return near


def notes_seen(image: Image) -> Seen:
    """Return what the reader sees of the notes' vectors; kept with the image."""
    seen = image.kept.get("seen")
    if seen is None:
        seen = image.kept["seen"] = note_reader().see(encoder_vectors(image), rows_of_encoder(image))
    return cast(Seen, seen)


def rows_of_encoder(image: Image) -> Int32:
    """Return the rows that have a vector of the sentence encoder."""
    return next((space.rows for space in image.spaces if space.name == ENCODER_SPACE), np.zeros(0, np.int32))


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


def _between(one: Float64, other: Float64, share: float) -> Float64:
    """Return probabilities whose odds lie between those of two, 0 where one of them is."""
    least = np.minimum(one, other) > 0
    odds = [np.log(np.where(least, each, 0.5) / np.where(least, 1 - each, 0.5)) for each in (one, other)]
    mean = (1 - share) * odds[0] + share * odds[1]
    return np.asarray(np.where(least, 1 / (1 + np.exp(-mean)), 0), np.float64)

"""True BM25 over one image in three views: a memory's own words, those around it, and those of its whole sitting."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from snapshots.embedding.rows import ABOUT, BEFORE, SPEAKER, TEXT, Float32, term_key
from snapshots.recall.image import Image, Int32
from snapshots.recall.policy import ScoringPolicy
from snapshots.recall.probe import Related

OWN, WINDOW, SITTING = range(3)
FIELDS = (TEXT, SPEAKER, ABOUT, BEFORE)

MATRIX_CELLS = 1_000_000
"""Terms x memories scored at once, 16 MB. Measured at 10,000 memories: 48 terms at once 2.9 ms, one by one 9.8 ms."""

UInt64 = npt.NDArray[np.uint64]
Int64 = npt.NDArray[np.int64]


def bm25(image: Image, query: Mapping[int, float], policy: ScoringPolicy, *, cells: int = MATRIX_CELLS) -> Float32:
    """Return BM25 per memory and view, shape (3, n), of a question's terms with their weights.

    Own: its words with speaker and date. Window: with the words of two memories before and after. Sitting: the words
    of all that was said in it, the same number for all of its memories; nothing where each is a sitting of its own.
    """
    out = np.zeros((3, image.size), np.float32)
    chosen, weights = rarest_terms(image, query, policy.query_terms)
    if not image.size or not len(chosen):
        return out
    norms = [
        _length_norm(length, policy) for length in (image.dated_length, image.window_length, image.sittings.lengths)
    ]
    step = max(1, cells // image.size)
    for start in range(0, len(chosen), step):
        views = term_frequencies(image, chosen[start : start + step])
        share = weights[start : start + step]
        own, window, sitting = (_summed(view, norm, share) for view, norm in zip(views, norms, strict=True))
        alone = len(sitting) == image.size
        out += np.stack([own, window, np.zeros_like(own) if alone else sitting[image.sittings.of]])
    return out


def with_related(
    image: Image, query: Mapping[int, float], related: Related, policy: ScoringPolicy
) -> Mapping[int, float]:
    """Return ``query`` with the nearest terms of the subject's own vocabulary, each for a share of its term's weight.

    At most ``policy.related_terms`` for each term of the question; a term near to two counts for the nearer.
    """
    asked = np.isin(related.source, np.fromiter(query, np.uint64, len(query)))
    held = np.flatnonzero(asked & (document_frequency(image, related.keys) > 0))
    grown = dict(query)
    taken: dict[int, int] = {}
    for i in held.tolist():
        source, key = int(related.source[i]), int(related.keys[i])
        taken[source] = taken.get(source, 0) + 1
        if taken[source] <= policy.related_terms and key not in query:
            share = policy.related_share * float(related.cosines[i]) * query[source]
            grown[key] = max(grown.get(key, 0.0), share)
    return grown


def rarest_terms(image: Image, query: Mapping[int, float], limit: int) -> tuple[UInt64, Float32]:
    """Return the at most ``limit`` terms of the question that fewest memories hold, and their weights."""
    keys = np.fromiter(query.keys(), np.uint64, len(query))
    weights = np.fromiter(query.values(), np.float32, len(query))
    frequency = document_frequency(image, keys)
    order = np.argsort(frequency, kind="stable")
    order = order[frequency[order] > 0][:limit]
    return keys[order], weights[order]


def document_frequency(image: Image, keys: UInt64) -> Int64:
    """Return how many postings hold each key, over all fields: a bound on the memories that do."""
    frequency = np.zeros(len(keys), np.int64)
    for field in FIELDS:
        begin, end = _postings_of(image, keys, field)
        frequency += end - begin
    return frequency


def rows_marked(image: Image, mark: str) -> Int32:
    """Return the numbers of the rows whose text carries ``mark`` (snapshots.embedding.marks)."""
    begin, end = _postings_of(image, np.array([term_key(mark)], np.uint64), ABOUT)
    return image.postings.docs[begin[0] : end[0]]


def term_frequencies(image: Image, keys: UInt64) -> tuple[Float32, Float32, Float32]:
    """Return how often each memory and each sitting holds each term: shapes (terms, n), (terms, n), (terms, s)."""
    n, sittings = image.size, image.sittings
    own, window = np.zeros((2, len(keys), n + 1), np.float32)
    said = np.zeros((len(keys), len(sittings.lengths)), np.float32)
    pointers = image.neighbours
    for field in FIELDS:
        rows, docs, tf = _gather(image, keys, field)
        if field != BEFORE:
            own[rows, docs] += tf
        if field != ABOUT:
            window[rows, docs] += tf
        if field == TEXT:
            np.add.at(said, (rows, sittings.of[docs]), tf)
            for pointer in (pointers.previous, pointers.previous2, pointers.next, pointers.next2):
                # Unique but for the sentinel, whose column is cut off.
                window[rows, pointer[docs]] += tf
    return own[:, :n], window[:, :n], said


def _summed(view: Float32, norm: Float32, weights: Float32) -> Float32:
    """Return the BM25 of each document of a view, its terms weighed by ``weights`` and their rarity in the view."""
    df = np.count_nonzero(view, axis=1).astype(np.float32)
    idf = weights * np.log(1 + (view.shape[1] - df + 0.5) / (df + 0.5))
    return np.asarray(idf.astype(np.float32) @ (view / (view + norm)), np.float32)


def _length_norm(length: Float32, policy: ScoringPolicy) -> Float32:
    mean = max(float(length.mean()), 1.0)
    return (policy.bm25_k1 * (1 - policy.bm25_b + policy.bm25_b * length / mean)).astype(np.float32)


def _postings_of(image: Image, keys: UInt64, field: int) -> tuple[Int64, Int64]:
    """Return where the postings of each key begin and end; equal for a key that no memory holds."""
    held, ptr = image.postings.keys, image.postings.ptr
    wanted = keys << np.uint64(2) | np.uint64(field)
    place = np.searchsorted(held, wanted)
    known = np.zeros(len(keys), np.bool_)
    inside = place < len(held)
    known[inside] = held[place[inside]] == wanted[inside]
    place = np.where(known, place, 0)
    return np.where(known, ptr[place], 0), np.where(known, ptr[np.minimum(place + 1, len(ptr) - 1)], 0)


def _gather(image: Image, keys: UInt64, field: int) -> tuple[Int64, Int32, Float32]:
    """Return, for all postings of ``keys`` in one field: the key's number, the row, the term frequency."""
    begin, end = _postings_of(image, keys, field)
    count = end - begin
    rows = np.repeat(np.arange(len(keys)), count)
    at = np.arange(count.sum()) + np.repeat(begin - np.append(0, count.cumsum()[:-1]), count)
    return rows, image.postings.docs[at], image.postings.tf[at]

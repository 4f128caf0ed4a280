"""BM25 over one index in three views: a memory's own words, those around it, and those of its whole session."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from snapshots.embedding.index_row_packing import ABOUT, BEFORE, SPEAKER, TEXT, Float32, hash_term
from snapshots.embedding.marker_terms import list_possible_name_marks
from snapshots.recall.config import ScoringPolicy
from snapshots.recall.memory_indexes.index_columns import Int32
from snapshots.recall.memory_indexes.memory_index import MemoryIndex
from snapshots.recall.question import RelatedTerms

OWN, WINDOW, SITTING = range(3)
FIELDS = (TEXT, SPEAKER, ABOUT, BEFORE)
_FIELD_CODES = np.array(FIELDS, np.uint64)

# Terms x memories scored at once, 16 MB. Measured at 10,000 memories: 48 terms at once 2.9 ms, one by one 9.8 ms.
MATRIX_CELLS = 1_000_000

UInt64 = npt.NDArray[np.uint64]
Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TermPostings:
    """Where the postings of terms begin and end in each field, shape (terms, fields); equal without postings."""

    keys: UInt64
    begin: Int64
    end: Int64

    @property
    def frequency(self) -> Int64:
        """How many postings each term has over all fields: a bound on the memories that hold it."""
        return np.asarray((self.end - self.begin).sum(axis=1), np.int64)

    def take_terms(self, indexes: npt.NDArray[np.int64]) -> "TermPostings":
        return TermPostings(self.keys[indexes], self.begin[indexes], self.end[indexes])


@dataclass(frozen=True, slots=True)
class ScoredTerms:
    """The terms of a question that an index holds, and their weights."""

    terms: TermPostings
    weights: Float32


def choose_scored_terms(
    index: MemoryIndex, query: Mapping[int, float], related: RelatedTerms, policy: ScoringPolicy
) -> ScoredTerms:
    """Return the terms to score: the question's rarest, and near ones from the subject's own vocabulary. A near term
    gets a share of its term's weight; at most ``policy.related_terms`` for each term."""
    own = locate_terms(index, np.fromiter(query.keys(), np.uint64, len(query)))
    chosen = _choose_rarest(own.frequency, policy.query_terms)
    weights = np.fromiter(query.values(), np.float32, len(query))
    near, shares = _choose_related(locate_terms(index, related.keys), query, related, policy)
    terms = TermPostings(
        *(np.concatenate([getattr(one, f.name) for one in (own.take_terms(chosen), near)]) for f in fields(own))
    )
    return ScoredTerms(terms, np.concatenate([weights[chosen], shares]))


def score_bm25(
    index: MemoryIndex, scored_terms: ScoredTerms, policy: ScoringPolicy, *, cells: int = MATRIX_CELLS
) -> Float32:
    """Return BM25 per memory and view, shape (3, n).

    Own: its words with speaker and date. Window: with two memories before and after. Session: all that was said in it,
    the same number for all its memories; 0 where each is a session of its own.
    """
    out = np.zeros((3, len(index.ids)), np.float32)
    total = len(scored_terms.weights)
    if not len(index.ids) or not total:
        return out
    norms = compute_length_norms(index, policy)
    step = max(1, cells // len(index.ids))
    for start in range(0, total, step):
        part = np.arange(start, min(start + step, total))
        views = count_term_frequencies(index, scored_terms.terms.take_terms(part))
        share = scored_terms.weights[part]
        own, window, sitting = (_sum_bm25(view, norm, share) for view, norm in zip(views, norms, strict=True))
        out[OWN] += own
        out[WINDOW] += window
        if len(sitting) < len(index.ids):
            out[SITTING] += sitting[index.sittings.of]
    return out


def locate_terms(index: MemoryIndex, keys: UInt64) -> TermPostings:
    held, ptr = index.postings.keys, index.postings.ptr
    wanted = (keys << np.uint64(2))[:, None] | _FIELD_CODES
    if not len(held):
        return TermPostings(keys, *np.zeros((2, *wanted.shape), np.int64))
    place = np.minimum(np.searchsorted(held, wanted), len(held) - 1)
    begin = ptr[place]
    return TermPostings(keys, begin, np.where(held[place] == wanted, ptr[place + 1], begin))


def compute_length_norms(index: MemoryIndex, policy: ScoringPolicy) -> tuple[Float32, Float32, Float32]:
    key = ("norms", policy.bm25_k1, policy.bm25_b)
    norms = index.cache.get(key)
    if norms is None:
        lengths = (index.dated_length, index.window_length, index.sittings.lengths)
        norms = index.cache[key] = tuple(_compute_length_norm(length, policy) for length in lengths)
    return norms


def holds_name(index: MemoryIndex, names: frozenset[int]) -> bool:
    """Return whether any memory of ``index`` says one of the ``names`` or was said by someone called so."""
    found = locate_terms(index, np.fromiter(names, np.uint64, len(names)))
    return bool((found.end - found.begin)[:, [TEXT, SPEAKER]].any())


def find_named_rows(index: MemoryIndex, text: str) -> npt.NDArray[np.bool_]:
    """Return which rows ``text`` names by an alias or a topic, shape (n,)."""
    named = np.zeros(len(index.ids), np.bool_)
    found = locate_terms(index, np.array([hash_term(mark) for mark in list_possible_name_marks(text)], np.uint64))
    for begin, end in zip(found.begin[:, ABOUT].tolist(), found.end[:, ABOUT].tolist(), strict=True):
        named[index.postings.docs[begin:end]] = True
    return named


def count_term_frequencies(index: MemoryIndex, terms: TermPostings) -> tuple[Float32, Float32, Float32]:
    """Return how often each memory and session holds each term: shapes (terms, n), (terms, n), (terms, s)."""
    n, sittings, count = len(index.ids), index.sittings, len(terms.keys)
    own, window = np.zeros((2, count, n + 1), np.float32)
    said = np.zeros(0, np.float32)
    pointers = index.neighbours
    for field in FIELDS:
        rows, docs, tf = _gather_postings(index, terms, field)
        if field != BEFORE:
            own[rows, docs] += tf
        if field != ABOUT:
            window[rows, docs] += tf
        if field == TEXT:
            flat = rows * len(sittings.lengths) + sittings.of[docs]
            said = np.bincount(flat, tf, count * len(sittings.lengths)).astype(np.float32)
            for pointer in (pointers.previous, pointers.previous2, pointers.next, pointers.next2):
                # Unique but for the sentinel, whose column is cut off.
                window[rows, pointer[docs]] += tf
    return own[:, :n], window[:, :n], said.reshape(count, -1)


def _choose_rarest(frequency: Int64, limit: int) -> Int64:
    """Return the numbers of the at most ``limit`` rarest terms that some memory holds."""
    order = np.argsort(frequency, kind="stable")
    return order[frequency[order] > 0][:limit]


def _choose_related(
    postings: TermPostings, query: Mapping[int, float], related: RelatedTerms, policy: ScoringPolicy
) -> tuple[TermPostings, Float32]:
    """Return the related terms that the subject uses, and their weights."""
    shares: dict[int, tuple[int, float]] = {}
    taken: Counter[int] = Counter()
    for i in np.flatnonzero(postings.frequency > 0).tolist():
        source, key = int(related.source[i]), int(related.keys[i])
        taken[source] += source in query
        if 0 < taken[source] <= policy.related_terms:
            share = policy.related_share * float(related.cosines[i]) * query[source]
            shares[key] = max(shares.get(key, (i, 0.0)), (i, share), key=lambda one: one[1])
    chosen = np.array([i for i, _ in shares.values()], np.int64)
    return postings.take_terms(chosen), np.array([share for _, share in shares.values()], np.float32)


def _sum_bm25(view: Float32, norm: Float32, weights: Float32) -> Float32:
    df = np.count_nonzero(view, axis=1).astype(np.float32)
    idf = weights * np.log(1 + (view.shape[1] - df + 0.5) / (df + 0.5))
    found = view / (view + norm)
    found *= idf.astype(np.float32)[:, None]
    # Not a matrix product: BLAS rounds some columns in another way, and of equal memories the newer comes first.
    return np.asarray(found.sum(axis=0), np.float32)


def _compute_length_norm(length: Float32, policy: ScoringPolicy) -> Float32:
    mean = max(float(length.mean()), 1.0)
    return (policy.bm25_k1 * (1 - policy.bm25_b + policy.bm25_b * length / mean)).astype(np.float32)


def _gather_postings(index: MemoryIndex, terms: TermPostings, field: int) -> tuple[Int64, Int32, Float32]:
    """Return the term's number, the row and the frequency of all postings of ``terms`` in one field."""
    begin, count = terms.begin[:, field], terms.end[:, field] - terms.begin[:, field]
    ends = count.cumsum()
    rows = np.repeat(np.arange(len(count)), count)
    at = np.arange(ends[-1] if len(ends) else 0) + np.repeat(begin - ends + count, count)
    return rows, index.postings.docs[at], index.postings.tf[at]

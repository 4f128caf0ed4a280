"""The lane of words: BM25 over the blocks of postings and the fresh chunks of the searched parts.

Only the blocks of the question's terms are read. Where the parts are large, the weaker postings of frequent terms stay
unread; how many they are is known, so that each term has its true rarity.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
import numpy.typing as npt

from memory_platform.postgres.prepared_statements import Statement
from snapshots.embedding.index_row_packing import Float32
from snapshots.knowledge.index.chunk_terms import IMPACT_UNIT, unpack_chunk_terms
from snapshots.knowledge.index.posting_blocks import REST, STRONG, WEAK, choose_bucket, unpack_blocks
from snapshots.knowledge.search.config import LANES_OF_DOCUMENTS, LaneConfig
from snapshots.knowledge.search.searched_parts import SearchedParts
from tenants.isolation import current_tenant_id

# One statement, so that a chunk which is sealed meanwhile is read once: in its block or as a fresh one. A row for each
# part and not for each block: those are thousands.
READ_WORDS = """
SELECT b.part, true, array_agg(b.segment::bigint), array_agg(octet_length(b.packed)), string_agg(b.packed, '')
FROM posting_block b
WHERE b.tenant_id = $1::uuid AND b.part = ANY($2::uuid[]) AND b.bucket = ANY($3::smallint[])
  AND b.tier = ANY($4::smallint[])
GROUP BY b.part
UNION ALL
SELECT i.part, false, array_agg(i.number), array_agg(octet_length(i.terms)), string_agg(i.terms, '')
FROM indexed_chunk i WHERE i.tenant_id = $1::uuid AND i.part = ANY($2::uuid[]) AND i.segment IS NULL
GROUP BY i.part
"""
# Part; whether it is of blocks, or of fresh chunks; the segment of each block or the number of each chunk; the bytes of
# each; all of them joined.
WordRow = tuple[UUID, bool, Sequence[int], Sequence[int], bytes]
Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]
Keys = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class ChunkPlace:
    """Where the index holds a chunk: by its segment and the position in it, or, without a segment, by its number."""

    part: UUID
    segment: int | None
    number: int


@dataclass(frozen=True, slots=True)
class KeywordHits:
    """The places of the best chunks, best first; and of each term of the question its own weight times its idf."""

    places: Sequence[ChunkPlace]
    term_weights: Mapping[int, float]


def build_word_statement(
    terms: Mapping[int, float], parts: SearchedParts, config: LaneConfig = LANES_OF_DOCUMENTS
) -> Statement:
    tiers = [STRONG, WEAK] if parts.chunks <= config.weak_until else [STRONG]
    buckets = sorted(map(choose_bucket, terms))
    return Statement(READ_WORDS, [current_tenant_id(), list(parts.parts), buckets, tiers])


def rank_words(
    rows: Sequence[WordRow],
    terms: Mapping[int, float],
    chunks: int,
    *,
    depth: int,
    config: LaneConfig = LANES_OF_DOCUMENTS,
) -> KeywordHits:
    """Return the best ``depth`` chunks that the statement read, of ``chunks`` in all."""
    if not terms:
        return KeywordHits((), {})
    keys = np.array(sorted(terms), np.uint32)
    sealed, fresh = [row for row in rows if row[1]], [row for row in rows if not row[1]]
    found = [_read_sealed(sealed, keys, reads_weak=chunks <= config.weak_until), _read_fresh(fresh, keys)]
    frequency = np.asarray(sum(one.frequency for one in found), np.int64)
    weights = compute_idf(frequency, chunks) * np.array([terms[int(key)] for key in keys])
    best = [one.choose_best(weights, depth) for one in found]
    places = [place for held, _ in best for place in held]
    order = np.argsort(-np.concatenate([scores for _, scores in best]), kind="stable")[:depth].tolist()
    return KeywordHits([places[i] for i in order], dict(zip(keys.tolist(), weights.tolist(), strict=True)))


def compute_idf(frequency: Int64, chunks: int) -> Float64:
    """Return BM25's weight of terms that so many of ``chunks`` chunks hold."""
    total = np.maximum(chunks, frequency)
    return np.asarray(np.log(1 + (total - frequency + 0.5) / (frequency + 0.5)), np.float64)


def score_chunks(
    packed: Sequence[bytes], term_weights: Mapping[int, float], own: Collection[int] | None = None
) -> tuple[Float64, Float64]:
    """Return of each chunk BM25, and the share of the weight of the question's ``own`` terms (all, if None) that it
    holds at all; shapes (n,)."""
    total = sum(weight for term, weight in term_weights.items() if own is None or term in own)
    if not total or not packed:
        return np.zeros(len(packed)), np.zeros(len(packed))
    keys = np.array(sorted(term_weights), np.uint32)
    weights = np.array([term_weights[int(key)] for key in keys])
    counted = np.array([own is None or int(key) in own for key in keys])
    held = unpack_chunk_terms(b"".join(packed))
    rows = np.repeat(np.arange(len(packed)), [len(one) // held.itemsize for one in packed])
    at, is_in = _find_keys(held["term"], keys)
    rows, at = rows[is_in], at[is_in]
    shares = weights[at]
    scores = np.asarray(np.bincount(rows, shares * held["impact"][is_in], len(packed)) * IMPACT_UNIT, np.float64)
    return scores, np.bincount(rows, shares * counted[at], len(packed)) / total


def weigh_terms_among(packed: Sequence[bytes], terms: Mapping[int, float]) -> Mapping[int, float]:
    """Return the weight of each term of the question by its rarity among these chunks alone."""
    if not terms:
        return {}
    keys = np.array(sorted(terms), np.uint32)
    at, is_in = _find_keys(unpack_chunk_terms(b"".join(packed))["term"], keys)
    idf = compute_idf(np.bincount(at[is_in], minlength=len(keys)), len(packed))
    return {int(key): terms[int(key)] * float(one) for key, one in zip(keys, idf, strict=True)}


@dataclass(frozen=True, slots=True)
class _ReadPostings:
    """The question's postings: of each the term's place among its terms, the slot of the chunk, the impact.

    ``frequency``: how many chunks hold each term. The slots of a segment in ``chunks`` follow each other from that in
    ``firsts`` on, one for each position up to the last that is hit: many small segments take little memory.
    """

    frequency: Int64
    terms: Int64
    slots: Int64
    impacts: npt.NDArray[np.uint8]
    chunks: Sequence[ChunkPlace]
    firsts: Int64

    def choose_best(self, weights: Float64, depth: int) -> tuple[list[ChunkPlace], Float32]:
        if not len(self.slots):
            return [], np.zeros(0, np.float32)
        totals = np.bincount(self.slots, weights[self.terms] * self.impacts)
        hits = np.flatnonzero(totals > 0)
        best = hits[np.argpartition(-totals[hits], min(depth, len(hits)) - 1)[:depth]]
        return [self._make_place(int(slot)) for slot in best], totals[best].astype(np.float32)

    def _make_place(self, slot: int) -> ChunkPlace:
        at = int(np.searchsorted(self.firsts, slot, side="right")) - 1
        place = self.chunks[at]
        return ChunkPlace(place.part, place.segment, place.number + slot - int(self.firsts[at]))


def _read_sealed(rows: Sequence[WordRow], keys: Keys, *, reads_weak: bool) -> _ReadPostings:
    postings, blocks = unpack_blocks(*_join_rows(rows))
    at, is_in = _find_keys(postings["term"], keys)
    # By columns: numpy copies rows of seven bytes one by one.
    position, is_rest = postings["position"], postings["position"] >= REST
    rest, own = np.flatnonzero(is_in & is_rest), np.flatnonzero(is_in & ~is_rest)
    unread = np.bincount(at[rest], position[rest] - REST, len(keys)).astype(np.int64) * (not reads_weak)
    segments, of_block = _number_segments(rows)
    segment, position = of_block[blocks[own]], position[own]
    firsts = _find_first_slots(segment, position, len(segments))
    return _ReadPostings(
        np.bincount(at[own], minlength=len(keys)) + unread,
        at[own],
        firsts[segment] + position,
        postings["impact"][own],
        segments,
        firsts,
    )


def _find_first_slots(segment: Int64, position: npt.NDArray[np.uint16], segments: int) -> Int64:
    """Return the first slot of each segment, where postings stand at these positions of these segments."""
    slots = np.zeros(segments, np.int64)
    runs = np.flatnonzero(np.r_[True, segment[1:] != segment[:-1]][: len(segment)])
    if len(runs):
        np.maximum.at(slots, segment[runs], np.maximum.reduceat(position, runs).astype(np.int64) + 1)
    return np.cumsum(slots) - slots


def _number_segments(rows: Sequence[WordRow]) -> tuple[list[ChunkPlace], Int64]:
    """Return the segments of all rows, and which of them each block is of."""
    places, numbers = list[ChunkPlace](), [np.zeros(0, np.int64)]
    for part, _, segments, _, _ in rows:
        distinct, of_block = np.unique(np.array(segments, np.int64), return_inverse=True)
        numbers.append(len(places) + of_block)
        places += [ChunkPlace(part, segment, 0) for segment in distinct.tolist()]
    return places, np.concatenate(numbers)


def _read_fresh(rows: Sequence[WordRow], keys: Keys) -> _ReadPostings:
    packed, sizes = _join_rows(rows)
    held = unpack_chunk_terms(packed)
    slots = np.repeat(np.arange(len(sizes)), sizes // held.itemsize)
    at, is_in = _find_keys(held["term"], keys)
    places = [ChunkPlace(part, None, number) for part, _, numbers, _, _ in rows for number in numbers]
    frequency = np.bincount(at[is_in], minlength=len(keys))
    return _ReadPostings(frequency, at[is_in], slots[is_in], held["impact"][is_in], places, np.arange(len(places)))


def _join_rows(rows: Sequence[WordRow]) -> tuple[bytes, Int64]:
    """Return the joined bytes of all rows, and how many of them are of each block or chunk."""
    sizes = [np.zeros(0, np.int64), *(np.array(sizes, np.int64) for *_, sizes, _ in rows)]
    return b"".join([packed for *_, packed in rows]), np.concatenate(sizes)


def _find_keys(terms: Keys, keys: Keys) -> tuple[Int64, npt.NDArray[np.bool_]]:
    """Return where each of ``terms`` stands in the ordered ``keys``, and whether it does. Equal terms follow each other
    in a block: only the first of them is looked up."""
    terms = np.ascontiguousarray(terms)
    firsts = np.flatnonzero(np.r_[True, terms[1:] != terms[:-1]][: len(terms)])
    counts = np.diff(firsts, append=len(terms))
    at = np.minimum(np.searchsorted(keys, terms[firsts]), len(keys) - 1)
    return np.repeat(at, counts), np.repeat(keys[at] == terms[firsts], counts)

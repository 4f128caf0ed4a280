"""Postings in blocks and vectors in cells say what the chunks say. Rows: K3."""

from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from memory_platform.kernel.ids import new_id
from snapshots.embedding.index_row_packing import hash_term
from snapshots.knowledge.index.chunk_terms import IndexWords, pack_chunk_terms, unpack_chunk_terms
from snapshots.knowledge.index.config import BlockConfig, CellConfig
from snapshots.knowledge.index.posting_blocks import (
    POSTING_IN_BLOCK,
    REST,
    STRONG,
    WEAK,
    BlockPostings,
    PackedBlock,
    drop_positions,
    pack_blocks,
)
from snapshots.knowledge.index.vector_cells import (
    CellRows,
    compute_centroid,
    pack_cell,
    pack_vector,
    split_cell,
    unpack_cell,
    unpack_vectors,
)
from snapshots.knowledge.search.config import LaneConfig
from snapshots.knowledge.search.keyword_lane import WordRow, rank_words, score_chunks
from snapshots.knowledge.search.passages import ChunkText, RankedChunk, make_passages

PART = new_id()
TEXTS = [f"refund number {i} {'card ' * (i % 7)}退款{i % 5}次" for i in range(300)]
PACKED = [pack_chunk_terms(IndexWords("Refund policy", text)) for text in TEXTS]
WORDS = {hash_term("refund"): 1.0, hash_term("card"): 1.0, hash_term("退款"): 1.0, hash_term("17"): 1.0}


SPLIT = BlockConfig(buckets=16, strong=50)


def join_postings(blocks: Iterable[PackedBlock]) -> BlockPostings:
    return np.frombuffer(b"".join(one.packed for one in blocks), POSTING_IN_BLOCK)


def list_postings(blocks: Iterable[PackedBlock]) -> list[tuple[int, int, int]]:
    postings = join_postings(blocks)
    own = postings[postings["position"] < REST]
    return sorted(zip(own["position"].tolist(), own["term"].tolist(), own["impact"].tolist(), strict=True))


def make_word_row(packed: Sequence[bytes], numbers: Sequence[int], *, is_sealed: bool) -> WordRow:
    return PART, is_sealed, numbers, [len(one) for one in packed], b"".join(packed)


def make_sealed_row(blocks: Iterable[PackedBlock]) -> WordRow:
    packed = [one.packed for one in blocks]
    return make_word_row(packed, [0] * len(packed), is_sealed=True)


def test_blocks_hold_every_posting_of_their_chunks_once() -> None:
    told = sorted((i, *row) for i, packed in enumerate(PACKED) for row in unpack_chunk_terms(packed).tolist())
    assert list_postings(pack_blocks(PACKED, SPLIT)) == told
    grown = [*pack_blocks(PACKED[:120], SPLIT), *pack_blocks(PACKED[120:], SPLIT, first=120)]
    assert list_postings(grown) == told


def test_a_frequent_term_keeps_its_strongest_postings_and_counts_the_others() -> None:
    blocks = list(pack_blocks(PACKED, SPLIT))
    strong, weak = (join_postings(one for one in blocks if one.tier == tier) for tier in (STRONG, WEAK))
    term = hash_term("refund")
    kept, left = strong[strong["term"] == term], weak[weak["term"] == term]
    marks = kept["position"] >= REST
    assert (marks.sum(), (~marks).sum(), len(left)) == (1, 50, 250)
    assert kept["position"][marks][0] - REST == 250
    assert kept["impact"][~marks].min() >= left["impact"].max()


def test_chunks_that_leave_take_their_postings_and_are_not_counted() -> None:
    blocks = [*pack_blocks(PACKED[:200], SPLIT), *pack_blocks(PACKED[200:], SPLIT, first=200)]
    gone = {*range(0, 300, 3), 250}
    left = list(drop_positions(blocks, gone, SPLIT))
    assert list_postings(left) == [one for one in list_postings(blocks) if one[0] not in gone]
    strong, weak = (join_postings(one for one in left if one.tier == tier) for tier in (STRONG, WEAK))
    term = hash_term("refund")
    counted = strong["position"][(strong["term"] == term) & (strong["position"] >= REST)]
    assert (counted - REST).sum() == (weak["term"] == term).sum()
    assert not list(drop_positions(blocks, range(300), SPLIT))


def test_a_large_search_finds_what_is_left_where_the_strongest_postings_went() -> None:
    blocks, term = list(pack_blocks(PACKED, SPLIT)), hash_term("refund")
    strongest = [int(one["position"]) for one in join_postings(blocks) if one["term"] == term][:50]
    left = list(drop_positions(blocks, strongest, SPLIT))
    assert list_postings(left) == [one for one in list_postings(blocks) if one[0] not in strongest]
    strong = make_sealed_row(one for one in left if one.tier == STRONG)
    hits = rank_words([strong], {term: 1.0}, 250, depth=300, config=LaneConfig(weak_until=10))
    assert len(hits.places) == 50


@pytest.mark.parametrize("sealed", [0, 120, 300])
def test_ranking_over_blocks_is_that_over_chunks(sealed: int) -> None:
    rows = [
        make_sealed_row(pack_blocks(PACKED[:sealed])),
        make_word_row(PACKED[sealed:], range(sealed, 300), is_sealed=False),
    ]
    hits = rank_words(rows, WORDS, len(PACKED), depth=300)
    scores, coverage = score_chunks(PACKED, hits.term_weights)
    ranked = [place.number for place in hits.places]
    assert sorted(ranked) == list(range(300))
    assert (np.diff(scores[ranked]) <= 1e-4).all()
    assert ranked[0] == 17
    assert 0 < coverage[0] < coverage[17] <= 1
    _, coverage = score_chunks(PACKED, hits.term_weights, own={hash_term("17")})
    assert (coverage[0], coverage[17]) == (0, 1)


def test_a_term_is_as_rare_when_its_weak_postings_are_not_read() -> None:
    blocks = list(pack_blocks(PACKED, BlockConfig(strong=50)))
    small, large = LaneConfig(weak_until=10_000), LaneConfig(weak_until=10)
    read = rank_words([make_sealed_row(blocks)], WORDS, len(PACKED), depth=5, config=small)
    strong = make_sealed_row(one for one in blocks if one.tier == STRONG)
    unread = rank_words([strong], WORDS, len(PACKED), depth=5, config=large)
    assert read.term_weights == unread.term_weights
    assert read.places[0] == unread.places[0]


@pytest.mark.parametrize("terms", [{}, {hash_term("nowhere"): 1.0}])
def test_words_that_no_chunk_holds_find_nothing(terms: dict[int, float]) -> None:
    rows = [make_sealed_row(pack_blocks(PACKED))]
    assert not rank_words(rows, terms, len(PACKED), depth=5).places
    assert not rank_words([], WORDS, 0, depth=5).places


def make_rows(count: int, dimensions: int = 32) -> CellRows:
    vectors = np.random.default_rng(3).normal(size=(count, dimensions)).astype(np.float32)
    packed = [pack_vector(row / np.linalg.norm(row)) for row in vectors]
    return unpack_vectors(range(count), [one or b"" for one in packed])


def test_a_cell_comes_back_as_it_was_packed() -> None:
    rows = make_rows(7)
    back = unpack_cell(pack_cell(rows), 32)
    assert (
        (back.numbers == rows.numbers).all() and (back.rows == rows.rows).all() and (back.scales == rows.scales).all()
    )


@pytest.mark.parametrize("same", [False, True])
def test_a_split_loses_no_vector_and_leaves_no_large_cell(same: bool) -> None:
    rows = make_rows(1_000)
    if same:  # a thousand copies of one text
        rows = CellRows(rows.numbers, np.repeat(rows.scales[:1], 1_000), np.repeat(rows.rows[:1], 1_000, axis=0))
    parts = list(split_cell(rows, CellConfig(vectors=100)))
    assert max(map(len, parts)) <= 100
    assert sorted(number for part in parts for number in part.numbers.tolist()) == list(range(1_000))
    assert all(abs(np.linalg.norm(compute_centroid(part)) - 1) < 1e-3 for part in parts)


def test_a_vector_without_meaning_is_not_kept() -> None:
    assert pack_vector(np.zeros(4, np.float32)) is None
    assert pack_vector(np.array([np.nan, 1], np.float32)) is None


def make_chunk(position: int, text: str, start: int, path: tuple[str, ...] = ("Guide", "Fees")) -> ChunkText:
    return ChunkText(new_id(), PART, position, text, start, start + len(text), path, None, "guide", "Guide", "")


def test_merged_chunks_say_each_character_once() -> None:
    whole = "费用由平台承担。Fees are paid by us. You pay nothing."
    first, second = make_chunk(3, whole[:30], 0), make_chunk(4, whole[20:], 20, ("Guide", "Costs"))
    ranked = [RankedChunk(second.id, 2.0, 0.9), RankedChunk(first.id, 1.0, 0.5)]
    (passage,) = make_passages(ranked, {one.id: one for one in (first, second)}, 5)
    assert (passage.text, passage.position, passage.relevance) == (whole, 3, 0.9)
    assert passage.citation.heading_path == ("Guide",)
    assert (passage.citation.start, passage.citation.end) == (0, len(whole))

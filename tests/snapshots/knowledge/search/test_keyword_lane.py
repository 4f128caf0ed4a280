"""The lane of words over many parts: where it finds a chunk, and what it takes of memory. Rows: K3."""

import tracemalloc
from collections.abc import Sequence
from uuid import UUID

import numpy as np
import pytest

from snapshots.knowledge.index.chunk_terms import CHUNK_TERM
from snapshots.knowledge.index.posting_blocks import STRONG, pack_blocks
from snapshots.knowledge.search.keyword_lane import ChunkPlace, WordRow, rank_words

TEA, OTHER = 7, 9
MIB = 1_024 * 1_024


def pack_terms(**impacts: int) -> bytes:
    return np.array([(int(term[1:]), impact) for term, impact in impacts.items()], CHUNK_TERM).tobytes()


def make_row(part: int, *segments: tuple[int, int, Sequence[bytes]]) -> WordRow:
    """Return the row of a part: of each segment its number, the position of its first chunk, the chunks' terms."""
    blocks = [
        (segment, block.packed)
        for segment, first, chunks in segments
        for block in pack_blocks(chunks, first=first)
        if block.tier == STRONG
    ]
    packed = [one for _, one in blocks]
    return UUID(int=part), True, [segment for segment, _ in blocks], [len(one) for one in packed], b"".join(packed)


def test_a_chunk_is_found_at_its_place_among_segments_with_and_without_a_hit() -> None:
    nothing, weak, strong = pack_terms(t9=200), pack_terms(t7=10), pack_terms(t7=90, t9=1)
    rows = [
        make_row(1, (0, 0, [nothing, weak]), (4, 32_766, [nothing, strong])),
        make_row(2, (0, 0, [nothing])),
        make_row(3, (1, 5, [weak]), (2, 0, [nothing, nothing])),
    ]
    hits = rank_words(rows, {TEA: 1.0}, 8, depth=9)
    assert hits.places[0] == ChunkPlace(UUID(int=1), 4, 32_767)
    assert set(hits.places[1:]) == {ChunkPlace(UUID(int=1), 0, 1), ChunkPlace(UUID(int=3), 1, 5)}


@pytest.mark.parametrize("terms", [{TEA: 1.0}, {OTHER: 1.0}, {5: 1.0}])
def test_a_thousand_small_collections_are_searched_in_little_memory(terms: dict[int, float]) -> None:
    rows = [make_row(part, (0, 0, [pack_terms(t7=part % 200 + 1), pack_terms(t9=3)])) for part in range(1_000)]
    tracemalloc.start()
    try:
        hits = rank_words(rows, terms, 2_000, depth=50)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(hits.places) == (0 if 5 in terms else 50)
    assert peak < 8 * MIB

"""The postings of one segment of chunks, packed into blocks by term.

7 bytes a posting, little-endian: the key of the term (u4), the chunk's position in the segment (u2), its impact (u1).
The terms are spread over buckets by their key, and each bucket has a strong block and, where one of its terms is
frequent, a weak one: a frequent term keeps its strongest postings in the first. There postings with ``REST`` in their
position tell how many more stand in the weak block, so that the rarity of a term is known without reading that. Blocks
of one bucket can be joined: a segment grows by adding the bytes of more chunks to those of its blocks.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from snapshots.knowledge.index.chunk_terms import ChunkTerms, unpack_chunk_terms
from snapshots.knowledge.index.config import BLOCKS, BlockConfig

POSTING_IN_BLOCK = np.dtype([("term", "<u4"), ("position", "<u2"), ("impact", "u1")])
BlockPostings = npt.NDArray[np.void]
STRONG, WEAK = 0, 1
# Set in the position of a posting that counts others.
REST = 0x8000
# Positions of a segment.
POSITIONS = REST


@dataclass(frozen=True, slots=True)
class PackedBlock:
    """The postings of one bucket of a segment."""

    bucket: int
    tier: int
    packed: bytes


def choose_bucket(term: int, config: BlockConfig = BLOCKS) -> int:
    return term % config.buckets


def pack_blocks(chunk_terms: Sequence[bytes], config: BlockConfig = BLOCKS, *, first: int = 0) -> Iterator[PackedBlock]:
    """Yield the blocks of chunks that follow each other in a segment from position ``first`` on, from their packed
    terms."""
    strong, weak = _split_tiers(_merge_chunks(chunk_terms, first), config)
    yield from _pack_tiers(strong, weak, config)


def drop_positions(
    blocks: Sequence[PackedBlock], positions: Collection[int], config: BlockConfig = BLOCKS
) -> Iterator[PackedBlock]:
    """Yield the blocks of one segment without the chunks at ``positions``; ``blocks`` are all those of some buckets."""
    strong, weak = (_unpack_tier(blocks, tier, positions) for tier in (STRONG, WEAK))
    yield from _pack_tiers(*_fill_strong(strong[strong["position"] < REST], weak, config), config)


def unpack_blocks(blocks: bytes, sizes: npt.NDArray[np.int64]) -> tuple[BlockPostings, npt.NDArray[np.int64]]:
    """Return the postings of joined ``blocks`` of so many bytes each, and the number of the block of each posting."""
    postings = np.frombuffer(blocks, POSTING_IN_BLOCK)
    return postings, np.repeat(np.arange(len(sizes)), sizes // POSTING_IN_BLOCK.itemsize)


def _unpack_tier(blocks: Sequence[PackedBlock], tier: int, without: Collection[int]) -> BlockPostings:
    postings = np.frombuffer(b"".join([one.packed for one in blocks if one.tier == tier]), POSTING_IN_BLOCK)
    return postings[~np.isin(postings["position"], list(without))]


def _fill_strong(
    strong: BlockPostings, weak: BlockPostings, config: BlockConfig
) -> tuple[BlockPostings, BlockPostings]:
    """Return both tiers after each term has moved its best weak postings to where strong ones left: else a large search
    would not find what is left of it."""
    terms, counts = np.unique(strong["term"], return_counts=True)
    lacking = np.setdiff1d(weak["term"], terms[counts >= config.strong])
    is_moved, is_filled = np.isin(weak["term"], lacking), np.isin(strong["term"], lacking)
    filled, rest = _split_tiers(np.concatenate([strong[is_filled], weak[is_moved]]), config)
    return np.concatenate([strong[~is_filled], filled]), np.concatenate([weak[~is_moved], rest])


def _pack_tiers(strong: BlockPostings, weak: BlockPostings, config: BlockConfig) -> Iterator[PackedBlock]:
    """Yield the blocks of both tiers; the strong ones count the weak postings of their terms."""
    terms, counts = np.unique(weak["term"], return_counts=True)
    counted = np.zeros(len(terms), POSTING_IN_BLOCK)
    counted["term"], counted["position"] = terms, REST | counts
    yield from _pack_tier(STRONG, np.concatenate([strong, counted]), config)
    yield from _pack_tier(WEAK, weak, config)


def _pack_tier(tier: int, postings: BlockPostings, config: BlockConfig) -> Iterator[PackedBlock]:
    if not len(postings):
        return
    buckets = postings["term"] % np.uint32(config.buckets)
    order = np.argsort(buckets, kind="stable")
    postings, buckets = postings[order], buckets[order]
    starts = np.flatnonzero(np.r_[True, buckets[1:] != buckets[:-1]])
    for begin, end in zip(starts, [*starts[1:], len(postings)], strict=True):
        yield PackedBlock(int(buckets[begin]), tier, postings[begin:end].tobytes())


def _merge_chunks(chunk_terms: Sequence[bytes], first: int) -> BlockPostings:
    held: list[ChunkTerms] = [unpack_chunk_terms(packed) for packed in chunk_terms]
    sizes = [len(one) for one in held]
    postings = np.zeros(sum(sizes), POSTING_IN_BLOCK)
    if len(postings):
        terms = np.concatenate(held)
        postings["term"], postings["impact"] = terms["term"], terms["impact"]
        postings["position"] = np.repeat(np.arange(first, first + len(held)), sizes)
    return postings


def _split_tiers(postings: BlockPostings, config: BlockConfig) -> tuple[BlockPostings, BlockPostings]:
    """Return the strong and the weak postings."""
    if not len(postings):
        return postings, postings
    order = np.lexsort((postings["position"], -postings["impact"].astype(np.int16), postings["term"]))
    ordered = postings[order]
    firsts = np.flatnonzero(np.r_[True, ordered["term"][1:] != ordered["term"][:-1]])
    counts = np.diff(np.r_[firsts, len(ordered)])
    rank = np.arange(len(ordered)) - np.repeat(firsts, counts)
    is_weak = rank >= config.strong
    return ordered[~is_weak], ordered[is_weak]

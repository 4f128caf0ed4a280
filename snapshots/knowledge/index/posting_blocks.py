"""The postings of one segment of chunks, packed into blocks by term.

7 bytes a posting, little-endian: the key of the term (u4), the chunk's position in the segment (u2), its impact (u1).
The terms are spread over buckets by their key, and each bucket has a strong block and, where one of its terms is
frequent, a weak one: a frequent term keeps its strongest postings in the first. There a posting with ``REST`` in its
position tells how many more stand in the weak block, so that the rarity of a term is known without reading that.
"""

from collections.abc import Iterator, Sequence
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
POSITIONS = 2_048


@dataclass(frozen=True, slots=True)
class PackedBlock:
    """The postings of one bucket of a segment."""

    bucket: int
    tier: int
    packed: bytes


def choose_bucket(term: int, config: BlockConfig = BLOCKS) -> int:
    return term % config.buckets


def pack_blocks(chunk_terms: Sequence[bytes], config: BlockConfig = BLOCKS) -> Iterator[PackedBlock]:
    """Yield the blocks of a segment from the packed terms of its chunks, in the order of their positions."""
    postings = _merge_chunks(chunk_terms)
    if not len(postings):
        return
    strong, weak = _split_tiers(postings, config)
    yield from _pack_tier(STRONG, strong, config)
    yield from _pack_tier(WEAK, weak, config)


def unpack_blocks(blocks: Sequence[bytes]) -> tuple[BlockPostings, npt.NDArray[np.int64]]:
    """Return the postings of all ``blocks`` in one array, and the number of the block of each."""
    sizes = [len(block) // POSTING_IN_BLOCK.itemsize for block in blocks]
    postings = np.frombuffer(b"".join(blocks), POSTING_IN_BLOCK)
    return postings, np.repeat(np.arange(len(blocks)), sizes)


def _pack_tier(tier: int, postings: BlockPostings, config: BlockConfig) -> Iterator[PackedBlock]:
    if not len(postings):
        return
    buckets = postings["term"] % np.uint32(config.buckets)
    order = np.argsort(buckets, kind="stable")
    postings, buckets = postings[order], buckets[order]
    starts = np.flatnonzero(np.r_[True, buckets[1:] != buckets[:-1]])
    for begin, end in zip(starts, [*starts[1:], len(postings)], strict=True):
        yield PackedBlock(int(buckets[begin]), tier, postings[begin:end].tobytes())


def _merge_chunks(chunk_terms: Sequence[bytes]) -> BlockPostings:
    held: list[ChunkTerms] = [unpack_chunk_terms(packed) for packed in chunk_terms]
    sizes = [len(one) for one in held]
    postings = np.zeros(sum(sizes), POSTING_IN_BLOCK)
    if len(postings):
        terms = np.concatenate(held)
        postings["term"], postings["impact"] = terms["term"], terms["impact"]
        postings["position"] = np.repeat(np.arange(len(held)), sizes)
    return postings


def _split_tiers(postings: BlockPostings, config: BlockConfig) -> tuple[BlockPostings, BlockPostings]:
    """Return the strong and the weak postings; the strong ones count the weak ones of their terms."""
    order = np.lexsort((postings["position"], -postings["impact"].astype(np.int16), postings["term"]))
    ordered = postings[order]
    firsts = np.flatnonzero(np.r_[True, ordered["term"][1:] != ordered["term"][:-1]])
    counts = np.diff(np.r_[firsts, len(ordered)])
    rank = np.arange(len(ordered)) - np.repeat(firsts, counts)
    is_weak = rank >= config.strong
    frequent = counts > config.strong
    counted = np.zeros(int(frequent.sum()), POSTING_IN_BLOCK)
    counted["term"] = ordered["term"][firsts[frequent]]
    counted["position"] = REST | (counts[frequent] - config.strong)
    return np.concatenate([ordered[~is_weak], counted]), ordered[is_weak]

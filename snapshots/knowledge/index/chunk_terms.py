"""The terms of a chunk with their impacts: BM25's score of a term in this chunk, before its rarity is known.

Packed: 5 bytes a term, little-endian: the key of the term (u4), then its impact (u1). ``IMPACT_UNIT`` is one step.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memory_platform.kernel.keyword_terms import split_terms
from memory_platform.kernel.text import detect_language
from snapshots.embedding.index_row_packing import hash_term
from snapshots.knowledge.index.config import TERMS, TermConfig

CHUNK_TERM = np.dtype([("term", "<u4"), ("impact", "u1")])
ChunkTerms = npt.NDArray[np.void]
# The greatest impact, k1 + 1, takes the whole byte.
IMPACT_STEPS = 255
IMPACT_UNIT = (TERMS.bm25_k1 + 1) / IMPACT_STEPS


@dataclass(frozen=True, slots=True)
class IndexWords:
    """The words of a chunk as the index takes them: its place (title and headings) and its text."""

    place: str
    text: str


def pack_chunk_terms(words: IndexWords, config: TermConfig = TERMS) -> bytes:
    """Return the packed terms of a chunk, each once; empty for a chunk without terms."""
    text_terms = split_terms(words.text)
    counts: dict[int, float] = dict(Counter(map(hash_term, text_terms)))
    for term in set(map(hash_term, split_terms(words.place))):
        counts[term] = counts.get(term, 0.0) + config.place_weight
    if not counts:
        return b""
    keys = np.fromiter(counts.keys(), np.uint32, len(counts))
    frequency = np.fromiter(counts.values(), np.float32, len(counts))
    impacts = compute_impacts(frequency, len(text_terms), detect_language(words.text), config)
    packed = np.zeros(len(keys), CHUNK_TERM)
    packed["term"], packed["impact"] = keys, impacts
    if len(packed) > config.terms:
        packed = packed[np.argsort(-packed["impact"].astype(np.int16), kind="stable")[: config.terms]]
    return packed.tobytes()


def compute_impacts(
    frequency: npt.NDArray[np.float32], length: int, language: str, config: TermConfig = TERMS
) -> npt.NDArray[np.uint8]:
    """Return BM25's share of each term in steps of ``(k1 + 1) / 255``, at least one."""
    usual = config.usual_length if language == "en" else config.usual_length_unspaced
    norm = config.bm25_k1 * (1 - config.bm25_b + config.bm25_b * length / usual)
    return np.maximum(np.rint(IMPACT_STEPS * frequency / (frequency + norm)), 1).astype(np.uint8)


def unpack_chunk_terms(packed: bytes) -> ChunkTerms:
    return np.frombuffer(packed, CHUNK_TERM)

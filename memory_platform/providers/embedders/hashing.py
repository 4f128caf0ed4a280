import zlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from memory_platform.kernel.keyword_terms import split_terms
from memory_platform.providers.contracts import Vectors, normalise_rows
from memory_platform.providers.open_transaction_guard import forbid_open_transaction


class HashingEmbedder:
    """Each term adds its own pseudo-random signs; texts that share terms are near. Rows are unit length or zero."""

    def __init__(self, dimensions: int = 64, languages: tuple[str, ...] = ("en", "zh", "ja", "ko", "other")) -> None:
        self.name = f"hashing-{dimensions}"
        self.dimensions = dimensions
        self.languages = languages

    def embed(self, texts: Sequence[str]) -> Vectors:
        forbid_open_transaction()
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for i, text in enumerate(texts):
            for term, count in Counter(split_terms(text)).items():
                rows[i] += count * _make_signs(term, self.dimensions)
        return normalise_rows(rows)

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        return self.embed(texts)


# A generator takes 0.1 ms to make, and texts share most of their terms.
@lru_cache(maxsize=4_096)
def _make_signs(term: str, dimensions: int) -> Vectors:
    seed = zlib.crc32(term.encode())
    signs = np.random.default_rng(seed).choice(np.array([-1, 1], np.float32), dimensions)
    signs.setflags(write=False)  # shared by all texts
    return signs

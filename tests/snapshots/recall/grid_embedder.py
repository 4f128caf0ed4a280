"""Models for tests that compare scores to the last digit: hashed vectors on the grid that indexes round to."""

from collections.abc import Sequence

import numpy as np

from memory_platform.providers.contracts import Vectors, normalise_rows
from memory_platform.providers.embedders.hashing import HashingEmbedder

STEPS = 127
EVERY_LANGUAGE = ("en", "zh", "ja", "ko", "other")
NEAR = {"boat": "ship", "ship": "boat", "tea": "coffee", "coffee": "tea", "dog": "cat", "cat": "dog", "piano": "cello"}


class GridEmbedder:
    """Hashed vectors, each number a whole multiple of 1/127 of the largest: half precision and int8 lose nothing of it.

    ``name`` chooses what the recall policy knows of the space: its floor and its weight. Knows a few related words.
    """

    def __init__(self, name: str, dimensions: int, languages: tuple[str, ...] = EVERY_LANGUAGE) -> None:
        self.name = name
        self.dimensions = dimensions
        self.languages = languages
        self._hashing = HashingEmbedder(dimensions)
        self._known: dict[str, Vectors] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return unit rows, or zero rows for texts without terms."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known.update(zip(new, _on_grid(self._hashing.embed(new)), strict=True))
        return np.array([self._known[text] for text in texts]).reshape(-1, self.dimensions)

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Return rows as of any texts."""
        return self.embed(texts)

    def related_words(self, word: str) -> Sequence[tuple[str, float]]:
        """Return the word that is near ``word``, as word vectors would."""
        return ((NEAR[word], 0.75),) if word in NEAR else ()


def _on_grid(rows: Vectors) -> Vectors:
    top = np.abs(rows).max(axis=1, keepdims=True)
    return normalise_rows(np.round(rows * STEPS / np.where(top > 0, top, 1)))

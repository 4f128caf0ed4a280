"""The embedded default: wordllama's static 256-dimension vectors, shipped inside its wheel, numpy only.

Loading takes 0.8 s and 130 MB, once per process, at the first use. A query takes about 0.05 ms.
"""

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from memory_platform.providers.base import forbid_open_transaction
from memory_platform.providers.contracts import EmbeddingUnavailable, Vectors, unit_rows

DIMENSIONS = 256
BATCH_TOKENS = 16_384
"""Most token vectors gathered at once: 16 MB."""


class WordLlamaEmbedder:
    """Mean of static token vectors; knows English. Rows are unit length, or zero for a text without tokens."""

    name = "wordllama-l2_supercat-256"
    dimensions = DIMENSIONS
    languages: tuple[str, ...] = ("en",)

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tokenizer: Any = None
        self._table: Vectors | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return shape (len(texts), 256). Raises EmbeddingUnavailable when the wheel's own files are missing."""
        forbid_open_transaction()
        table = self._load()
        rows = np.zeros((len(texts), DIMENSIONS), np.float32)
        for i, text in enumerate(texts):
            ids = self._tokenizer.encode(_well_formed(text), add_special_tokens=False).ids
            for start in range(0, len(ids), BATCH_TOKENS):
                rows[i] += table.take(ids[start : start + BATCH_TOKENS], axis=0).sum(axis=0)
        return unit_rows(rows)

    def _load(self) -> Vectors:
        with self._lock:
            if self._table is None:
                self._tokenizer, self._table = _load_shipped_model()
            return self._table


def _load_shipped_model() -> tuple[Any, Vectors]:
    with _root_logger_untouched():
        import wordllama  # noqa: PLC0415 -- 0.5 s and 130 MB: only processes that embed pay for it
    try:
        # Its own folder as cache_dir: the loader looks for the tokenizer beside its code and misses it otherwise.
        model = wordllama.WordLlama.load(
            cache_dir=Path(wordllama.__file__).parent, dim=DIMENSIONS, disable_download=True
        )
    except FileNotFoundError as missing:
        raise EmbeddingUnavailable("the files of wordllama are not in its wheel") from missing
    model.tokenizer.no_padding()
    return model.tokenizer, np.ascontiguousarray(model.embedding, np.float32)


def _well_formed(text: str) -> str:
    """Return ``text`` without lone surrogates, which the tokenizer refuses."""
    return text.encode("utf-8", "replace").decode()


@contextmanager
def _root_logger_untouched() -> Iterator[None]:
    """Undo the ``logging.basicConfig`` that importing wordllama runs."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)

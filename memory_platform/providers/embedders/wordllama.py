"""The embedded default: wordllama's static 256-dimension vectors, shipped inside its wheel, numpy only.

Loading takes 1.5 s and 135 MB, once per process. A query takes about 0.05 ms, the words near a new word about 0.5 ms.
"""

import logging
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import simsimd

from memory_platform.kernel.caches import LruCache
from memory_platform.kernel.keyword_terms import ENGLISH
from memory_platform.providers.config import EMBEDDED, EmbeddedConfig
from memory_platform.providers.contracts import EmbeddingUnavailable, Vectors, normalise_rows
from memory_platform.providers.open_transaction_guard import forbid_open_transaction

DIMENSIONS = 256
# Most token vectors gathered at once: 16 MB.
BATCH_TOKENS = 16_384

INT8_ONE = 127
_WORD = re.compile("[a-z]{3,64}")
# A token that is a word by itself: the mark stands for the preceding blank.
_WHOLE_WORD = re.compile("\u2581[A-Za-z]{3,}")


class WordLlamaEmbedder:
    name = "wordllama-l2_supercat-256"
    dimensions = DIMENSIONS
    languages: tuple[str, ...] = ("en",)

    def __init__(self, config: EmbeddedConfig = EMBEDDED) -> None:
        self._policy = config
        self._lock = threading.Lock()
        self._model: _Model | None = None
        self._related: LruCache[str, tuple[tuple[str, float], ...]] = LruCache(config.words_kept)

    @property
    def ready(self) -> bool:
        return self._model is not None

    def prepare(self) -> None:
        self._load_model_once()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return shape (len(texts), 256), of long texts from pieces of them. Raises EmbeddingUnavailable when the
        wheel's own files are missing."""
        forbid_open_transaction()
        model = self._load_model_once()
        read = [_sample_pieces(text, self._policy) for text in texts]
        return normalise_rows(np.array([model.sum_vectors(text) for text in read], np.float32).reshape(-1, DIMENSIONS))

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Return rows as of any texts: 0.05 ms each. Raises as :meth:`embed` does."""
        return self.embed(texts)

    def related_words(self, word: str) -> tuple[tuple[str, float], ...]:
        """Return whole words of the model's vocabulary near ``word``, best first, each with its cosine. Lower-case,
        never ``word`` itself; none for a non-word. Raises as :meth:`embed` does."""
        forbid_open_transaction()
        key = word.lower()
        if not _WORD.fullmatch(key):
            return ()
        found = self._related.get(key)
        if found is None:
            found = self._load_model_once().words.find_near(
                self._load_model_once().word_rows([key])[0], self._policy, but=key
            )
            self._related.put(key, found)
        return found

    def _load_model_once(self) -> "_Model":
        with self._lock:
            if self._model is None:
                self._model = _Model(*_load_shipped_model())
            return self._model


class _Model:
    """The tokenizer with its table of token vectors, and the words that the vocabulary holds whole."""

    def __init__(self, tokenizer: Any, table: Vectors) -> None:
        self._tokenizer = tokenizer
        self._table = table
        whole = {token[1:].lower() for token in tokenizer.get_vocab() if _WHOLE_WORD.fullmatch(token)}
        words = sorted(whole - ENGLISH)
        self.words = _Words(words, self.word_rows(words))

    def sum_vectors(self, text: str) -> Vectors:
        ids = self._tokenizer.encode(text.encode("utf-8", "replace").decode(), add_special_tokens=False).ids
        row = np.zeros(DIMENSIONS, np.float32)
        for start in range(0, len(ids), BATCH_TOKENS):
            row += self._table.take(ids[start : start + BATCH_TOKENS], axis=0).sum(axis=0)
        return row

    def word_rows(self, words: Sequence[str]) -> Vectors:
        encoded = self._tokenizer.encode_batch([f" {word}" for word in words], add_special_tokens=False)
        tokens = [one.ids for one in encoded]
        starts = np.cumsum([0, *map(len, tokens[:-1])])
        return normalise_rows(np.add.reduceat(self._table.take(np.concatenate(tokens), axis=0), starts, axis=0))


class _Words:
    """Words with their int8 unit rows: one matrix-vector product over 2.6 MB tells which are near."""

    def __init__(self, words: Sequence[str], rows: Vectors) -> None:
        self._words = words
        self._rows = _quantise_rows(rows)

    def find_near(self, row: Vectors, config: EmbeddedConfig, *, but: str) -> tuple[tuple[str, float], ...]:
        dots = np.asarray(simsimd.cdist(_quantise_rows(row[None]), self._rows, "dot"), np.float64)[0]
        cosines = dots / INT8_ONE**2
        near = np.flatnonzero(cosines > config.related_cosine)
        best = near[np.argsort(-cosines[near], kind="stable")].tolist()
        named = ((self._words[i], round(float(cosines[i]), 4)) for i in best if self._words[i] != but)
        return tuple(islice(named, config.related_words))


def _quantise_rows(rows: Vectors) -> npt.NDArray[np.int8]:
    return np.rint(rows * INT8_ONE).astype(np.int8)


def _load_shipped_model() -> tuple[Any, Vectors]:
    with _preserve_root_logger():
        import wordllama  # noqa: PLC0415 -- 0.5 s and 130 MB: only processes that embed pay for it
    try:
        # Its own folder as cache_dir: the loader looks for the tokenizer beside its code and misses it otherwise.
        model = wordllama.WordLlama.load(
            cache_dir=Path(wordllama.__file__).parent, dim=DIMENSIONS, disable_download=True
        )
    except FileNotFoundError as missing:
        raise EmbeddingUnavailable(
            "the model files of wordllama are missing from the installed package; install it again"
        ) from missing
    model.tokenizer.no_padding()
    return model.tokenizer, np.ascontiguousarray(model.embedding, np.float32)


def _sample_pieces(text: str, config: EmbeddedConfig) -> str:
    """Return ``text``, or pieces of a long text at equal distances, whose mean vector is nearly the same."""
    if len(text) <= config.static_text_chars:
        return text
    count = config.static_text_pieces
    starts = (number * len(text) // count for number in range(count))
    return " ".join(text[start : start + config.static_text_chars // count] for start in starts)


@contextmanager
def _preserve_root_logger() -> Iterator[None]:
    """Undo the ``logging.basicConfig`` that importing wordllama runs."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)

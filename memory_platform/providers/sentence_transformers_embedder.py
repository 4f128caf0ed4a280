"""Embedding by a model on disk, with the sentence-transformers library: bge, text2vec, E5, MiniLM by path (L1, L2)."""

import threading
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from memory_platform.kernel.text import collapse_spaces
from memory_platform.observability.logs import Event, log
from memory_platform.providers.base import forbid_open_transaction
from memory_platform.providers.circuit import CircuitOpen
from memory_platform.providers.contracts import EmbeddingUnavailable, Vectors, unit_rows
from memory_platform.providers.known_models import instructed, known_dimensions
from memory_platform.providers.local_model import LocalModel, LocalModelFailed
from memory_platform.providers.policy import EMBEDDED, EmbeddedPolicy

NAME_CHARS = 150
"""Of the reference in the name of the space: a path may be long."""


class SentenceTransformersEmbedder:
    """``reference`` is a folder or a name; offline, a name is looked for among the models fetched before.

    ``dimensions`` is 0 until the model is loaded, unless the name is known.
    """

    def __init__(
        self, reference: str, *, offline: bool, languages: tuple[str, ...], policy: EmbeddedPolicy = EMBEDDED
    ) -> None:
        self.languages = languages
        self._reference = reference
        self._policy = policy
        self._dimensions = known_dimensions(reference)
        self._model = LocalModel(partial(_loaded, reference, offline))
        self._learning = threading.Lock()
        self._is_itself = True

    @property
    def name(self) -> str:
        """The end of the reference, and the dimensions."""
        return f"sentence-transformers:{self._reference[-NAME_CHARS:]}@{self._dimensions}"

    @property
    def dimensions(self) -> int:
        """Length of every vector; 0 while nobody knows it."""
        return self._dimensions

    @property
    def ready(self) -> bool:
        """Whether the next call finds the model loaded, and its vectors as its name promises."""
        return self._model.ready and self._is_itself

    def prepare(self) -> None:
        """Load the model. Raises EmbeddingUnavailable."""
        self._rows(["."])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return shape (len(texts), dimensions), zero for a text that shows nothing. Raises EmbeddingUnavailable."""
        forbid_open_transaction()
        readable = [_readable(text, self._policy.local_text_chars) for text in texts]
        telling = [i for i, text in enumerate(readable) if text]
        found = self._rows([readable[i] for i in telling] or ["."])
        rows = np.zeros((len(texts), self._dimensions), np.float32)
        if telling:
            rows[telling] = found
        return unit_rows(rows)

    def _rows(self, texts: Sequence[str]) -> Vectors:
        read = [instructed(self._reference, text) for text in texts]

        def encode(model: Any) -> Vectors:
            return np.asarray(model.encode(read, show_progress_bar=False, convert_to_numpy=True), np.float32)

        try:
            rows = self._model.use(encode)
        except (LocalModelFailed, CircuitOpen) as failed:
            raise EmbeddingUnavailable(failed.detail) from None
        with self._learning:
            self._dimensions = self._dimensions or rows.shape[1]
        self._check_length(rows)
        if rows.shape != (len(texts), self._dimensions) or not np.isfinite(rows).all():
            raise EmbeddingUnavailable("the local model's vectors are not what its name promises")
        return rows

    def _check_length(self, rows: Vectors) -> None:
        """Note whether the model answers vectors of its length; say once that it does not."""
        was_itself, self._is_itself = self._is_itself, rows.shape[1] == self._dimensions
        if was_itself and not self._is_itself:
            log(Event.PROVIDER_FAILED, provider="sentence-transformers", error="wrong_dimension")


def _loaded(reference: str, offline: bool) -> Any:
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415 -- an extra, and seconds of imports

    return SentenceTransformer(reference, local_files_only=offline)


def _readable(text: str, limit: int) -> str:
    return collapse_spaces(text[: 2 * limit])[:limit].encode("utf-8", "replace").decode()

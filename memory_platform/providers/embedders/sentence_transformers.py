"""Embedding by a model on disk, with the sentence-transformers library: bge, text2vec, E5, MiniLM by path."""

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from memory_platform.kernel.caches import LruCache
from memory_platform.kernel.text import collapse_spaces, content_hash, truncate_text
from memory_platform.observability.logs import Event, log
from memory_platform.providers.config import EMBEDDED, EmbeddedConfig
from memory_platform.providers.contracts import EmbeddingUnavailable, Vectors, normalise_rows
from memory_platform.providers.embedders.known_models import AS_IT_IS, input_prefixes, known_dimensions, space_name
from memory_platform.providers.endpoints.circuit_breaker import CircuitOpen
from memory_platform.providers.local_model import LocalModel, LocalModelFailed
from memory_platform.providers.open_transaction_guard import forbid_open_transaction

NAME_CHARS = 150

# How a loaded model embeds texts: as passages, or as questions.
Encode = Callable[[Any, Sequence[str]], Any]


def load_model(reference: str, *, offline: bool) -> Any:
    """Load the library's model from a directory or by name; raises the library's errors."""
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415 -- an extra, and seconds of imports

    return SentenceTransformer(reference, local_files_only=offline)


class SentenceTransformersEmbedder:
    """``reference`` is a folder or a name; offline, a name is looked up among the models fetched before.

    ``dimensions`` is 0 until the model is loaded, unless the name is known. Prefixes of questions and passages depend
    on a known name, else on the model's files.
    """

    def __init__(
        self,
        reference: str,
        *,
        offline: bool,
        languages: tuple[str, ...],
        config: EmbeddedConfig = EMBEDDED,
        load: Callable[..., Any] = load_model,
    ) -> None:
        self.languages = languages
        self._reference = reference
        self._policy = config
        self._dimensions = known_dimensions(reference)
        self._reading = input_prefixes(reference)
        self._model = LocalModel(partial(load, reference, offline=offline))
        self._questions: LruCache[bytes, Vectors] = LruCache(config.questions_kept)
        self._learning = threading.Lock()
        self._is_itself = True

    @property
    def name(self) -> str:
        model = f"sentence-transformers:{self._reference[-NAME_CHARS:]}"
        return space_name(model, self._dimensions, self._reading or AS_IT_IS)

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def ready(self) -> bool:
        return self._model.ready and self._is_itself

    def prepare(self) -> None:
        """Load the model; this may take long. Raises EmbeddingUnavailable."""
        self._encode_texts(["."], self._encode_passages)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return shape (len(texts), dimensions), zero for a text that shows nothing. Raises EmbeddingUnavailable. In
        batches, between which questions have their turn."""
        forbid_open_transaction()
        readable = self._clean_texts(texts)
        wanted = list(dict.fromkeys(filter(None, readable))) or ["."]
        rows: dict[str, Vectors] = {}
        for start in range(0, len(wanted), self._policy.local_batch):
            batch = wanted[start : start + self._policy.local_batch]
            rows.update(zip(batch, self._encode_texts(batch, self._encode_passages), strict=True))
        return self._normalise_found_rows(readable, rows)

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        forbid_open_transaction()
        readable = self._clean_texts(texts)
        keys = {text: content_hash(text) for text in readable if text}
        rows = {text: row for text, key in keys.items() if (row := self._questions.get(key)) is not None}
        wanted = [text for text in keys if text not in rows]
        if wanted or not self._dimensions:
            found = self._encode_texts(wanted or ["."], self._encode_questions, seconds=self._policy.question_s)
            rows.update(zip(wanted, found, strict=False))
            for text in wanted:
                self._questions.put(keys[text], rows[text])
        return self._normalise_found_rows(readable, rows)

    def _encode_passages(self, model: Any, texts: Sequence[str]) -> Any:
        before = self._reading.passage if self._reading else None
        return model.encode_document(texts, prompt=before, show_progress_bar=False, convert_to_numpy=True)

    def _encode_questions(self, model: Any, texts: Sequence[str]) -> Any:
        before = self._reading.question if self._reading else None
        return model.encode_query(texts, prompt=before, show_progress_bar=False, convert_to_numpy=True)

    def _encode_texts(self, texts: Sequence[str], encode: Encode, *, seconds: float | None = None) -> Vectors:
        try:
            rows = self._model.run_with_model(
                lambda model: np.asarray(encode(model, texts), np.float32), seconds=seconds
            )
        except (LocalModelFailed, CircuitOpen) as failed:
            raise EmbeddingUnavailable(failed.detail) from None
        with self._learning:
            self._dimensions = self._dimensions or rows.shape[1]
        self._check_length(rows)
        if rows.shape != (len(texts), self._dimensions) or not np.isfinite(rows).all():
            raise EmbeddingUnavailable("the local model's vectors are not what its name promises")
        return rows

    def _check_length(self, rows: Vectors) -> None:
        """Note whether the model's vectors have the right length; log a change once."""
        was_itself, self._is_itself = self._is_itself, rows.shape[1] == self._dimensions
        if was_itself and not self._is_itself:
            log(Event.PROVIDER_FAILED, provider="sentence-transformers", error="wrong_dimension")

    def _clean_texts(self, texts: Sequence[str]) -> list[str]:
        limit = self._policy.local_text_chars
        cut = (truncate_text(collapse_spaces(text[: 2 * limit]), limit) for text in texts)
        return [text.encode("utf-8", "replace").decode() for text in cut]

    def _normalise_found_rows(self, texts: Sequence[str], rows: Mapping[str, Vectors]) -> Vectors:
        nothing = np.zeros(self._dimensions, np.float32)
        found = [rows.get(text, nothing) for text in texts]
        return normalise_rows(np.array(found, np.float32).reshape(len(texts), self._dimensions))

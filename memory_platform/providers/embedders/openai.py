"""Embedding over HTTP in OpenAI's format, which most servers support: bge, text2vec, e5 behind TEI or vLLM."""

import hmac
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from django.conf import settings
from redis import Redis

from memory_platform.kernel.text import collapse_spaces, content_hash, truncate_text
from memory_platform.observability.metrics import PROVIDER_TOKENS
from memory_platform.observability.tracing import EMBEDDINGS, TOKENS_READ, open_model_span
from memory_platform.providers.config import REMOTE_EMBEDDING, RemoteEmbeddingConfig
from memory_platform.providers.contracts import EmbeddingRefused, EmbeddingUnavailable, Vectors, normalise_rows
from memory_platform.providers.embedders.known_models import AS_IT_IS, input_prefixes, known_dimensions, space_name
from memory_platform.providers.endpoints.endpoint import CallFailed, Failure, JsonService, WrongAnswer, WrongDimension
from memory_platform.providers.open_transaction_guard import forbid_open_transaction
from memory_platform.providers.redis.client import RedisAway, redis_client

USE = "vectors"
FLOAT_BYTES = 4
PATH = "/embeddings"


class VectorCache:
    """The vectors of one space. ``kept_s`` is their lifetime in seconds."""

    def __init__(self, space: str, dimensions: int, *, kept_s: int) -> None:
        self._space = space
        self._dimensions = dimensions
        self._kept_s = kept_s

    def get(self, texts: Sequence[str]) -> dict[str, Vectors]:
        if not texts:
            return {}
        keys = list(map(self._key, texts))
        try:
            held = redis_client().call(USE, lambda client: client.mget(keys))
        except RedisAway:
            return {}
        whole = FLOAT_BYTES * self._dimensions
        pairs = zip(texts, held, strict=True)  # type: ignore[arg-type]  # redis-py's union with its async client
        return {text: np.frombuffer(row, np.float32) for text, row in pairs if row and len(row) == whole}

    def put(self, vectors: Mapping[str, Vectors]) -> None:
        if not vectors:
            return

        def store(client: Redis) -> None:
            pipeline = client.pipeline(transaction=False)
            for text, row in vectors.items():
                pipeline.set(self._key(text), row.astype(np.float32).tobytes(), ex=self._kept_s)
            pipeline.execute()

        try:
            redis_client().call(USE, store)
        except RedisAway:
            return

    def _key(self, text: str) -> str:
        digest = hmac.digest(settings.KEY_PEPPER.encode(), self._space.encode() + content_hash(text), "sha256")
        return f"vector:{digest.hex()}"


class OpenAIEmbedder:
    """A model behind an endpoint. Rows are unit length, or zero for a text that shows nothing.

    ``dimensions`` comes from the configuration, else from the known models, else it is 0 until the endpoint has
    answered once; from then on any other length is refused.
    """

    def __init__(
        self,
        model: str,
        service: JsonService,
        *,
        dimensions: int = 0,
        languages: tuple[str, ...],
        config: RemoteEmbeddingConfig = REMOTE_EMBEDDING,
    ) -> None:
        self.languages = languages
        self._model = model
        self._service = service
        self._policy = config
        # Only these cut their vectors on demand; others refuse the parameter.
        self._asked = {"dimensions": dimensions} if dimensions and model.startswith("text-embedding-3") else {}
        self._dimensions = dimensions or known_dimensions(model)
        self._reading = input_prefixes(model) or AS_IT_IS
        self._learning = threading.Lock()
        self._is_itself = True

    @property
    def name(self) -> str:
        """Model and dimensions: a shortened model is another space."""
        return space_name(f"openai:{self._model}", self._dimensions, self._reading)

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def ready(self) -> bool:
        return self._dimensions > 0 and self._is_itself and self._service.answering

    def prepare(self) -> None:
        """Learn the dimensions from the endpoint unless they are known. Raises EmbeddingUnavailable."""
        if not self._dimensions:
            self._request(["dimensions"])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return shape (len(texts), dimensions), from the cache where it knows a text. Raises EmbeddingUnavailable for
        whatever went wrong, EmbeddingRefused when the texts did."""
        return self._rows(texts, self._reading.passage)

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        return self._rows(texts, self._reading.question)

    def _rows(self, texts: Sequence[str], before: str) -> Vectors:
        forbid_open_transaction()
        self.prepare()
        readable = [_clean_text(text, before, self._policy.text_chars) for text in texts]
        wanted = list(dict.fromkeys(filter(None, readable)))
        cache = VectorCache(self.name, self._dimensions, kept_s=self._policy.kept_s)
        vectors = cache.get(wanted)
        for batch in _split_batches([text for text in wanted if text not in vectors], self._policy.batch):
            fresh = dict(zip(batch, self._request(batch), strict=True))
            cache.put(fresh)
            vectors |= fresh
        nothing = np.zeros(self._dimensions, np.float32)
        rows = [vectors.get(text, nothing) for text in readable]
        return normalise_rows(np.array(rows, np.float32).reshape(len(texts), self._dimensions))

    def _request(self, texts: Sequence[str]) -> Vectors:
        body = {
            "model": self._model,
            "input": list(texts),
            "encoding_format": "float",
            **self._asked,
        }

        def read(answer: Any) -> tuple[Vectors, int | None]:
            rows = self._check_dimensions(parse_vectors(answer, len(texts)))
            if len(rows) >= self._policy.differing_texts and (rows == rows[0]).all():
                raise WrongAnswer  # zeros, or another constant: the model is not loaded, or not one for this
            return rows, count_tokens(answer)

        seconds = self._policy.compute_time_limit(len(texts))
        try:
            with open_model_span(EMBEDDINGS, model=self._model, kind="openai") as span:
                rows, tokens = self._service.post(PATH, body, read, seconds=seconds)
                span.describe({TOKENS_READ: tokens})
        except CallFailed as failed:
            kind = EmbeddingRefused if failed.failure is Failure.REFUSED else EmbeddingUnavailable
            raise kind(failed.detail) from None
        return rows

    def _check_dimensions(self, rows: Vectors) -> Vectors:
        """Return ``rows``. Raises WrongDimension if their length differs from the first rows'."""
        with self._learning:
            if not self._dimensions:
                self._dimensions = rows.shape[1]
        self._is_itself = rows.shape[1] == self._dimensions
        if not self._is_itself:
            raise WrongDimension
        return rows


def parse_vectors(answer: Any, count: int) -> Vectors:
    """Return the ``count`` vectors of an answer in the order of the texts. Raises WrongAnswer."""
    try:
        items = sorted(answer["data"], key=lambda item: int(item["index"]))
        if [item["index"] for item in items] != list(range(count)):
            raise WrongAnswer
        with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite and is refused below
            rows = np.array([item["embedding"] for item in items], np.float32)
    except (KeyError, TypeError, ValueError, OverflowError):
        raise WrongAnswer from None
    if rows.ndim != 2 or not rows.shape[1] or not np.isfinite(rows).all():  # noqa: PLR2004 -- rows and columns
        raise WrongAnswer
    return rows


def count_tokens(answer: Mapping[str, Any]) -> int | None:
    """Count and return the tokens that the endpoint says it read; None if it does not say."""
    usage = answer.get("usage")
    total = usage.get("total_tokens") if isinstance(usage, Mapping) else None
    if not isinstance(total, int) or total <= 0:
        return None
    PROVIDER_TOKENS.labels(use="embed").inc(total)
    return total


def _clean_text(text: str, before: str, limit: int) -> str:
    """Return the part of ``text`` to send; empty if it has no visible character."""
    shown = truncate_text(collapse_spaces(text[: 2 * limit]), limit).encode("utf-8", "replace").decode()
    return f"{before}{shown}" if shown else ""


def _split_batches(texts: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (texts[start : start + size] for start in range(0, len(texts), size))

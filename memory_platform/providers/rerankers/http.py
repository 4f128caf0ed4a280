"""Reranking over HTTP, in the two common formats: Jina's and Cohere's with a model, TEI's without."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from memory_platform.observability import tracing
from memory_platform.providers.config import RERANK, RerankConfig
from memory_platform.providers.contracts import RerankUnavailable
from memory_platform.providers.endpoints.endpoint import CallFailed, JsonService, WrongAnswer


class HttpReranker:
    """A cross-encoder behind an endpoint. An empty ``model`` means text-embeddings-inference, which serves one."""

    def __init__(self, model: str, service: JsonService, config: RerankConfig = RERANK) -> None:
        self.name = f"http:{model or 'tei'}"
        self._model = model
        self._service = service
        self._policy = config

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return one relevance in [0, 1] per text, within the time box. Raises RerankUnavailable."""
        if not texts:
            return []

        def read(answer: Any) -> list[float]:
            return parse_relevances(answer, len(texts))

        try:
            with tracing.open_model_span(tracing.RERANK, model=self._model):
                return self._service.post("", self._body(query, texts), read, seconds=self._policy.seconds)
        except CallFailed as failed:
            raise RerankUnavailable(failed.detail) from None

    def _body(self, query: str, texts: Sequence[str]) -> dict[str, Any]:
        asked = truncate_text(query, self._policy.query_chars)
        documents = [truncate_text(text, self._policy.text_chars) for text in texts]
        if not self._model:
            return {"query": asked, "texts": documents, "raw_scores": False, "truncate": True}
        return {"model": self._model, "query": asked, "documents": documents, "top_n": len(documents)}


def parse_relevances(answer: Any, count: int) -> list[float]:
    """Return the scores of an answer in the order of the texts, in [0, 1]. Raises WrongAnswer.

    ``results`` or ``data`` or a bare list, each item with ``index`` and ``relevance_score`` or ``score``. Raw scores
    become relevances by the logistic function, as the models' own heads do it.
    """
    items: Any = answer.get("results", answer.get("data")) if isinstance(answer, dict) else answer
    try:
        found = {int(item["index"]): float(item.get("relevance_score", item.get("score"))) for item in items}
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        raise WrongAnswer from None
    if len(items) != count or found.keys() != set(range(count)):
        raise WrongAnswer
    scores = np.array([found[i] for i in range(count)])
    if not np.isfinite(scores).all():
        raise WrongAnswer
    return squash_scores(scores)


def squash_scores(scores: Any) -> list[float]:
    raw = bool(((scores < 0) | (scores > 1)).any())
    squashed = 1 / (1 + np.exp(-np.clip(scores, -50, 50))) if raw else scores
    return [float(score) for score in squashed]


def truncate_text(text: str, limit: int) -> str:
    return text[:limit].encode("utf-8", "replace").decode()

"""Reranking by a cross-encoder on disk, with the sentence-transformers library."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from memory_platform.providers.config import RERANK, RerankConfig
from memory_platform.providers.contracts import RerankUnavailable
from memory_platform.providers.endpoints.circuit_breaker import CircuitOpen
from memory_platform.providers.local_model import LocalModel, LocalModelFailed
from memory_platform.providers.open_transaction_guard import forbid_open_transaction
from memory_platform.providers.rerankers.http import squash_scores, truncate_text


def load_model(reference: str, *, offline: bool) -> Any:
    from sentence_transformers import CrossEncoder  # noqa: PLC0415 -- an extra, and seconds of imports

    return CrossEncoder(reference, local_files_only=offline)


class CrossEncoderReranker:
    """``reference`` is a directory or a name, as for the local embedders."""

    def __init__(
        self,
        reference: str,
        *,
        offline: bool,
        config: RerankConfig = RERANK,
        load: Callable[..., Any] = load_model,
    ) -> None:
        self.name = f"cross-encoder:{reference}"
        self._policy = config
        self._model = LocalModel(partial(load, reference, offline=offline))

    @property
    def ready(self) -> bool:
        return self._model.ready

    def prepare(self) -> None:
        """Load the model, however long it takes. Raises RerankUnavailable."""
        self._predict_scores([(".", ".")], seconds=None)

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return one relevance in [0, 1] per text, within the time box. Raises RerankUnavailable."""
        forbid_open_transaction()
        if not texts:
            return []
        asked = truncate_text(query, self._policy.query_chars)
        pairs = [(asked, truncate_text(text, self._policy.text_chars)) for text in texts]
        return squash_scores(self._predict_scores(pairs, seconds=self._policy.seconds))

    def _predict_scores(self, pairs: Sequence[tuple[str, str]], *, seconds: float | None) -> Any:
        try:
            scores = self._model.run_with_model(
                lambda model: model.predict(pairs, show_progress_bar=False), seconds=seconds
            )
        except (LocalModelFailed, CircuitOpen) as failed:
            raise RerankUnavailable(failed.detail) from None
        found = np.asarray(scores, np.float64)
        if found.shape != (len(pairs),) or not np.isfinite(found).all():
            raise RerankUnavailable("the local model does not give one finite score per pair")
        return found

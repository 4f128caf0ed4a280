"""Texts of items become vectors, outside of any transaction. A text goes to the first model that knows its language."""

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

import numpy as np
import numpy.typing as npt

from memory_platform.kernel.text import detect_language
from memory_platform.providers.contracts import Embedder
from memory_platform.providers.registry import find_embedder_for
from snapshots.embedding.embedding_spaces import measure_active_embedders, space_id
from snapshots.store_items.config import STORE
from snapshots.store_items.reading import QueryVectors

Placed = tuple[Embedder, str]
"""The model that made a vector, and the vector as pgvector reads it."""


def embed_texts(texts: Sequence[str]) -> dict[str, Placed]:
    """Return the vectors of texts; a text that means nothing to the models has none. Raises EmbeddingUnavailable."""
    found: dict[str, Placed] = {}
    for embedder, own in _assign_texts_to_models(texts).items():
        rows = embedder.embed([one[: STORE.text_chars] for one in own])
        found |= {one: (embedder, render_vector(row)) for one, row in zip(own, rows, strict=True) if row.any()}
    return found


def embed_queries(queries: Sequence[str]) -> dict[str, QueryVectors]:
    """Return the vectors of each question, one of every model. Raises EmbeddingUnavailable."""
    wanted = list(dict.fromkeys(one for one in queries if one))
    found: defaultdict[str, dict[UUID, str]] = defaultdict(dict)
    for embedder in measure_active_embedders() if wanted else ():
        for query, row in zip(wanted, embedder.embed_questions(wanted), strict=True):
            if row.any():
                found[query][space_id(embedder)] = render_vector(row)
    return dict(found)


def render_vector(row: npt.NDArray[np.float32]) -> str:
    return f"[{','.join(map(str, row.tolist()))}]"


def _assign_texts_to_models(texts: Sequence[str]) -> dict[Embedder, list[str]]:
    embedders = measure_active_embedders() if texts else ()
    shares: defaultdict[Embedder, list[str]] = defaultdict(list)
    for text in dict.fromkeys(texts):
        embedder = find_embedder_for(detect_language(text), embedders) or (embedders[0] if embedders else None)
        if embedder is not None:
            shares[embedder].append(text)
    return shares

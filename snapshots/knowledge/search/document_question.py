"""A question to documents made ready: weighted terms and vectors. Models are asked here, with no transaction open."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from memory_platform.kernel.text import truncate_text
from snapshots.embedding.embedding_spaces import Embedders, active_embedders, space_id
from snapshots.embedding.packed_index import Float32
from snapshots.knowledge.search.config import LANES_OF_DOCUMENTS, LaneConfig
from snapshots.recall.config import DEFAULT_RECALL
from snapshots.recall.question import embed_questions, weigh_terms
from snapshots.recall.values import DegradedReason


@dataclass(frozen=True, slots=True)
class DocumentQuestion:
    """``terms`` are weights by term key, ``vectors`` are unit vectors by the id of their space."""

    text: str
    terms: Mapping[int, float]
    vectors: Mapping[UUID, Float32]


def prepare_document_questions(
    texts: Sequence[str], embedders: Embedders | None = None, config: LaneConfig = LANES_OF_DOCUMENTS
) -> tuple[list[DocumentQuestion], frozenset[DegradedReason]]:
    """Return the prepared wordings, with one call to each model. Without a model's answer the words remain."""
    among = active_embedders() if embedders is None else embedders
    texts = [truncate_text(text, DEFAULT_RECALL.question_chars) for text in texts]
    embedded, degraded = embed_questions(texts, among)
    spaces = {one.name: space_id(one) for one in among}
    questions = [
        DocumentQuestion(text, _choose_terms(text, config), _normalise_vectors(vectors, spaces))
        for text, vectors in zip(texts, embedded, strict=True)
    ]
    return questions, degraded


def _choose_terms(text: str, config: LaneConfig) -> Mapping[int, float]:
    weighed = weigh_terms(text, DEFAULT_RECALL.scoring)
    return dict(sorted(weighed.items(), key=lambda one: -one[1])[: config.query_terms])


def _normalise_vectors(vectors: Mapping[str, Float32], spaces: Mapping[str, UUID]) -> Mapping[UUID, Float32]:
    usable = {name: vector for name, vector in vectors.items() if np.isfinite(vector).all() and vector.any()}
    return {spaces[name]: np.asarray(v / np.linalg.norm(v), np.float32) for name, v in usable.items()}

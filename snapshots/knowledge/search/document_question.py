"""A question to documents made ready: weighted terms and vectors. Models are asked here, with no transaction open."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from memory_platform.kernel.text import detect_language, truncate_text
from memory_platform.providers.contracts import WordRelations
from memory_platform.providers.registry import word_relations
from snapshots.embedding.embedding_spaces import Embedders, active_embedders, space_id
from snapshots.embedding.index_row_packing import Float32
from snapshots.knowledge.search.config import LANES_OF_DOCUMENTS, LaneConfig
from snapshots.recall.config import DEFAULT_RECALL
from snapshots.recall.question import NO_RELATED, embed_questions, find_related_terms, weigh_terms_by_sentence
from snapshots.recall.values import DegradedReason


@dataclass(frozen=True, slots=True)
class DocumentQuestion:
    """``terms`` are weights by term key, of which ``own_terms`` stand in the question, the others are near to them in
    meaning; ``vectors`` are unit vectors by the id of their space."""

    text: str
    terms: Mapping[int, float]
    own_terms: frozenset[int]
    vectors: Mapping[UUID, Float32]
    is_chinese: bool


def prepare_document_questions(
    texts: Sequence[str],
    embedders: Embedders | None = None,
    config: LaneConfig = LANES_OF_DOCUMENTS,
    *,
    vectors: Mapping[str, Float32] | None = None,
    spaces: Collection[UUID] | None = None,
) -> tuple[list[DocumentQuestion], frozenset[DegradedReason]]:
    """Return the prepared wordings, with one call to each model of ``spaces`` (all, if None), and none if ``vectors``
    holds those of the only wording. Without a model's answer the words remain."""
    active = active_embedders() if embedders is None else embedders
    among = [one for one in active if spaces is None or not one.dimensions or space_id(one) in spaces]
    texts = [truncate_text(text, DEFAULT_RECALL.question_chars) for text in texts]
    embedded: Sequence[Mapping[str, Float32]] = [vectors or {}]
    degraded = frozenset[DegradedReason]()
    if vectors is None:
        embedded, degraded = embed_questions(texts, among)
    by_name = {one.name: space_id(one) for one in among}
    relations = word_relations(active)
    questions = [
        DocumentQuestion(
            text,
            *weigh_question_terms(text, relations, config),
            _normalise_vectors(own, by_name),
            detect_language(text) == "zh",
        )
        for text, own in zip(texts, embedded, strict=True)
    ]
    return questions, degraded


def weigh_question_terms(
    text: str, relations: WordRelations | None, config: LaneConfig = LANES_OF_DOCUMENTS
) -> tuple[Mapping[int, float], frozenset[int]]:
    """Return weights by term key, of the question's own terms and less of words near to them in meaning; and the keys
    of its own terms."""
    weighed = weigh_terms_by_sentence(text, DEFAULT_RECALL.scoring)
    own = dict(sorted(weighed.items(), key=lambda one: -one[1])[: config.query_terms])
    near = find_related_terms(text, own, DEFAULT_RECALL.scoring, relations) if relations else NO_RELATED
    taken: Counter[int] = Counter()
    related: dict[int, float] = {}
    for source, key, cosine in zip(near.source.tolist(), near.keys.tolist(), near.cosines.tolist(), strict=True):
        if source in own and key not in own and taken[source] < config.related_terms:
            taken[source] += 1
            related[key] = max(related.get(key, 0.0), config.related_share * cosine * own[source])
    return own | related, frozenset(own)


def _normalise_vectors(vectors: Mapping[str, Float32], spaces: Mapping[str, UUID]) -> Mapping[UUID, Float32]:
    usable = {name: v for name, v in vectors.items() if name in spaces and np.isfinite(v).all() and v.any()}
    return {spaces[name]: np.asarray(v / np.linalg.norm(v), np.float32) for name, v in usable.items()}

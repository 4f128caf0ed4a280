"""How probably slots help a question: their words ("diet: vegetarian") are judged as notes are, beside each other.

Nothing of them is indexed. They are few and change seldom: a process works out their words and vectors when they are
first asked about, and keeps them without the text.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

import numpy as np

from memory_platform.kernel.terms import terms
from memory_platform.kernel.text import content_hash
from memory_platform.providers.contracts import Embedder, EmbeddingUnavailable
from memory_platform.providers.lru_cache import LruCache
from snapshots.embedding.contextual import Turn, index_alone, index_text
from snapshots.embedding.rows import encode_lex, pack_dense, term_key
from snapshots.embedding.spaces import Embedders
from snapshots.recall.images.image import build_image
from snapshots.recall.policy import ScoringPolicy
from snapshots.recall.ranking.probe import Probe
from snapshots.recall.ranking.relevance import relevance_of_notes
from snapshots.recall.ranking.scoring import score_memories
from snapshots.recall.values import MemoryRow
from snapshots.relevance.policy import DIMENSIONS, ENCODER_SPACE, RELEVANCE

_WORDS: LruCache[bytes, bytes] = LruCache(RELEVANCE.slots_kept)
_VECTORS: LruCache[bytes, bytes] = LruCache(RELEVANCE.slots_kept)
_ALWAYS = datetime.min.replace(tzinfo=UTC)


def judge_slots(texts: Sequence[str], probe: Probe, embedders: Embedders, policy: ScoringPolicy) -> list[float]:
    """Return how probably each text helps a question that needs memory, 0..1.

    A text or question without a vector (the sentence encoder is not among ``embedders``, does not answer, or has
    embedded enough new ones at once) is compared by the share of common terms among those of the shorter one.
    """
    encoder = next((one for one in embedders if one.name == ENCODER_SPACE), None)
    keys = [content_hash(text) for text in texts]
    _keep_vectors(dict(zip(keys, texts, strict=True)), encoder)
    rows = [
        MemoryRow(UUID(int=at), "note", _packed_words(key, text), _ALWAYS, dense=_VECTORS.get(key), space=ENCODER_SPACE)
        for at, (key, text) in enumerate(zip(keys, texts, strict=True))
    ]
    image = build_image(rows, {ENCODER_SPACE: DIMENSIONS})
    scores = score_memories(image, probe, policy)
    is_encoded = ENCODER_SPACE in probe.vectors
    judged = relevance_of_notes(image, np.ones(len(rows), np.bool_), scores, probe)
    return [
        float(helps) if is_encoded and row.dense else _share_of_terms(text, probe)
        for helps, row, text in zip(judged, rows, texts, strict=True)
    ]


def _share_of_terms(text: str, probe: Probe) -> float:
    said = frozenset(map(term_key, terms(text)))
    shorter = min(len(said), len(probe.terms))
    return len(said & probe.terms.keys()) / shorter if shorter else 0.0


def _packed_words(key: bytes, text: str) -> bytes:
    packed = _WORDS.get(key)
    if packed is None:
        turn = Turn(text)
        packed = encode_lex(index_alone(index_text(turn), turn))
        _WORDS.put(key, packed)
    return packed


def _keep_vectors(texts: dict[bytes, str], encoder: Embedder | None) -> None:
    new = [key for key in texts if _VECTORS.get(key) is None][: RELEVANCE.slots_embedded]
    if encoder is None or not new:
        return
    try:
        vectors = encoder.embed([texts[key] for key in new])
    except EmbeddingUnavailable:
        return
    for key, dense in zip(new, pack_dense(vectors, vectors), strict=True):
        _VECTORS.put(key, dense)

"""How probably slots help a question: their words ("diet: vegetarian") are judged as notes are.

They are few, change seldom and are not indexed: a process computes their words and vectors when they are first asked
about, and caches them without the text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

import numpy as np
import numpy.typing as npt

from memory_platform.kernel.caches import LruCache
from memory_platform.kernel.keyword_terms import split_terms
from memory_platform.kernel.text import content_hash
from memory_platform.providers.contracts import Embedder, EmbeddingUnavailable
from snapshots.embedding.embedding_spaces import Embedders
from snapshots.embedding.index_row_packing import hash_term, pack_postings, pack_vector_rows
from snapshots.embedding.indexed_text import SpokenTurn, index_note_or_reply, index_text
from snapshots.embedding.marker_terms import list_possible_name_marks, make_alias_marks
from snapshots.recall.config import ScoringPolicy
from snapshots.recall.memory_indexes.index_columns import Float64
from snapshots.recall.memory_indexes.memory_index import MemoryIndex, build_index
from snapshots.recall.question import Probe
from snapshots.recall.ranking.explanations import explain_hits
from snapshots.recall.ranking.memory_ranking import find_relevant_rows
from snapshots.recall.ranking.memory_relevance import JudgedMemories, score_notes
from snapshots.recall.ranking.memory_scores import MemoryScores, score_memories
from snapshots.recall.ranking.score_factors import DIGITS, RankedRows
from snapshots.recall.values import Explanation, MemoryRow, RecallQuery
from snapshots.relevance.config import DIMENSIONS, ENCODER_SPACE, RELEVANCE

_WORDS: LruCache[bytes, bytes] = LruCache(RELEVANCE.slots_kept)
_VECTORS: LruCache[bytes, bytes] = LruCache(RELEVANCE.slots_kept)
_ALWAYS = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class SlotWords:
    """A slot as it is judged: words, labels, how well the question names it as a tag (0..1), confidence (0..1)."""

    text: str
    labels: tuple[str, ...] = ()
    tag_match: float = 0.0
    confidence: float = 1.0


class SlotRelevance(NamedTuple):
    """How probably a slot helps (0..1), why, and whether a strict question takes it."""

    relevance: float
    explain: Explanation
    is_taken: bool


def judge_slots(
    slots: Sequence[SlotWords], query: RecallQuery, probe: Probe, embedders: Embedders, policy: ScoringPolicy
) -> list[SlotRelevance]:
    """Return how probably each slot helps ``query``: by its words, or by its name as a tag where that is more. A text
    or question without a vector is compared by the share of common terms."""
    texts = [slot.text for slot in slots]
    index = _build_slot_index(texts, next((one for one in embedders if one.name == ENCODER_SPACE), None))
    scores = score_memories(index, probe, policy)
    as_note, as_tag = _judge_texts(texts, index, scores, probe), np.array([slot.tag_match for slot in slots])
    near = probe.needs * np.maximum(as_note, as_tag)
    more = np.where(as_tag > as_note, as_tag, 0)
    judged = JudgedMemories(near, near, probe.needs, probe.is_named, as_note, as_tag=more)
    named = _find_named_slots(slots, query.text) if query.strict else np.zeros(len(slots), np.bool_)
    taken = named | find_relevant_rows(near, scores.keyword[0], query, index)
    why = explain_hits(scores, judged, np.ones(len(slots), np.bool_), _make_rows_in_given_order(near, slots))
    return list(map(SlotRelevance, near.tolist(), why, taken.tolist()))


def _build_slot_index(texts: Sequence[str], encoder: Embedder | None) -> MemoryIndex:
    keys = [content_hash(text) for text in texts]
    _cache_vectors(dict(zip(keys, texts, strict=True)), encoder)
    rows = [
        MemoryRow(UUID(int=at), "note", _pack_words(key, text), _ALWAYS, dense=_VECTORS.get(key), space=ENCODER_SPACE)
        for at, (key, text) in enumerate(zip(keys, texts, strict=True))
    ]
    return build_index(rows, {ENCODER_SPACE: DIMENSIONS})


def _judge_texts(texts: Sequence[str], index: MemoryIndex, scores: MemoryScores, probe: Probe) -> Float64:
    read = score_notes(index, np.ones(len(texts), np.bool_), scores, probe)
    compared = scores.dense_held if ENCODER_SPACE in probe.vectors else np.zeros(len(texts), np.bool_)
    for row in np.flatnonzero(~compared).tolist():
        read[row] = _compute_term_overlap(texts[row], probe)
    return read


def _find_named_slots(slots: Sequence[SlotWords], text: str) -> npt.NDArray[np.bool_]:
    said = list_possible_name_marks(text)
    return np.array([slot.tag_match > 0 or bool(make_alias_marks(slot.labels) & said) for slot in slots], np.bool_)


def _make_rows_in_given_order(near: Float64, slots: Sequence[SlotWords]) -> RankedRows:
    """Return slots in their order, with the confidence as their only factor."""
    weights = np.ones((4, len(slots)))
    weights[1] = [slot.confidence for slot in slots]
    return RankedRows(np.arange(len(slots)), near.round(DIGITS), weights, near * weights[1])


def _compute_term_overlap(text: str, probe: Probe) -> float:
    said = frozenset(map(hash_term, split_terms(text)))
    shorter = min(len(said), len(probe.terms))
    return len(said & probe.terms.keys()) / shorter if shorter else 0.0


def _pack_words(key: bytes, text: str) -> bytes:
    packed = _WORDS.get(key)
    if packed is None:
        turn = SpokenTurn(text)
        packed = pack_postings(index_note_or_reply(index_text(turn), turn))
        _WORDS.put(key, packed)
    return packed


def _cache_vectors(texts: dict[bytes, str], encoder: Embedder | None) -> None:
    new = [key for key in texts if _VECTORS.get(key) is None][: RELEVANCE.slots_embedded]
    if encoder is None or not new:
        return
    try:
        vectors = encoder.embed([texts[key] for key in new])
    except EmbeddingUnavailable:
        return
    for key, dense in zip(new, pack_vector_rows(vectors, vectors), strict=True):
        _VECTORS.put(key, dense)

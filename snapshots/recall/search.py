"""Recall of snapshots for one subject, as one page of named stages."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from time import perf_counter
from uuid import UUID

from memory_platform.kernel.text import detect_language
from memory_platform.providers.contracts import EmbeddingUnavailable
from memory_platform.providers.registry import word_relations
from snapshots.embedding.floors import LEARNT_FLOORS
from snapshots.embedding.rows import Float32
from snapshots.embedding.spaces import Embedders, active_embedders, spaces_key
from snapshots.recall.cache import ImageCache, ImageKey, KnownSubjects
from snapshots.recall.degraded import DegradedReason
from snapshots.recall.image import Image
from snapshots.recall.loading import HeldImage, load_growth, load_image, load_image_held, memory_state
from snapshots.recall.pipeline import rank_memories
from snapshots.recall.policy import DEFAULT_RECALL, RecallPolicy
from snapshots.recall.probe import Probe, make_probe
from snapshots.recall.texts import load_texts
from snapshots.recall.values import SNAPSHOTS, RecallQuery, RecallResult
from tenants.isolation import current_tenant_id

IMAGES = ImageCache(DEFAULT_RECALL.image_cache_bytes)
"""The images of this process. They hold no text; every use is validated against the database's version."""
SUBJECTS = KnownSubjects(DEFAULT_RECALL.known_subjects)
"""Ids of subjects by tenant and the product's own id. Every use is validated against the database."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question made ready outside of any transaction: its probe, the spaces to ask, what was missing, the time."""

    probe: Probe
    embedders: Embedders
    degraded: frozenset[DegradedReason]
    embed_ms: float


class Stopwatch:
    """Milliseconds per named stage of one call."""

    def __init__(self) -> None:
        self.ms: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time the block under ``name``."""
        started = perf_counter()
        try:
            yield
        finally:
            self.ms[name] = round((perf_counter() - started) * 1000, 3)


def prepare_question(
    text: str, policy: RecallPolicy = DEFAULT_RECALL, *, lanes: Collection[str] = (SNAPSHOTS,)
) -> Question:
    """Tokenise and embed a question; no model is asked where ``lanes`` need none.

    No transaction may be open; a model that does not answer leaves the keywords.
    """
    watch, embedders = Stopwatch(), active_embedders() if SNAPSHOTS in lanes else ()
    with watch.stage("embed"):
        vectors, degraded = embed_question(text, embedders)
        probe = make_probe(text, vectors, policy.scoring, word_relations(embedders))
    probe = replace(probe, floors=learnt_floors(probe.vectors, policy))
    return Question(probe, embedders, degraded, watch.ms["embed"])


def learnt_floors(spaces: Iterable[str], policy: RecallPolicy = DEFAULT_RECALL) -> Mapping[str, float]:
    """Return the floors of ``spaces`` (names) that have learnt one and for which none was measured."""
    return LEARNT_FLOORS.of(set(spaces) - dict(policy.scoring.cosine_floors).keys())


def embed_question(text: str, embedders: Embedders) -> tuple[dict[str, Float32], frozenset[DegradedReason]]:
    """Return the question's vector by space, from every listed model that knows its language, and what was missing."""
    language = detect_language(text)
    vectors: dict[str, Float32] = {}
    degraded: frozenset[DegradedReason] = frozenset()
    for embedder in embedders:
        if language in embedder.languages:
            try:
                vectors[embedder.name] = embedder.embed_questions([text])[0]
            except EmbeddingUnavailable:
                degraded = frozenset({DegradedReason.EMBEDDING_UNAVAILABLE})
    return vectors, degraded


def recall_snapshots(
    subject_id: UUID, query: RecallQuery, question: Question, policy: RecallPolicy = DEFAULT_RECALL
) -> RecallResult:
    """Return the best snapshots of a subject for a prepared question, in the open scope."""
    watch = Stopwatch()
    with watch.stage("load"):
        held = held_image(subject_id, question.embedders, query.known_at)
    with watch.stage("rank"):
        hits = rank_memories(query, question.probe, held.image, policy)
    with watch.stage("texts"):
        memories = load_texts(subject_id, hits, held.earlier)
    return RecallResult(memories, question.degraded | held.degraded, {"embed": question.embed_ms, **watch.ms})


def held_image(subject_id: UUID, embedders: Embedders, known_at: datetime | None) -> HeldImage:
    """Return what is held of the subject: now, or at ``known_at``, which is rare and built for one question."""
    if known_at is not None:
        return load_image_held(subject_id, embedders, known_at)
    image, missing = current_image(subject_id, embedders)
    return HeldImage(image, missing)


def current_image(subject_id: UUID, embedders: Embedders) -> tuple[Image, frozenset[DegradedReason]]:
    """Return the image of the subject's memory as it is: the one this process holds, grown by what was added, or new.

    An image that had to do without vectors is not kept: the next call tries again.
    """
    key = ImageKey(current_tenant_id(), subject_id, spaces_key(embedders))
    state, held = memory_state(subject_id), IMAGES.held(key)
    if held is not None and held.state == state:
        return held.image, frozenset()
    if held is not None and held.state.epoch == state.epoch and held.state.version < state.version:
        loaded = load_growth(subject_id, embedders, held, state)
    else:
        loaded = load_image(subject_id, embedders, state)
    if not loaded.degraded:
        IMAGES.put(key, loaded)
    return loaded.image, loaded.degraded

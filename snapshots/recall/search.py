"""Recall of snapshots for one subject, as one page of named stages."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter
from uuid import UUID

import numpy as np
import numpy.typing as npt

from memory_platform.kernel.text import detect_language
from memory_platform.providers.contracts import Embedder, EmbeddingUnavailable
from snapshots.embedding.spaces import active_embedder
from snapshots.recall.cache import ImageCache, ImageKey
from snapshots.recall.degraded import DegradedReason
from snapshots.recall.image import Image
from snapshots.recall.loading import HeldImage, load_image, load_image_held, load_texts, memory_version
from snapshots.recall.pipeline import rank_memories
from snapshots.recall.policy import DEFAULT_RECALL, RecallPolicy
from snapshots.recall.scoring import Probe, make_probe
from snapshots.recall.values import RecallQuery, RecallResult
from tenants.isolation import current_tenant_id

IMAGES = ImageCache(DEFAULT_RECALL.image_cache_bytes)
"""The images of this process. They hold no text; every use is validated against the database's version."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question made ready outside of any transaction: its probe, its embedder, what was missing, and the time."""

    probe: Probe
    embedder: Embedder | None
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


def prepare_question(text: str) -> Question:
    """Tokenise and embed a question. No transaction may be open; a model that does not answer leaves the keywords."""
    watch, embedder = Stopwatch(), active_embedder()
    degraded: frozenset[DegradedReason] = frozenset()
    vector: npt.NDArray[np.float32] | None = None
    with watch.stage("embed"):
        if embedder is not None and detect_language(text) in embedder.languages:
            try:
                vector = embedder.embed([text])[0]
            except EmbeddingUnavailable:
                degraded = frozenset({DegradedReason.EMBEDDING_UNAVAILABLE})
        floor = DEFAULT_RECALL.scoring.cosine_floor(embedder.name) if embedder else -1.0
        probe = make_probe(text, vector, floor=floor)
    return Question(probe, embedder, degraded, watch.ms["embed"])


def recall_snapshots(
    subject_id: UUID, query: RecallQuery, question: Question, policy: RecallPolicy = DEFAULT_RECALL
) -> RecallResult:
    """Return the best snapshots of a subject for a prepared question, in the open scope."""
    watch = Stopwatch()
    with watch.stage("load"):
        held = held_image(subject_id, question.embedder, query.known_at)
    with watch.stage("rank"):
        hits = rank_memories(query, question.probe, held.image, policy)
    with watch.stage("texts"):
        memories = load_texts(subject_id, hits, held.earlier)
    return RecallResult(memories, question.degraded | held.degraded, {"embed": question.embed_ms, **watch.ms})


def held_image(subject_id: UUID, embedder: Embedder | None, known_at: datetime | None) -> HeldImage:
    """Return what is held of the subject: now, or at ``known_at``, which is rare and built for one question."""
    if known_at is not None:
        return load_image_held(subject_id, embedder, known_at)
    image, missing = current_image(subject_id, embedder)
    return HeldImage(image, missing)


def current_image(subject_id: UUID, embedder: Embedder | None) -> tuple[Image, frozenset[DegradedReason]]:
    """Return the subject's image of the database's version, from this process's cache or built anew.

    An image that had to do without vectors is not kept: the next call tries again.
    """
    key = ImageKey(current_tenant_id(), subject_id, embedder.name if embedder else "")
    version = memory_version(subject_id)
    held = IMAGES.get(key, version)
    if held is not None:
        return held, frozenset()
    loaded = load_image(subject_id, embedder, version)
    if not loaded.degraded:
        IMAGES.put(key, version, loaded.image)
    return loaded.image, loaded.degraded

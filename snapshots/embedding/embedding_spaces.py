"""Embedding spaces: one row per model, its id derived from the model's name and dimensions."""

from collections.abc import Sequence
from uuid import UUID

from django.conf import settings

from memory_platform.kernel.errors import Unavailable
from memory_platform.kernel.ids import stable_id
from memory_platform.providers.contracts import Embedder, Preparable
from memory_platform.providers.registry import embedders, find_embedder_for
from snapshots.models import EmbeddingSpace

# Embedders in order of preference: a text belongs to the first that knows its language, every one answers.
Embedders = Sequence[Embedder]


def active_embedders() -> Embedders:
    """Return the configured embedders; none when recall goes by keywords alone."""
    return embedders(settings.EMBEDDER)


def measure_active_embedders() -> Embedders:
    """Return the active embedders whose dimensions are known, asking the others. No transaction may be open.

    A space without dimensions has no stable id.
    """
    return [embedder for embedder in active_embedders() if _measure_dimensions(embedder)]


def _measure_dimensions(embedder: Embedder) -> int:
    if not embedder.dimensions and isinstance(embedder, Preparable):
        try:
            embedder.prepare()
        except Unavailable:
            return 0
    return embedder.dimensions


def list_assigned_languages(embedder: Embedder, among: Embedders) -> tuple[str, ...]:
    return tuple(one for one in embedder.languages if find_embedder_for(one, among) is embedder)


def space_id(embedder: Embedder) -> UUID:
    """Return the id of the embedder's space, the same in every process and before its row exists."""
    return stable_id("embedding-space", embedder.name, embedder.dimensions)


def make_spaces_key(embedders: Embedders) -> str:
    """Return the key that indexes and sealed blocks of the same embedding spaces share."""
    return " ".join(embedder.name for embedder in embedders)


def ensure_space(embedder: Embedder) -> UUID:
    wanted = space_id(embedder)
    EmbeddingSpace.objects.get_or_create(
        id=wanted,
        defaults={
            "name": embedder.name,
            "dimensions": embedder.dimensions,
            "languages": list(embedder.languages),
        },
    )
    return wanted

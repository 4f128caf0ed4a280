"""Embedding spaces (S5): one row per model, its id derived from the model's name."""

from collections.abc import Sequence
from uuid import UUID

from django.conf import settings

from memory_platform.kernel.ids import stable_id
from memory_platform.providers.contracts import Embedder
from memory_platform.providers.registry import embedders, first_knowing
from snapshots.models import EmbeddingSpace

Embedders = Sequence[Embedder]
"""Embedders in order of preference: a text belongs to the first that knows its language, every one answers."""


def active_embedders() -> Embedders:
    """Return the embedders that the configuration lists; none when recall goes by keywords alone."""
    return embedders(settings.EMBEDDER)


def languages_written(embedder: Embedder, among: Embedders) -> tuple[str, ...]:
    """Return the languages whose texts belong to ``embedder``."""
    return tuple(one for one in embedder.languages if first_knowing(one, among) is embedder)


def space_id(embedder: Embedder) -> UUID:
    """Return the id of the embedder's space, the same in every process and before its row exists."""
    return stable_id("embedding-space", embedder.name, embedder.dimensions)


def ensure_space(embedder: Embedder) -> UUID:
    """Make the space's row unless it is there; return its id."""
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

"""Embedding spaces (S5): one row per model, its id derived from the model's name."""

from uuid import UUID

from django.conf import settings

from memory_platform.kernel.ids import stable_id
from memory_platform.providers.contracts import Embedder
from memory_platform.providers.registry import embedders
from snapshots.models import EmbeddingSpace


def active_embedder() -> Embedder | None:
    """Return the first embedder that the configuration lists; None when recall goes by keywords alone."""
    return next(iter(embedders(settings.EMBEDDER)), None)


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

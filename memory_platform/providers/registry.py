"""Picks the provider that the configuration names. The only module that imports vendor files."""

from functools import lru_cache

from memory_platform.kernel.errors import MemoryPlatformError
from memory_platform.providers.contracts import Embedder
from memory_platform.providers.hashing_embedder import HashingEmbedder
from memory_platform.providers.wordllama_embedder import WordLlamaEmbedder

EMBEDDERS = ("wordllama", "hashing", "none")
"""Values of the setting ``EMBEDDER``; ``none`` leaves recall to keywords."""


class UnknownProvider(MemoryPlatformError):
    """The configuration names a provider that does not exist."""

    code = "unknown_provider"


@lru_cache(maxsize=8)
def embedder(name: str) -> Embedder | None:
    """Return this process's embedder called ``name``, made once and loaded at its first use; None for ``none``.

    Raises UnknownProvider.
    """
    if name == "wordllama":
        return WordLlamaEmbedder()
    if name == "hashing":
        return HashingEmbedder()
    if name == "none":
        return None
    raise UnknownProvider(f"EMBEDDER is {name!r}; known: {', '.join(EMBEDDERS)}")

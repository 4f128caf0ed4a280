"""The names of embedding models and rerankers that the environment may choose."""

# The possible values of `EMBEDDER`, made by `memory_platform.providers.registry`. A capital word stands for a name.
EMBEDDERS = (
    "wordllama",
    "use",
    "openai:MODEL",
    "sentence-transformers:PATH",
    "openai-previous:MODEL",
    "hashing",
    "hashing:LENGTH",
    "none",
)

# The possible values of `RERANKER`.
RERANKERS = ("none", "http", "cross-encoder:PATH")


def is_known(name: str, entries: tuple[str, ...]) -> bool:
    """Return whether ``name`` is one of ``entries``. ``openai:MODEL`` stands for any name after the colon,
    ``hashing:LENGTH`` for any number from 1."""
    kind, colon, model = name.partition(":")
    if not colon:
        return name in entries
    if f"{kind}:LENGTH" in entries:
        return model.isascii() and model.isdigit() and int(model) > 0
    return bool(model) and any(one.startswith(f"{kind}:") for one in entries)

"""Vectors of the bundled sentence encoder, whatever EMBEDDER names. Classifiers ask for many of the same texts."""

from collections.abc import Mapping, Sequence
from hashlib import sha256

import numpy as np

from memory_platform.kernel.caches import LruCache
from memory_platform.kernel.linear_model import Float32
from memory_platform.providers.registry import embedders

ENCODER = "use"

# Unit vectors by text.
Vectors = Mapping[str, Float32]

# Recently computed vectors, 2 kB each, by the hash of the text.
_KNOWN: LruCache[bytes, Float32] = LruCache(4_000)


def embed_sentences(texts: Sequence[str]) -> Vectors:
    """Return the vectors of these texts; recent ones come from a cache. No transaction may be open. Raises
    EmbeddingUnavailable without the encoder's files."""
    keys = {text: sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts}
    known = {text: _KNOWN.get(key) for text, key in keys.items()}
    missing = [text for text, vector in known.items() if vector is None]
    if missing:
        (encoder,) = embedders(ENCODER)
        for text, vector in zip(missing, encoder.embed(missing), strict=True):
            kept = np.asarray(vector, np.float32)
            _KNOWN.put(keys[text], kept)
            known[text] = kept
    return {text: vector for text, vector in known.items() if vector is not None}

import hmac
from collections.abc import Mapping, Sequence

import numpy as np
from django.conf import settings
from redis import Redis

from memory_platform.kernel.text import content_hash
from memory_platform.providers.contracts import Vectors
from memory_platform.providers.redis.client import RedisAway, redis_client

USE = "vectors"
FLOAT_BYTES = 4


class VectorCache:
    """The vectors of one space. ``kept_s`` is their lifetime in seconds."""

    def __init__(self, space: str, dimensions: int, *, kept_s: int) -> None:
        self._space = space
        self._dimensions = dimensions
        self._kept_s = kept_s

    def get(self, texts: Sequence[str]) -> dict[str, Vectors]:
        if not texts:
            return {}
        keys = list(map(self._key, texts))
        try:
            held = redis_client().call(USE, lambda client: client.mget(keys))
        except RedisAway:
            return {}
        whole = FLOAT_BYTES * self._dimensions
        pairs = zip(texts, held, strict=True)  # type: ignore[arg-type]  # redis-py's union with its async client
        return {text: np.frombuffer(row, np.float32) for text, row in pairs if row and len(row) == whole}

    def put(self, vectors: Mapping[str, Vectors]) -> None:
        if not vectors:
            return

        def store(client: Redis) -> None:
            pipeline = client.pipeline(transaction=False)
            for text, row in vectors.items():
                pipeline.set(self._key(text), row.astype(np.float32).tobytes(), ex=self._kept_s)
            pipeline.execute()

        try:
            redis_client().call(USE, store)
        except RedisAway:
            return

    def _key(self, text: str) -> str:
        digest = hmac.digest(settings.KEY_PEPPER.encode(), self._space.encode() + content_hash(text), "sha256")
        return f"vector:{digest.hex()}"

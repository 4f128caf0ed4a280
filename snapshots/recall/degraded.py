"""What an answer had to do without: one word per missing part, the gravest first."""

from collections.abc import Iterable
from enum import StrEnum


class DegradedReason(StrEnum):
    """Declared from the gravest to the mildest; the values are public.

    The last two are reserved: there is neither a replica to read nor a search that stops early.
    """

    EMBEDDING_UNAVAILABLE = "embedding_unavailable"
    PGVECTOR_UNAVAILABLE = "pgvector_unavailable"
    REDIS_UNAVAILABLE = "redis_unavailable"
    DOCUMENTS_UNAVAILABLE = "documents_unavailable"
    RERANK_TIMEOUT = "rerank_timeout"
    REWRITE_TIMEOUT = "rewrite_timeout"
    RERANK_UNCONFIGURED = "rerank_unconfigured"
    REWRITE_UNCONFIGURED = "rewrite_unconfigured"
    UNDERSTANDING_TIMEOUT = "understanding_timeout"
    REPLICA_LAG = "replica_lag"
    ANN_TRUNCATED = "ann_truncated"


def joined(reasons: Iterable[DegradedReason]) -> str | None:
    """Return the reasons once each, comma-joined, gravest first; None when nothing was missing."""
    present = set(reasons)
    return ",".join(reason for reason in DegradedReason if reason in present) or None

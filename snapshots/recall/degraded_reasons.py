"""Reasons for a degraded answer: one word for each missing part."""

from collections.abc import Iterable
from enum import StrEnum


class DegradedReason(StrEnum):
    """From the gravest to the mildest. The values are public; the last two are reserved."""

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


def join_reasons(reasons: Iterable[DegradedReason]) -> str | None:
    """Return the reasons once each, comma-joined, gravest first; None when nothing was missing."""
    present = set(reasons)
    return ",".join(reason for reason in DegradedReason if reason in present) or None

"""What an answer had to do without. Rows: R6."""

from snapshots.recall.values import DegradedReason, join_reasons


def test_nothing_missing_is_no_reason() -> None:
    assert join_reasons([]) is None


def test_reasons_stand_once_each_with_the_gravest_first() -> None:
    missing = [DegradedReason.RERANK_TIMEOUT, DegradedReason.EMBEDDING_UNAVAILABLE, DegradedReason.RERANK_TIMEOUT]
    assert join_reasons(missing) == "embedding_unavailable,rerank_timeout"

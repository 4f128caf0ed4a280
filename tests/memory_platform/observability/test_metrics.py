"""All metrics stand on one page with bounded labels. Rows: D5."""

import pytest
from prometheus_client import REGISTRY, Counter, Gauge, Histogram

from memory_platform.observability import metrics

DECLARED = {name: value for name, value in vars(metrics).items() if isinstance(value, Counter | Gauge | Histogram)}
ALLOWED_LABELS = {
    "route", "method", "status", "sqlstate", "verdict", "kind", "outcome", "stage", "type", "reason", "contract", "use",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(DECLARED))
def test_labels_come_from_short_closed_lists(name: str) -> None:
    assert set(DECLARED[name]._labelnames) <= ALLOWED_LABELS


def test_the_promised_metrics_exist() -> None:
    names = {family.name for family in REGISTRY.collect()}
    assert {
        "agent_memory_retrieval_seconds",
        "agent_memory_hit",
        "agent_memory_compress_queue_size",
        "agent_vector_search_similarity",
    } <= names


def test_gauges_are_set_when_the_page_is_read() -> None:
    metrics.refresh_with(lambda: metrics.WORK_DEAD.set(3))
    assert b"work_dead 3.0" in metrics.exposition()
    metrics._refreshers.clear()

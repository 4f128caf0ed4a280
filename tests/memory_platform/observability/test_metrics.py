"""All metrics stand on one page with bounded labels. Rows: D5."""

import re
from pathlib import Path

import pytest
from prometheus_client import REGISTRY, Counter, Gauge, Histogram

from memory_platform.observability import metrics
from snapshots.recall.values import LANES

DECLARED = {name: value for name, value in vars(metrics).items() if isinstance(value, Counter | Gauge | Histogram)}
ROOT = Path(metrics.__file__).resolve().parents[2]
ALLOWED_LABELS = {
    "route", "method", "status", "sqlstate", "verdict", "kind", "outcome", "stage", "type", "reason", "use",
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


def test_the_page_names_every_type_of_memory() -> None:
    page = (ROOT / "docs" / "operations" / "observability.md").read_text(encoding="utf-8")
    (sentence,) = re.findall(r"^The types of memory are (.+?)\.", page, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", sentence)) == set(LANES)


def test_gauges_are_set_when_the_page_is_read() -> None:
    probe = Gauge("probe", "A gauge of this test.")
    before = list(metrics._refreshers)
    metrics._refreshers[:] = [lambda: probe.set(3)]
    try:
        assert b"probe 3.0" in metrics.render_metrics()
    finally:
        metrics._refreshers[:] = before
        REGISTRY.unregister(probe)


def test_what_is_declared_is_set_somewhere() -> None:
    """A metric that nothing sets says 0 for ever, which reads as good news."""
    rooms = [ROOT / room for room in ("memory_platform", "profiles", "snapshots", "tenants")]
    pages = [
        page
        for room in rooms
        for page in room.rglob("*.py")
        if page != ROOT / "memory_platform" / "observability" / "metrics.py"
    ]
    lines = (line for page in pages for line in page.read_text(encoding="utf-8").splitlines())
    setting = [before for line in lines for before in re.findall(r"^(.*)\.(?:set|inc|observe)\(", line)]
    named = {name for before in setting for name in re.findall(r"\w+", before)}
    assert sorted(DECLARED.keys() - named) == []

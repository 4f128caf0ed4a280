"""Traces that are on for a test."""

from collections.abc import Iterator

import pytest
from pytest_django.fixtures import Settings

from tests.memory_platform.observability.trace_collector import TraceCollector, collect_traces


@pytest.fixture
def collector(settings: Settings) -> Iterator[TraceCollector]:
    with collect_traces(settings) as collector:
        yield collector

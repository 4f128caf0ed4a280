"""Fixtures of the flows: real processes."""

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.conftest import World
from tests.flows.stage import Stage


@pytest.fixture
def stage(world: World, tmp_path: Path) -> Iterator[Stage]:
    """A stage at the test world's database; everything on it is dead afterwards."""
    stage = Stage(tmp_path)
    yield stage
    stage.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to a failed test what its processes said and where they stand: they are gone when somebody looks."""
    report = yield
    stage = getattr(item, "funcargs", {}).get("stage")
    if report.failed and call.when == "call" and isinstance(stage, Stage):
        report.sections.append(("processes", stage.read_logs()))
    return report

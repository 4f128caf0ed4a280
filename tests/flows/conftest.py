"""Fixtures of the flows: real processes."""

from collections.abc import Iterator
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

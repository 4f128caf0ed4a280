"""A folder that the servers' unprivileged user can reach: pytest's own is closed to it when root runs the tests."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def open_directory() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="mp-test-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)

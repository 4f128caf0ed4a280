"""The platform over HTTP, named to programs by environment variables."""

from collections.abc import Iterator

import pytest

from tests.conftest import World
from tests.serving import serve_app


@pytest.fixture
def named_world(shared_world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """The world; ``BASE`` and ``KEY`` name its server and acme's key."""
    with serve_app() as port:
        monkeypatch.setenv("BASE", f"http://127.0.0.1:{port}")
        monkeypatch.setenv("KEY", shared_world.acme.token)
        yield shared_world

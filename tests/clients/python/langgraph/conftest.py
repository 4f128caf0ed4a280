"""Savers and stores of LangGraph at the platform over HTTP."""

from collections.abc import Iterator

import pytest

from memory_platform_client.langgraph import MemoryPlatformSaver, MemoryPlatformStore
from tests.clients.python.conftest import lift_limits
from tests.conftest import House, World


@pytest.fixture(scope="module")
def globex(shared_world: World) -> House:
    """The other tenant."""
    lift_limits(shared_world.globex)
    return shared_world.globex


@pytest.fixture
def saver(address: str, acme: House) -> Iterator[MemoryPlatformSaver]:
    """A saver with acme's key."""
    saver = MemoryPlatformSaver(address, acme.token)
    yield saver
    saver.close()


@pytest.fixture
def store(address: str, acme: House) -> Iterator[MemoryPlatformStore]:
    """A store with acme's key."""
    store = MemoryPlatformStore(address, acme.token)
    yield store
    store.close()

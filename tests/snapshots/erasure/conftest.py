"""The API's client beside the verbs: what was forgotten is refused at both doors."""

import pytest

from tests.conftest import World
from tests.memory_platform.api.conftest import Caller


@pytest.fixture
def acme(world: World) -> Caller:
    """acme's key: its subject is ada."""
    return Caller(world.acme)

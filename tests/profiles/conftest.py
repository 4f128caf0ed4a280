"""Ada in acme's open transaction."""

from collections.abc import Iterator

import pytest

from profiles.models import Subject
from tenants.isolation import tenant_tx
from tests.conftest import World


@pytest.fixture
def ada(world: World) -> Iterator[Subject]:
    """acme's subject; acme's transaction is open for the whole test."""
    with tenant_tx(world.acme.tenant.id):
        yield world.acme.subject

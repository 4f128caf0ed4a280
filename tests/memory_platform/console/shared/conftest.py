"""Two tenants, and a manager of both."""

import pytest
from django.test import Client

from tenants.models import Role
from tests.conftest import House, World
from tests.memory_platform.console.conftest import Staff, log_in
from tests.memory_platform.console.shared.desks import join_tenant, switch_tenant


@pytest.fixture
def globex(world: World) -> House:
    return world.globex


@pytest.fixture
def ben(world: World, staff: Staff) -> Client:
    """A manager of acme and of globex, at work in acme."""
    client = log_in("ben", tenant=world.acme.tenant, role=Role.MANAGER)
    join_tenant(world.globex.tenant, "ben", Role.MANAGER)
    switch_tenant(client, world.acme)
    return client

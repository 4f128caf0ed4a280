"""People who log in by themselves: Pam with a password in acme, and a Redis without counts of earlier tests."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User

from memory_platform.providers.redis.client import redis_client
from memory_platform.providers.redis.shared_cache import SharedCache
from tenants.isolation import tenant_tx
from tenants.models import Role
from tenants.services.audit import COMMAND_LINE
from tenants.services.tenants import set_member
from tests.conftest import World
from tests.memory_platform.console.log_in.people import PASSWORD
from tests.memory_platform.console.log_in.provider_log_ins import GROUPS
from tests.oidc_server import CLIENT, SECRET, FakeProvider, oidc_server


@pytest.fixture(autouse=True)
def forget_attempts(running_redis: object) -> None:
    def delete_counts(client: object) -> None:
        for key in client.scan_iter("console:*"):  # type: ignore[attr-defined]  # redis-py's client
            client.delete(key)  # type: ignore[attr-defined]  # the same

    SharedCache._away_until = 0.0
    redis_client().call("tests", delete_counts)


@pytest.fixture
def pam(world: World) -> User:
    user = User.objects.create_user("pam", password=PASSWORD, email="pam@example.com", is_staff=True)
    with tenant_tx(world.acme.tenant.id):
        set_member(user.pk, Role.MANAGER, by=COMMAND_LINE)
    return user


@pytest.fixture
def provider(settings: Any, world: World) -> Iterator[FakeProvider]:
    with oidc_server() as provider:
        settings.CONSOLE_OIDC_ISSUER = provider.issuer
        settings.CONSOLE_OIDC_CLIENT_ID, settings.CONSOLE_OIDC_CLIENT_SECRET = CLIENT, SECRET
        settings.CONSOLE_OIDC_GROUPS = GROUPS
        yield provider

"""A key from the command line lives as long as it was asked to. Rows: T2."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from memory_platform.kernel.clock import utc_now
from tenants.isolation import tenant_tx
from tenants.models import ApiKey
from tests.conftest import World


def create(*arguments: str) -> None:
    call_command("create_key", "--tenant", "acme", "--name", "made", *arguments, stdout=StringIO())


def expiry(world: World) -> timedelta | None:
    with tenant_tx(world.acme.tenant.id):
        expires_at = ApiKey.objects.get(name="made").expires_at
    return None if expires_at is None else expires_at - utc_now()


@pytest.mark.parametrize("days", [1, 36_500])
def test_a_key_expires_after_its_days(world: World, days: int) -> None:
    create("--days", str(days))
    assert expiry(world) == pytest.approx(timedelta(days=days), abs=timedelta(minutes=1))


def test_a_key_without_days_does_not_expire(world: World) -> None:
    create()
    assert expiry(world) is None


def test_a_key_is_bound_to_one_subject(world: World) -> None:
    create("--subject", "ada")
    with tenant_tx(world.acme.tenant.id):
        assert ApiKey.objects.get(name="made").bound_subject == "ada"
    with pytest.raises(CommandError, match="memory:read and memory:write"):
        create("--subject", "ada", "--scope", "admin")


@pytest.mark.parametrize("days", ["0", "-1", "36501", "99999999", "1.5", "soon", "٣", ""])
def test_other_days_are_refused(world: World, days: str) -> None:
    with pytest.raises(CommandError, match="36500"):
        create(f"--days={days}")
    with tenant_tx(world.acme.tenant.id):
        assert not ApiKey.objects.filter(name="made").exists()

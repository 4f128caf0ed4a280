"""Limits from the command line. Rows: T6."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tenants.isolation import tenant_tx
from tenants.models import ApiKey
from tenants.services.keys import authenticate_key
from tests.conftest import World


def run_command(*arguments: str) -> str:
    out = StringIO()
    call_command("set_limits", "--tenant", "acme", *arguments, stdout=out)
    return out.getvalue()


def test_a_tenant_and_a_key_are_limited(world: World) -> None:
    assert "messages_per_day: 10\n" in run_command("--messages-per-day", "10", "--burst", "20")
    with tenant_tx(world.acme.tenant.id):
        key_id = ApiKey.objects.get().key_id
    run_command("--key", key_id, "--burst", "30")
    limits = authenticate_key(world.acme.token).limits
    assert (limits.messages_per_day, limits.burst) == (10, 30)
    assert "burst: default" in run_command("--key", key_id, "--burst", "default")
    assert authenticate_key(world.acme.token).limits.burst == 20


@pytest.mark.parametrize(
    "arguments", [(), ("--burst", "-1"), ("--burst", "many"), ("--burst", "0"), ("--key", "nobody", "--burst", "1")]
)
def test_what_cannot_be_set_is_refused(world: World, arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        run_command(*arguments)

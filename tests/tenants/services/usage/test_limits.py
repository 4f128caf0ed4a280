"""Limits are the policy's unless the operator set others, for a tenant or for one key. Rows: T6, T7, T2."""

import pytest

from memory_platform.kernel.errors import InvalidInput
from tenants.isolation import tenant_tx
from tenants.models import ApiKey, AuditRecord
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import authenticate_key, rotate_key
from tenants.services.usage.limits import Limits, set_limits
from tests.conftest import House, World


def set_for(house: House, *, of_key: bool = False, **values: int | None) -> None:
    with tenant_tx(house.tenant.id):
        set_limits(values, by=COMMAND_LINE, api_key=ApiKey.objects.get() if of_key else None, reason="asked 要求")


def limits(house: House) -> Limits:
    return authenticate_key(house.token).limits


def test_a_tenant_has_the_policys_limits(world: World) -> None:
    assert limits(world.acme) == Limits()
    assert (limits(world.acme).requests_per_second, limits(world.acme).burst) == (100, 300)


def test_a_keys_own_limit_goes_before_its_tenants(world: World) -> None:
    set_for(world.acme, requests_per_second=50, burst=60, messages_per_day=7, model_tokens_per_day=9)
    assert limits(world.acme) == Limits(50, 60, 7, Limits().stored_snapshots, 9)
    set_for(world.acme, of_key=True, requests_per_second=5)
    assert limits(world.acme) == Limits(5, 60, 7, Limits().stored_snapshots, 9)
    assert limits(world.globex) == Limits()


def test_a_limit_is_given_back_to_the_policy(world: World) -> None:
    set_for(world.acme, burst=1, stored_snapshots=0)
    set_for(world.acme, burst=None)
    assert limits(world.acme) == Limits(stored_snapshots=0)


def test_a_successor_has_the_limits_of_its_key(world: World) -> None:
    set_for(world.acme, of_key=True, requests_per_second=5, burst=6)
    with tenant_tx(world.acme.tenant.id):
        token = rotate_key(ApiKey.objects.get(), by=COMMAND_LINE).token
    assert authenticate_key(token).limits == Limits(5, 6)


@pytest.mark.parametrize(
    ("of_key", "values"),
    [
        (False, {"requests_per_second": 0}),
        (False, {"burst": -1}),
        (False, {"messages_per_day": -1}),
        (False, {"nonsense": 1}),
        (True, {"messages_per_day": 5}),
        (True, {"model_tokens_per_day": None}),
    ],
)
def test_what_cannot_be_a_limit_is_refused(world: World, of_key: bool, values: dict[str, int | None]) -> None:
    with pytest.raises(InvalidInput):
        set_for(world.acme, of_key=of_key, **values)
    assert limits(world.acme) == Limits()


def test_a_change_stands_in_the_audit_trail(world: World) -> None:
    set_for(world.acme, burst=5, messages_per_day=None)
    with tenant_tx(world.acme.tenant.id):
        record = AuditRecord.objects.get(action="usage_limit.set")
    assert record.reason == "burst 5, messages_per_day default: asked 要求"

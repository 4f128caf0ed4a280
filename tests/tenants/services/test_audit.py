"""A flood of refusals leaves a bounded number of records. Rows: T7, D14."""

from dataclasses import replace

import pytest

from memory_platform.devstack.servers.redis import EmbeddedRedis
from memory_platform.kernel.ids import new_id
from tenants.config import AUDIT_CONFIG
from tenants.isolation import tenant_tx
from tenants.models import ActorKind, AuditRecord
from tenants.services import audit
from tenants.services.audit import Actor, record_refusal
from tests.conftest import House, World

FEW = replace(AUDIT_CONFIG, refusals_per_hour=20, refusals_per_record=10)


def refuse(house: House, by: Actor, times: int) -> None:
    for _ in range(times):
        record_refusal(house.tenant.id, by, "console.page")


def list_reasons(house: House, by: Actor) -> list[str]:
    with tenant_tx(house.tenant.id):
        refused = AuditRecord.objects.filter(refused=True, actor_id=by.id).order_by("at", "id")
        return list(refused.values_list("reason", flat=True))


@pytest.fixture
def pest() -> Actor:
    return Actor(ActorKind.STAFF, str(new_id()))


def test_after_many_refusals_of_an_hour_only_some_are_recorded_with_their_number(
    world: World, monkeypatch: pytest.MonkeyPatch, pest: Actor
) -> None:
    monkeypatch.setattr(audit, "AUDIT_CONFIG", FEW)
    refuse(world.acme, pest, 45)
    reasons = list_reasons(world.acme, pest)
    assert reasons[:20] == [""] * 20
    assert reasons[20:] == [f"refusal {number} within an hour; those between are not recorded" for number in (30, 40)]


def test_one_person_s_flood_hides_nobody_else(world: World, monkeypatch: pytest.MonkeyPatch, pest: Actor) -> None:
    monkeypatch.setattr(audit, "AUDIT_CONFIG", FEW)
    refuse(world.acme, pest, 25)
    other = Actor(ActorKind.STAFF, str(new_id()))
    refuse(world.acme, other, 2)
    refuse(world.globex, pest, 2)
    assert list_reasons(world.acme, other) == ["", ""]
    assert list_reasons(world.globex, pest) == ["", ""]


def test_without_redis_every_refusal_is_recorded(
    world: World, redis_server: EmbeddedRedis, monkeypatch: pytest.MonkeyPatch, pest: Actor
) -> None:
    monkeypatch.setattr(audit, "AUDIT_CONFIG", FEW)
    redis_server.stop()
    refuse(world.acme, pest, 25)
    assert list_reasons(world.acme, pest) == [""] * 25

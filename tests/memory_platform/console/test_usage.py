"""The operator sets limits with a reason; who works in the tenant sees them. Rows: T6, T3, T7."""

from tenants.isolation import tenant_tx
from tenants.models import ApiKey, AuditRecord, UsageLimit
from tenants.services.keys import authenticate_key
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff

ADD = "/console/tenants/usagelimit/add/"
FORM = {"api_key": "", "requests_per_second": "7", "burst": "", "messages_per_day": "1000", "reason": "pilot 试点"}


def enter(staff: Staff, world: World) -> None:
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})


def test_the_operator_sets_a_tenants_limits_with_a_reason(world: World, staff: Staff) -> None:
    enter(staff, world)
    assert staff.olga.post(ADD, {**FORM, "reason": ""}).status_code == 200  # asked again
    assert staff.olga.post(ADD, FORM).status_code == 302
    limits = authenticate_key(world.acme.token).limits
    assert (limits.requests_per_second, limits.burst, limits.messages_per_day) == (7, 300, 1000)
    with tenant_tx(world.acme.tenant.id):
        assert "pilot 试点" in AuditRecord.objects.get(action="usage_limit.set").reason
        address = f"/console/tenants/usagelimit/{UsageLimit.objects.get().pk}/change/"
    assert staff.olga.post(address, {**FORM, "requests_per_second": ""}).status_code == 302
    assert authenticate_key(world.acme.token).limits.requests_per_second == 100
    for client in (staff.vic, staff.mia):
        assert "1000" in client.get(address).content.decode().replace(",", "")
        assert client.post(address, FORM).status_code == 403
        assert client.post(ADD, FORM).status_code == 403


def test_a_key_has_limits_of_its_requests_only(world: World, staff: Staff) -> None:
    enter(staff, world)
    with tenant_tx(world.acme.tenant.id):
        key = str(ApiKey.objects.get().pk)
    assert staff.olga.post(ADD, {**FORM, "api_key": key}).status_code == 200  # messages are the tenant's
    assert staff.olga.post(ADD, {**FORM, "api_key": key, "messages_per_day": ""}).status_code == 302
    assert authenticate_key(world.acme.token).limits.requests_per_second == 7
    assert authenticate_key(world.globex.token).limits.requests_per_second == 100

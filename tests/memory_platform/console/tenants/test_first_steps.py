"""Pages that wait for the first message learn when it is there, of their own tenant only. Rows: D2, T3."""

from snapshots.models import Receipt
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.rows import make_one_of_each


def test_progress_is_told_of_the_tenant_one_works_in(world: World, staff: Staff) -> None:
    own, other = (f"/console/first-steps/{house.tenant.pk}/" for house in (world.acme, world.globex))
    assert staff.vic.get(own).json() == {"key": True, "message": False, "context": False, "told": ""}
    with tenant_tx(world.acme.tenant.id):
        make_one_of_each("peanuts")
        Receipt.objects.all().delete()
    assert staff.vic.get(own).json() == {"key": True, "message": True, "context": False, "told": ""}
    assert staff.vic.get(other).json() == staff.gus.get(own).json() == {}
    assert staff.gus.get(other).json() == {"key": True, "message": False, "context": False, "told": ""}
    assert staff.vic.post(own).status_code == 405

"""Pages that wait for the first message learn when it is there, of their own tenant only. Rows: D2, T3."""

from snapshots.models import Receipt, ReceiptMemory
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


def test_a_first_context_says_how_many_memories_it_holds(world: World, staff: Staff) -> None:
    own = f"/console/first-steps/{world.acme.tenant.pk}/"
    with tenant_tx(world.acme.tenant.id):
        receipt = make_one_of_each("花生")[Receipt]
        ReceiptMemory.objects.filter(receipt=receipt).delete()
        Receipt.objects.update(due=None)
        Receipt.objects.exclude(pk=receipt.pk).delete()
    assert "without memory yet" in staff.vic.get(own).json()["told"]
    with tenant_tx(world.acme.tenant.id):
        Receipt.objects.update(due=[["0198f0d2-0000-7000-8000-000000000000", "notes", 1]])
    assert staff.vic.get(own).json()["told"] == "done, 1 memory in it"

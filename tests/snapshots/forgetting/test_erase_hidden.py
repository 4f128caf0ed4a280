"""After its day an order's copy is erased, a few at once, with a certificate. Rows: A4, E8."""

from datetime import timedelta

from memory_platform.kernel.clock import utc_now
from profiles.models import Erasure
from snapshots.forgetting.config import ForgettingConfig
from snapshots.forgetting.erase_hidden import erase_due_orders, preview_erasing_hidden
from snapshots.models import ForgetOrder, ForgetOrderState
from tenants.isolation import tenant_tx
from tenants.services.job_runs import TenantTurn
from tests.conftest import World
from tests.snapshots.forgetting.talk import SECRET, hide_messages, start_talk, tell


def test_only_orders_whose_day_is_over_are_erased(world: World) -> None:
    tenant_id = world.acme.tenant.id
    with tenant_tx(tenant_id):
        talk, told = start_talk(world.acme.subject, SECRET, "I have two sons.", "I am vegan.")
        for one in told:
            hide_messages(world.acme.subject, tell(talk, "Forget that."), [one])
        first, second, _ = ForgetOrder.objects.order_by("created_at")
        for order in (first, second):
            ForgetOrder.objects.filter(id=order.id).update(erase_at=utc_now() - timedelta(seconds=1))
        assert preview_erasing_hidden().counts == {"orders": 2}

    assert erase_due_orders(TenantTurn(tenant_id), ForgettingConfig(erased_at_once=1)) == 1
    assert erase_due_orders(TenantTurn(tenant_id)) == 1
    assert erase_due_orders(TenantTurn(tenant_id)) == 0

    with tenant_tx(tenant_id):
        rows = {row.id: row for row in ForgetOrder.objects.all()}
        erased = [rows.pop(first.id), rows.pop(second.id)]
        assert {(row.state, row.kept) for row in erased} == {(ForgetOrderState.ERASED, None)}
        assert {row.erasure_ref for row in erased} == set(Erasure.objects.values_list("id", flat=True))
        [left] = rows.values()
        assert left.state == ForgetOrderState.WITHHELD
        assert left.kept is not None

"""An order can be undone once, and all is as it was; newer values stay. Rows: A4, T7, T1."""

import pytest

from memory_platform.kernel.ids import new_id
from profiles.models import Preference
from snapshots.forgetting.hide_targets import hide_targets
from snapshots.forgetting.order_targets import ForgetOrderDecided, ForgetOrderUnknown, ForgetTargets
from snapshots.forgetting.undo_order import find_forget_orders, undo_forget_order
from snapshots.models import ForgetOrder, ForgetOrderState, Message, Snapshot
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import House, World
from tests.snapshots.forgetting.talk import CAT, ORDER, SECRET, hide_messages, start_talk, tell
from tests.snapshots.held import prefer, remember
from tests.snapshots.queue.world import SAM


def hide_secret(house: House) -> Message:
    """Have a message and its snapshot hidden; return the message."""
    with tenant_tx(house.tenant.id):
        talk, [secret] = start_talk(house.subject, SECRET)
        order = tell(talk, ORDER)
    remember(house, SECRET, messages=[secret])
    with tenant_tx(house.tenant.id):
        hide_messages(house.subject, order, [secret])
    return secret


def test_what_was_hidden_is_there_again_under_its_id(world: World) -> None:
    acme = world.acme
    secret = hide_secret(acme)
    with tenant_tx(acme.tenant.id):
        assert not Snapshot.objects.exists()
        [row] = find_forget_orders(acme.subject)
        undone = undo_forget_order(acme.subject, row.id, by=SAM, reason="a mistake")
        assert (undone.state, undone.kept) == (ForgetOrderState.UNDONE, None)
        assert Message.objects.get(id=secret.id).content == SECRET
        assert [snapshot.text for snapshot in Snapshot.objects.all()] == [SECRET]
        record = AuditRecord.objects.get(action="memory.withheld_undone")
        assert (record.object_id, record.reason) == (str(row.id), "a mistake")


def test_an_order_is_undone_once_and_only_by_its_subjects_id(world: World) -> None:
    hide_secret(world.acme)
    with tenant_tx(world.acme.tenant.id):
        order_id = ForgetOrder.objects.get().id
    with tenant_tx(world.globex.tenant.id), pytest.raises(ForgetOrderUnknown):
        undo_forget_order(world.globex.subject, order_id, by=SAM)
    with tenant_tx(world.acme.tenant.id):
        with pytest.raises(ForgetOrderUnknown):
            undo_forget_order(world.acme.subject, new_id(), by=SAM)
        undo_forget_order(world.acme.subject, order_id, by=SAM)
        with pytest.raises(ForgetOrderDecided):
            undo_forget_order(world.acme.subject, order_id, by=SAM)


def test_a_hidden_preference_is_believed_again(world: World) -> None:
    prefer(world.acme, "food", "diet", "vegan")
    with tenant_tx(world.acme.tenant.id):
        talk, _ = start_talk(world.acme.subject, CAT)
        named = ForgetTargets(beliefs=list(Preference.objects.all()))
        hide_targets(world.acme.subject, tell(talk, "Forget my diet."), 0, named)
        assert not Preference.objects.exists()
        undo_forget_order(world.acme.subject, ForgetOrder.objects.get().id, by=SAM)
        row = Preference.objects.get(retired_at__isnull=True, invalid_at__isnull=True)
    assert (row.category, row.key, row.value) == ("food", "diet", "vegan")

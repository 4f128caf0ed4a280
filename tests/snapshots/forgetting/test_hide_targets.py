"""What an order hides leaves its tables at once and is kept packed; the same order hides once. Rows: A4, E8, T7."""

from profiles.models import Preference
from snapshots.forgetting.hidden_rows import decompress_rows
from snapshots.forgetting.hide_targets import hide_targets
from snapshots.forgetting.order_targets import FORGOTTEN, ForgetTargets
from snapshots.models import ForgetOrder, Message, Snapshot
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import World
from tests.snapshots.forgetting.talk import CAT, ORDER, SECRET, hide_messages, start_talk, tell
from tests.snapshots.held import prefer, remember


def test_a_hidden_message_goes_with_what_it_taught_and_nothing_else_goes(world: World) -> None:
    acme = world.acme
    with tenant_tx(acme.tenant.id):
        talk, [cat, secret] = start_talk(acme.subject, CAT, SECRET)
        order = tell(talk, ORDER)
    [taught] = remember(acme, SECRET, messages=[secret])
    [kept] = remember(acme, CAT, messages=[cat])
    with tenant_tx(acme.tenant.id):
        [result] = hide_messages(acme.subject, order, [secret])
        assert (result.verdict, result.memory_id) == (FORGOTTEN, taught)
        assert list(Snapshot.objects.values_list("id", flat=True)) == [kept]
        assert dict(Message.objects.values_list("id", "content")) == {cat.id: CAT, secret.id: "", order.id: ORDER}
        row = ForgetOrder.objects.get()
        packed = decompress_rows(row.kept)
        assert [one["content"] for one in packed["messages"]] == [SECRET]
        assert [one["id"] for one in packed["snapshots"]["Snapshot"]] == [str(taught)]
        assert SECRET not in str(row.items)
        assert AuditRecord.objects.filter(action="memory.withheld", object_id=str(row.id)).count() == 1


def test_the_same_order_hides_once(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        talk, told = start_talk(world.acme.subject, CAT, SECRET)
        order = tell(talk, ORDER)
        assert hide_messages(world.acme.subject, order, told[1:])
        assert hide_messages(world.acme.subject, order, told[:1]) == []
        assert Message.objects.get(id=told[0].id).content == CAT


def test_a_slot_that_is_named_goes_as_a_whole(world: World) -> None:
    prefer(world.acme, "food", "diet", "vegan")
    prefer(world.acme, "music", "genre", "jazz")
    with tenant_tx(world.acme.tenant.id):
        talk, _ = start_talk(world.acme.subject, CAT)
        order = tell(talk, "Forget my diet.")
        named = ForgetTargets(beliefs=list(Preference.objects.filter(key="diet")))
        results = hide_targets(world.acme.subject, order, 0, named)
        assert [(one.kind, one.category, one.key) for one in results] == [("preference", "food", "diet")]
        assert list(Preference.objects.values_list("key", flat=True)) == ["genre"]

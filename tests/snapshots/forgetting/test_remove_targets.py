"""A message that is meant in part loses that part alone. Rows: A4."""

from memory_platform.kernel.ids import new_id
from snapshots.forgetting.hide_targets import hide_targets
from snapshots.forgetting.order_targets import ForgetTargets
from snapshots.forgetting.remove_targets import lock_removal_scope
from snapshots.models import Message
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.forgetting.talk import start_talk, tell

BOTH = "I like jazz. I work at Brightwater Clinic."
PLACE = (BOTH.index("I work"), len(BOTH))


def test_the_rest_of_a_message_stays(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        talk, [said] = start_talk(world.acme.subject, BOTH)
        order = tell(talk, "Forget where I work.")
        hide_targets(world.acme.subject, order, 0, ForgetTargets({said.id: [PLACE]}))
        content = Message.objects.get(id=said.id).content
    assert "I like jazz." in content
    assert "Brightwater" not in content


def test_a_message_whose_rest_tells_nothing_goes_whole(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        _, [both, thanks] = start_talk(world.acme.subject, BOTH, "Thanks! I work at Brightwater Clinic.")
        spans = {both.id: [PLACE], thanks.id: [(8, len(thanks.content))]}
        scope = lock_removal_scope(world.acme.subject, new_id(), ForgetTargets(spans))
    assert scope.cuts.keys() == {both.id}
    assert scope.target.messages.keys() == {thanks.id}

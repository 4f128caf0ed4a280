"""One tenant's backlog does not keep another's message waiting. Rows: C3."""

import pytest

from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.flows.stage import Stage, wait_until
from tests.flows.test_work_survives import is_settled, open_items, wake
from tests.snapshots.queue.world import post_messages, states

pytestmark = [pytest.mark.processes, pytest.mark.xdist_group("flows"), pytest.mark.timeout(300)]

BATCH_SECONDS = 0.5
"""What each batch of twenty takes here: the backlog lasts half a minute for two processes."""
BACKLOG = 1_000
WAKE_UPS = 200


@pytest.mark.slow
def test_a_backlog_with_a_queue_full_of_wake_ups_lets_another_tenant_by(world: World, stage: Stage) -> None:
    post_messages(world.acme.tenant.id, world.acme.subject, BACKLOG)
    stage.worker(pause=BATCH_SECONDS)
    wake(stage, *[world.acme.tenant.id] * WAKE_UPS)
    wait_until(lambda: open_items(world.acme) < 2 * BACKLOG)
    post_messages(world.globex.tenant.id, world.globex.subject, 1)
    wake(stage, world.globex.tenant.id)
    wait_until(lambda: is_settled(world.globex))
    assert open_items(world.acme) > BACKLOG, "most of the backlog, of two items a message, still waits"
    with tenant_tx(world.globex.tenant.id):
        assert states() == {"done": 2}

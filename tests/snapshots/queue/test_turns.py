"""Who works for a tenant while others wait. Rows: C3. Matrix: 35."""

import time
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from django.test import override_settings

from snapshots.models import WorkKind
from snapshots.queue.drain import drain_work
from snapshots.queue.policy import QUEUE_POLICY, QueuePolicy
from snapshots.queue.turns import seat, take_turn
from snapshots.queue.values import ClaimedWork, DrainReport
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.queue.world import filled, leave_marks, states

ONE_BATCH = QueuePolicy(batch=5, subject_batch=5, turn=timedelta(0))
STATEMENTS = {WorkKind.STATEMENT: leave_marks}


def test_a_turn_ends_where_others_wait_and_goes_on_where_nobody_does(world: World) -> None:
    tenant_id = world.acme.tenant.id
    filled(tenant_id, world.acme.subject, 15)
    report = drain_work(tenant_id, STATEMENTS, policy=ONE_BATCH, others_wait=lambda: True)
    assert report == DrainReport(done=5, failed=0, more=True)
    assert drain_work(tenant_id, STATEMENTS, policy=ONE_BATCH) == DrainReport(done=10, failed=0, more=False)


def test_a_tenant_that_waits_ends_another_ones_turn(world: World) -> None:
    filled(world.acme.tenant.id, world.acme.subject, 15)
    filled(world.globex.tenant.id, world.globex.subject, 1)
    take_turn(world.acme.tenant.id, STATEMENTS, policy=ONE_BATCH)
    with tenant_tx(world.acme.tenant.id):
        assert states(WorkKind.STATEMENT) == {"ready": 10, "done": 5}


def test_a_wake_up_too_many_ends_at_once_while_others_wait(world: World) -> None:
    tenant_id = world.acme.tenant.id
    filled(tenant_id, world.acme.subject, 3)
    filled(world.globex.tenant.id, world.globex.subject, 1)

    def in_the_middle(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
        take_turn(tenant_id, {WorkKind.EXTRACT: leave_marks})
        with tenant_tx(tenant_id):
            assert states(WorkKind.EXTRACT) == {"ready": 3}
        leave_marks(tenant_id, items)

    take_turn(tenant_id, {WorkKind.STATEMENT: in_the_middle})
    with tenant_tx(tenant_id):
        assert states(WorkKind.STATEMENT) == {"done": 3}


def test_a_tenant_alone_is_worked_for_by_everybody(world: World) -> None:
    tenant_id = world.acme.tenant.id
    filled(tenant_id, world.acme.subject, 3)
    with seat(tenant_id):
        take_turn(tenant_id, STATEMENTS)
    with tenant_tx(tenant_id):
        assert states(WorkKind.STATEMENT) == {"done": 3}


def test_a_seat_is_one_tenants_and_free_again_afterwards(world: World) -> None:
    with (
        seat(world.acme.tenant.id) as first,
        seat(world.acme.tenant.id) as second,
        seat(world.globex.tenant.id) as other,
    ):
        assert (first, second, other) == (True, False, True)
    with seat(world.acme.tenant.id) as again:
        assert again


def test_the_seat_of_the_dead_runs_out_and_a_late_holder_leaves_it_to_its_successor(world: World) -> None:
    brief = QueuePolicy(seat=timedelta(milliseconds=50))
    with seat(world.acme.tenant.id, brief):
        time.sleep(0.1)
        successor = seat(world.acme.tenant.id)
        assert successor.__enter__()
    with seat(world.acme.tenant.id) as third:
        assert not third
    successor.__exit__(None, None, None)


def test_without_redis_everybody_works(world: World) -> None:
    filled(world.acme.tenant.id, world.acme.subject, 3)
    filled(world.globex.tenant.id, world.globex.subject, 1)
    with override_settings(REDIS_URL="unix:///nowhere/redis.sock"):
        take_turn(world.acme.tenant.id, STATEMENTS)
        take_turn(world.acme.tenant.id, STATEMENTS)
    with tenant_tx(world.acme.tenant.id):
        assert states(WorkKind.STATEMENT) == {"done": 3}


def test_a_seat_outlives_a_drain() -> None:
    assert QUEUE_POLICY.seat > QUEUE_POLICY.drain_budget

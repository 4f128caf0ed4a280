"""Who works for a tenant while others wait. Rows: C3. Matrix: 35."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from uuid import UUID

import pytest
from django.test import override_settings

from memory_platform.providers.redis.client import redis_client
from snapshots.models import Work, WorkKind
from snapshots.queue.config import QUEUE_CONFIG, QueueConfig
from snapshots.queue.draining import drain
from snapshots.queue.draining.drain import drain_work
from snapshots.queue.draining.tenant_turns import drain_for_one_turn, hold_tenant_lock, make_tenant_lock_key
from snapshots.queue.values import ClaimedWork, DrainReport
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.queue.world import leave_marks, post_messages, states

BRIEF = QueueConfig(seat=timedelta(milliseconds=200), seat_renewed_every=timedelta(milliseconds=50))
ONE_BATCH = QueueConfig(batch=5, subject_batch=5, turn=timedelta(0))
STATEMENTS = {WorkKind.STATEMENT: leave_marks}


def test_a_turn_ends_where_others_wait_and_goes_on_where_nobody_does(world: World) -> None:
    tenant_id = world.acme.tenant.id
    post_messages(tenant_id, world.acme.subject, 15)
    report = drain_work(tenant_id, STATEMENTS, config=ONE_BATCH, others_wait=lambda: True)
    assert report == DrainReport(done=5, failed=0, more=True)
    assert drain_work(tenant_id, STATEMENTS, config=ONE_BATCH) == DrainReport(done=10, failed=0, more=False)


def test_a_tenant_that_waits_ends_another_ones_turn(world: World) -> None:
    post_messages(world.acme.tenant.id, world.acme.subject, 15)
    post_messages(world.globex.tenant.id, world.globex.subject, 1)
    drain_for_one_turn(world.acme.tenant.id, STATEMENTS, config=ONE_BATCH)
    with tenant_tx(world.acme.tenant.id):
        assert states(WorkKind.STATEMENT) == {"ready": 10, "done": 5}


def test_a_wake_up_too_many_ends_at_once_while_others_wait(world: World) -> None:
    tenant_id = world.acme.tenant.id
    post_messages(tenant_id, world.acme.subject, 3)
    post_messages(world.globex.tenant.id, world.globex.subject, 1)

    def in_the_middle(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
        drain_for_one_turn(tenant_id, {WorkKind.EXTRACT: leave_marks})
        with tenant_tx(tenant_id):
            assert states(WorkKind.EXTRACT) == {"ready": 3}
        leave_marks(tenant_id, items)

    drain_for_one_turn(tenant_id, {WorkKind.STATEMENT: in_the_middle})
    with tenant_tx(tenant_id):
        assert states(WorkKind.STATEMENT) == {"done": 3}


def test_a_tenant_alone_is_worked_for_by_everybody(world: World) -> None:
    tenant_id = world.acme.tenant.id
    post_messages(tenant_id, world.acme.subject, 3)
    with hold_tenant_lock(tenant_id):
        drain_for_one_turn(tenant_id, STATEMENTS)
    with tenant_tx(tenant_id):
        assert states(WorkKind.STATEMENT) == {"done": 3}


def test_a_seat_is_one_tenants_and_free_again_afterwards(world: World) -> None:
    with (
        hold_tenant_lock(world.acme.tenant.id) as first,
        hold_tenant_lock(world.acme.tenant.id) as second,
        hold_tenant_lock(world.globex.tenant.id) as other,
    ):
        assert (first, second, other) == (True, False, True)
    with hold_tenant_lock(world.acme.tenant.id) as again:
        assert again


def test_the_seat_of_the_dead_runs_out(world: World) -> None:
    redis_client().call("test", lambda client: client.set(make_tenant_lock_key(world.acme.tenant.id), "dead", px=50))
    with hold_tenant_lock(world.acme.tenant.id) as at_once:
        assert not at_once
    time.sleep(0.1)
    with hold_tenant_lock(world.acme.tenant.id) as later:
        assert later


def test_a_late_holder_leaves_the_seat_to_its_successor(world: World) -> None:
    key = make_tenant_lock_key(world.acme.tenant.id)
    with hold_tenant_lock(world.acme.tenant.id, BRIEF) as first:
        redis_client().call("test", lambda client: client.delete(key))  # as if the process had slept through it
        successor = hold_tenant_lock(world.acme.tenant.id)
        assert first
        assert successor.__enter__()
        time.sleep(0.2)
    with hold_tenant_lock(world.acme.tenant.id) as third:
        assert not third
    successor.__exit__(None, None, None)


def test_a_seat_is_kept_through_a_batch_that_outlasts_it(world: World) -> None:
    tenant_id = world.acme.tenant.id
    post_messages(tenant_id, world.acme.subject, 15)
    post_messages(world.globex.tenant.id, world.globex.subject, 1)

    def slow(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
        time.sleep(0.4)
        drain_for_one_turn(tenant_id, {WorkKind.EXTRACT: leave_marks})
        leave_marks(tenant_id, items)

    drain_for_one_turn(
        tenant_id,
        {WorkKind.STATEMENT: slow},
        config=replace(ONE_BATCH, seat=BRIEF.seat, seat_renewed_every=BRIEF.seat_renewed_every),
    )
    with tenant_tx(tenant_id):
        assert states(WorkKind.EXTRACT) == {"ready": 15}, "another worker was let in while globex waited"
        assert states(WorkKind.STATEMENT) == {"ready": 10, "done": 5}


def test_who_comes_in_the_middle_waits_for_a_batch_and_not_for_another_turn(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    tenant_id = world.acme.tenant.id
    post_messages(tenant_id, world.acme.subject, 15)
    policy = QueueConfig(batch=1, turn=timedelta(milliseconds=100), look_every=timedelta(0))
    batches: list[ClaimedWork] = []
    # A batch takes 60 ms by this clock.
    monkeypatch.setattr(drain, "time", SimpleNamespace(monotonic=lambda: 0.06 * len(batches)))

    def handle(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
        batches.extend(items)
        leave_marks(tenant_id, items)
        if len(batches) == 3:  # beyond the first turn, in which nobody waited
            post_messages(world.globex.tenant.id, world.globex.subject, 1)

    drain_for_one_turn(tenant_id, {WorkKind.STATEMENT: handle}, config=policy)
    assert len(batches) == 3


def test_a_turn_ends_between_two_kinds_and_the_next_one_begins_with_the_one_that_waits_longer(world: World) -> None:
    tenant_id = world.acme.tenant.id
    post_messages(tenant_id, world.acme.subject, 10)
    both = {WorkKind.STATEMENT: leave_marks, WorkKind.EXTRACT: leave_marks}
    with tenant_tx(tenant_id):  # they wait in the order of their positions
        for item in Work.objects.all():
            item.due_at -= timedelta(seconds=60) - timedelta(milliseconds=item.position)
            item.save()
    for done in ({"statement": 5}, {"statement": 5, "extract": 5}, {"statement": 10, "extract": 5}):
        assert drain_work(tenant_id, both, config=ONE_BATCH, others_wait=lambda: True).done == 5
        with tenant_tx(tenant_id):
            assert Counter(Work.objects.filter(state="done").order_by().values_list("kind", flat=True)) == done


def test_without_redis_everybody_works(world: World) -> None:
    post_messages(world.acme.tenant.id, world.acme.subject, 3)
    post_messages(world.globex.tenant.id, world.globex.subject, 1)
    with override_settings(REDIS_URL="unix:///nowhere/redis.sock"):
        drain_for_one_turn(world.acme.tenant.id, STATEMENTS)
        drain_for_one_turn(world.acme.tenant.id, STATEMENTS)
    with tenant_tx(world.acme.tenant.id):
        assert states(WorkKind.STATEMENT) == {"done": 3}


def test_a_seat_outlives_a_drain() -> None:
    assert QUEUE_CONFIG.seat > QUEUE_CONFIG.drain_budget
    assert QUEUE_CONFIG.seat >= 3 * QUEUE_CONFIG.seat_renewed_every

"""No accepted message is lost to memory, whatever dies. Rows: C3. Matrix: 29, 32, 34, 35, 65."""

import random
import signal
import time
from uuid import UUID

import pytest
from celery import current_app
from django.db import connection

from snapshots.models import Message, Work, WorkKind
from snapshots.queue.metrics import count_work, find_tenants_with_due_work
from snapshots.queue.worker_wake_ups import DRAIN_JOB
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.flows.stage import PATIENCE, POISON, PROGRAM, Stage, wait_until
from tests.snapshots.queue.world import marks, post_messages, states

pytestmark = [pytest.mark.processes, pytest.mark.xdist_group("flows"), pytest.mark.timeout(300)]

LONG = 5.0
"""Seconds between reading a batch and writing it, where the worker is to be struck in between. Struck in its
transaction it would keep the items locked, struck between two batches it would hold none."""


def wake(stage: Stage, *tenant_ids: UUID) -> None:
    """Publish wake-ups as the web does, to the stage's broker."""
    # By connection: CELERY_BROKER_URL in the environment counts more for Celery than its settings.
    with current_app.connection_for_write(url=stage.redis.broker_url) as broker:
        for tenant_id in tenant_ids:
            current_app.send_task(DRAIN_JOB, kwargs={"tenant_id": str(tenant_id)}, retry=False, connection=broker)


def sweep_until_settled(stage: Stage, *houses: House) -> None:
    """Wake workers for whatever is due or abandoned, as the sweep does, until nothing is open."""

    def all_settled() -> bool:
        wake(stage, *find_tenants_with_due_work(10))
        return all(is_settled(house) for house in houses)

    wait_until(all_settled, every=0.3)


def open_items(house: House) -> int:
    with tenant_tx(house.tenant.id):
        return Work.objects.filter(state__in=("ready", "leased")).count()


def count_leased(house: House) -> int:
    with tenant_tx(house.tenant.id):
        return Work.objects.filter(state="leased").count()


def is_settled(house: House) -> bool:
    return open_items(house) == 0


def assert_each_done_once(house: House, items: int) -> None:
    with tenant_tx(house.tenant.id):
        assert states() == {"done": items}
        assert len(marks()) == items
        assert set(marks().values()) == {1}
        assert count_work().accepted_total == items


@pytest.mark.slow
def test_a_killed_workers_work_is_finished_by_another(world: World, stage: Stage) -> None:
    acme = world.acme
    post_messages(acme.tenant.id, acme.subject, 60)
    first = stage.worker(pause=LONG)
    wake(stage, acme.tenant.id)
    wait_until(lambda: count_leased(acme) > 0)
    first.kill()
    assert count_leased(acme) > 0
    stage.worker()
    sweep_until_settled(stage, acme)
    assert_each_done_once(acme, 120)


@pytest.mark.slow
def test_a_worker_paused_beyond_its_lease_writes_nothing_any_more(world: World, stage: Stage) -> None:
    acme = world.acme
    post_messages(acme.tenant.id, acme.subject, 20)
    sleeper = stage.worker(pause=LONG, processes=1)
    wake(stage, acme.tenant.id)
    wait_until(lambda: count_leased(acme) == 20)
    sleeper.signal(signal.SIGSTOP)
    assert count_leased(acme) == 20
    stage.worker()
    sweep_until_settled(stage, acme)
    sleeper.signal(signal.SIGCONT)
    wait_until(lambda: "lease.lost" in sleeper.read_log())
    assert_each_done_once(acme, 40)


@pytest.mark.slow
def test_redis_killed_three_times_loses_nothing_and_worker_and_beat_come_back(world: World, stage: Stage) -> None:
    acme = world.acme
    # A drain whose time is up asks the broker for another: here each one has time for all.
    worker, beat = stage.worker(pause=0.2, budget=PATIENCE), stage.beat()
    for round_, outage in enumerate((0.5, 1.0, 7.0)):
        post_messages(acme.tenant.id, acme.subject, 30, f"during {round_}")
        wait_until(lambda: count_leased(acme) > 0)
        stage.redis.kill()
        wait_until(lambda: is_settled(acme))  # a drain that runs needs no broker
        post_messages(acme.tenant.id, acme.subject, 30, f"down {round_}")
        time.sleep(outage)
        assert open_items(acme) == 60
        stage.redis.start()
        wait_until(lambda: is_settled(acme))  # how soon: tests/memory_platform/test_celery_reconnect.py
    assert worker.is_alive
    assert beat.is_alive
    assert_each_done_once(acme, 360)


@pytest.mark.slow
def test_a_worker_whose_database_connections_break_goes_on(world: World, stage: Stage) -> None:
    acme = world.acme
    worker = stage.worker()
    for number in range(3):
        post_messages(acme.tenant.id, acme.subject, 20, f"c{number}")
        sweep_until_settled(stage, acme)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                " WHERE application_name = %s AND datname = current_database()",
                [PROGRAM],
            )
            assert cursor.fetchone()[0] > 0
    assert worker.is_alive
    assert_each_done_once(acme, 120)


@pytest.mark.slow
def test_wake_ups_doubled_and_shuffled_make_the_same_state(world: World, stage: Stage) -> None:
    for house in (world.acme, world.globex):
        post_messages(house.tenant.id, house.subject, 100)
    wake_ups = [house.tenant.id for house in (world.acme, world.globex) for _ in range(30)]
    random.Random(11).shuffle(wake_ups)  # noqa: S311 - a repeatable order
    wake(stage, *wake_ups)
    stage.worker()
    wait_until(lambda: is_settled(world.acme) and is_settled(world.globex))
    for house in (world.acme, world.globex):
        assert_each_done_once(house, 200)
    assert find_tenants_with_due_work(10) == []


@pytest.mark.slow
def test_an_item_that_kills_its_worker_dies_alone(world: World, stage: Stage) -> None:
    acme = world.acme
    messages = post_messages(acme.tenant.id, acme.subject, 30)
    with tenant_tx(acme.tenant.id):
        Message.objects.filter(pk=messages[12].pk).update(content=POISON)
    stage.worker()
    sweep_until_settled(stage, acme)
    with tenant_tx(acme.tenant.id):
        assert states(WorkKind.STATEMENT) == {"done": 29, "dead": 1}
        assert states(WorkKind.EXTRACT) == {"done": 29, "dead": 1}
        assert set(Work.objects.filter(state="dead").values_list("message_id", "error_code")) == {
            (messages[12].pk, "lease_expired")
        }
        assert set(marks().values()) == {1}


@pytest.mark.slow
def test_a_worker_that_is_asked_to_end_leaves_nothing_leased(world: World, stage: Stage) -> None:
    acme = world.acme
    post_messages(acme.tenant.id, acme.subject, 200)
    worker = stage.worker(pause=0.2)
    wake(stage, acme.tenant.id)
    wait_until(lambda: count_leased(acme) > 0)
    assert worker.stop() < 12
    assert count_leased(acme) == 0

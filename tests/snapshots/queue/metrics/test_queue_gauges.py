"""What the metrics say of the queue. Rows: C3, D5. Matrix: 29."""

import math
import re
from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.test import Client
from pytest_django.fixtures import Settings

from memory_platform.providers.redis.client import redis_client
from snapshots.jobs import sweep_job
from snapshots.models import Work, WorkKind
from snapshots.queue.config import QueueConfig
from snapshots.queue.draining.claim import claim_items
from snapshots.queue.draining.leases import fail_items
from snapshots.queue.metrics.queue_gauges import SWEPT_AT_KEY, set_queue_gauges
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.queue.world import expire_leases, post_messages

GAUGES = ("agent_memory_compress_queue_size", "work_dead", "work_oldest_due_seconds", "beat_heartbeat_seconds")


def read_gauges() -> list[float]:
    """Return the gauges as Prometheus reads them."""
    page = Client().get("/metrics").content.decode()
    found = [re.search(rf"^{name} (\S+)$", page, re.MULTILINE) for name in GAUGES]
    return [float(one.group(1)) for one in found if one]


def test_the_backlog_of_all_tenants_is_shown(world: World) -> None:
    assert read_gauges()[:3] == [0, 0, 0]
    for house, count in ((world.acme, 3), (world.globex, 2)):
        post_messages(house.tenant.id, house.subject, count)
    with tenant_tx(world.acme.tenant.id):
        fail_items(claim_items(WorkKind.STATEMENT, config=QueueConfig(batch=1)), "boom", config=QueueConfig(attempts=1))
    with tenant_tx(world.globex.tenant.id):
        Work.objects.filter(kind=WorkKind.EXTRACT).update(due_at=Now() - timedelta(minutes=5))
    waiting, dead, oldest, _ = read_gauges()
    assert (waiting, dead) == (9, 1)
    assert oldest == pytest.approx(300, abs=30)


def test_work_whose_worker_died_is_due_and_work_to_come_is_not(world: World) -> None:
    acme = world.acme
    post_messages(acme.tenant.id, acme.subject, 1)
    with tenant_tx(acme.tenant.id):
        Work.objects.filter(kind=WorkKind.EXTRACT).update(due_at=Now() + timedelta(minutes=5))
        Work.objects.filter(kind=WorkKind.STATEMENT).update(due_at=Now() - timedelta(minutes=5))
        claim_items(WorkKind.STATEMENT)
    assert read_gauges()[2] == 0
    with tenant_tx(acme.tenant.id):
        expire_leases()
    assert read_gauges()[2] == pytest.approx(300, abs=30)


def test_the_sweeps_last_run_is_beats_heartbeat(world: World) -> None:
    redis_client().call("test", lambda client: client.delete(SWEPT_AT_KEY))
    assert math.isnan(read_gauges()[3])
    sweep_job()
    assert 0 <= read_gauges()[3] < 10


def test_without_redis_the_heartbeat_is_unknown_and_the_sweep_goes_on(world: World, settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    sweep_job()
    set_queue_gauges()
    assert math.isnan(read_gauges()[3])

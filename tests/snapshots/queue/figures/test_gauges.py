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
from snapshots.queue.draining.claim import claim
from snapshots.queue.draining.leases import fail
from snapshots.queue.figures.gauges import SWEPT_AT, show_queue
from snapshots.queue.policy import QueuePolicy
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.queue.world import expire_leases, filled

GAUGES = ("agent_memory_compress_queue_size", "work_dead", "work_oldest_due_seconds", "beat_heartbeat_seconds")


def shown() -> list[float]:
    """Return the gauges as Prometheus reads them."""
    page = Client().get("/metrics").content.decode()
    found = [re.search(rf"^{name} (\S+)$", page, re.MULTILINE) for name in GAUGES]
    return [float(one.group(1)) for one in found if one]


def test_the_backlog_of_all_tenants_is_shown(world: World) -> None:
    assert shown()[:3] == [0, 0, 0]
    for house, count in ((world.acme, 3), (world.globex, 2)):
        filled(house.tenant.id, house.subject, count)
    with tenant_tx(world.acme.tenant.id):
        fail(claim(WorkKind.STATEMENT, policy=QueuePolicy(batch=1)), "boom", policy=QueuePolicy(attempts=1))
    with tenant_tx(world.globex.tenant.id):
        Work.objects.filter(kind=WorkKind.EXTRACT).update(due_at=Now() - timedelta(minutes=5))
    waiting, dead, oldest, _ = shown()
    assert (waiting, dead) == (9, 1)
    assert oldest == pytest.approx(300, abs=30)


def test_work_whose_worker_died_is_due_and_work_to_come_is_not(world: World) -> None:
    acme = world.acme
    filled(acme.tenant.id, acme.subject, 1)
    with tenant_tx(acme.tenant.id):
        Work.objects.filter(kind=WorkKind.EXTRACT).update(due_at=Now() + timedelta(minutes=5))
        Work.objects.filter(kind=WorkKind.STATEMENT).update(due_at=Now() - timedelta(minutes=5))
        claim(WorkKind.STATEMENT)
    assert shown()[2] == 0
    with tenant_tx(acme.tenant.id):
        expire_leases()
    assert shown()[2] == pytest.approx(300, abs=30)


def test_the_sweeps_last_run_is_beats_heartbeat(world: World) -> None:
    redis_client().call("test", lambda client: client.delete(SWEPT_AT))
    assert math.isnan(shown()[3])
    sweep_job()
    assert 0 <= shown()[3] < 10


def test_without_redis_the_heartbeat_is_unknown_and_the_sweep_goes_on(world: World, settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    sweep_job()
    show_queue()
    assert math.isnan(shown()[3])

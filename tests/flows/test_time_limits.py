"""Celery's soft time limit ends a job in order: what was under way goes on elsewhere. Rows: C3, E9. Matrix: 35, 65."""

from datetime import timedelta

import pytest
from celery import current_app
from django.utils import timezone

from tenants.models import JobRun
from tests.conftest import World
from tests.flows.stage import ROUND, ROUND_JOB, Stage, wait_until
from tests.flows.test_work_survives import assert_each_done_once, count_leased, sweep_until_settled, wake
from tests.snapshots.queue.world import post_messages

pytestmark = [pytest.mark.processes, pytest.mark.xdist_group("flows"), pytest.mark.timeout(300)]

STRUCK = "SoftTimeLimitExceeded"


def start_round(stage: Stage) -> None:
    with current_app.connection_for_write(url=stage.redis.broker_url) as broker:
        current_app.send_task(ROUND_JOB, retry=False, connection=broker)


@pytest.mark.slow
def test_the_limit_strikes_a_drain_and_a_round_and_both_go_on_with_others(world: World, stage: Stage) -> None:
    acme = world.acme
    post_messages(acme.tenant.id, acme.subject, 20)
    slow = stage.worker(pause=100, limit=3)
    wake(stage, acme.tenant.id)
    start_round(stage)
    wait_until(lambda: count_leased(acme) == 20 and JobRun.objects.filter(job=ROUND).exists())
    wait_until(lambda: slow.read_log().count(f"raised unexpected: {STRUCK}") >= 2)
    run = JobRun.objects.get(job=ROUND)
    assert run.lease_until is not None
    assert run.lease_until <= timezone.now() + timedelta(seconds=1), "not the 90 seconds of a worker that died"
    assert (run.ended_at, run.rows, run.errors) == (None, 1, 0)
    slow.stop()

    stage.worker()
    sweep_until_settled(stage, acme)
    assert_each_done_once(acme, 40)
    start_round(stage)
    wait_until(lambda: JobRun.objects.get(job=ROUND).ended_at is not None)
    run.refresh_from_db()
    assert (run.rows, run.errors) == (5, 0), "the row marked before, and two of each tenant"

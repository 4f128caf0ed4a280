"""How long work had waited, by the day. Rows: G5, C3."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from memory_platform.kernel.clock import utc_now
from snapshots.maintenance import CARE
from snapshots.models import QueueDay, Work
from snapshots.queue.metrics.daily_waits import roll_up_waits
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.queue.world import post_messages


def finish_items(world: World, *waits: float, days_ago: int = 0) -> None:
    """Let the world's open items be done, each after it had waited so many seconds."""
    at = Now() - timedelta(days=days_ago)
    with tenant_tx(world.acme.tenant.id):
        open_items = list(Work.objects.filter(state="ready").order_by("position")[: len(waits)])
        for work, waited in zip(open_items, waits, strict=True):
            row = Work.objects.filter(id=work.id)
            row.update(state="done", done_at=at, created_at=at - timedelta(seconds=waited))


def days(world: World) -> list[QueueDay]:
    with tenant_tx(world.acme.tenant.id):
        return list(QueueDay.objects.order_by("day"))


def test_the_waits_of_today_and_yesterday_are_kept_and_older_days_left_alone(world: World) -> None:
    post_messages(world.acme.tenant.id, world.acme.subject, 4)
    finish_items(world, 1, 2, 3, 10)
    finish_items(world, 20, days_ago=1)
    finish_items(world, 99, days_ago=2)
    for _ in "12":
        assert roll_up_waits(world.acme.tenant.id) == 2
    yesterday, today = days(world)
    assert (today.day, today.done) == (utc_now().date(), 4)
    assert today.waited_longest_ms == pytest.approx(10_000)
    assert 3_000 < today.waited_p95_ms < 10_000
    assert yesterday.done == 1
    assert yesterday.waited_p95_ms == pytest.approx(20_000)
    assert roll_up_waits(world.globex.tenant.id) == 0


def test_the_job_keeps_them_and_its_preview_counts_them(world: World) -> None:
    post_messages(world.acme.tenant.id, world.acme.subject, 1)
    finish_items(world, 5)
    job = CARE["roll-up-indicators"]
    assert job.preview(world.acme.tenant.id).counts == {"changed": 1, "gone": 0}
    assert days(world) == []
    roll_up_waits(world.acme.tenant.id)
    assert [day.done for day in days(world)] == [1]
    assert job.preview(world.acme.tenant.id).counts == {"changed": 0, "gone": 0}

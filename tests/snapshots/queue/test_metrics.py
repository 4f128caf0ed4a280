"""How much is pending, and the conservation law. Rows: C3, E6."""

import math
import re
from datetime import timedelta
from uuid import UUID

import pytest
from django.db.models.functions import Now
from django.test import Client
from pytest_django.fixtures import Settings

from memory_platform.kernel.clock import utc_now
from memory_platform.providers.redis.client import redis_client
from profiles.models import Subject
from snapshots.jobs import sweep_job
from snapshots.models import Conversation, QueueDay, Work, WorkKind, WorkRemoved
from snapshots.queue.config import QueueConfig
from snapshots.queue.draining.leases import claim_items, complete_items, fail_items, take_over_items
from snapshots.queue.metrics import (
    SWEPT_AT_KEY,
    count_pending_work,
    count_work,
    find_tenants_with_due_work,
    remove_work,
    remove_work_of_conversation,
    remove_work_of_messages,
    roll_up_waits,
    set_queue_gauges,
)
from snapshots.queue.values import PendingWork
from snapshots.scheduled_job_registry import CARE
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.queue.world import expire_leases, post_messages


@pytest.fixture
def tenant_id(world: World) -> UUID:
    return world.acme.tenant.id


def test_a_subject_without_work_has_nothing_pending(world: World, tenant_id: UUID) -> None:
    with tenant_tx(tenant_id):
        assert count_pending_work(world.acme.subject) == PendingWork(0, 0, None)


def test_pending_counts_what_is_open_and_dead_of_this_subject_only(world: World, tenant_id: UUID) -> None:
    post_messages(tenant_id, world.acme.subject, 4)
    with tenant_tx(tenant_id):
        filled_for_other = Subject.objects.create(external_id="林")
    post_messages(tenant_id, filled_for_other, 7)
    with tenant_tx(tenant_id):
        Work.objects.exclude(subject_id=world.acme.subject.pk).delete()
        complete_items(claim_items(WorkKind.STATEMENT, config=QueueConfig(batch=1)))
        fail_items(claim_items(WorkKind.STATEMENT, config=QueueConfig(batch=1)), "boom", config=QueueConfig(attempts=1))
        claim_items(WorkKind.EXTRACT)
        found = count_pending_work(world.acme.subject)
    assert (found.pending, found.dead) == (6, 1)
    assert found.oldest_seconds is not None
    assert 0 <= found.oldest_seconds < 60


def test_removed_items_stay_in_the_law(world: World, tenant_id: UUID) -> None:
    messages = post_messages(tenant_id, world.acme.subject, 6)
    post_messages(tenant_id, world.acme.subject, 3, "second")
    with tenant_tx(tenant_id):
        complete_items(claim_items(WorkKind.STATEMENT, config=QueueConfig(batch=2)))
        assert remove_work_of_messages([messages[0].pk, messages[1].pk]) == 4
        assert remove_work([Work.objects.filter(message_id=messages[2].pk).values_list("pk", flat=True)[0]]) == 1
        second = Conversation.objects.get(external_id="second")
        assert remove_work_of_conversation(second) == 6
        assert remove_work_of_conversation(second) == 0
        assert count_work().accepted_total == 18
        assert count_work().removed == 11
        assert WorkRemoved.objects.count() == 1


def test_the_sweep_sees_tenants_with_due_or_abandoned_work_only(world: World, tenant_id: UUID) -> None:
    assert find_tenants_with_due_work(100) == []
    post_messages(tenant_id, world.acme.subject, 1)
    assert find_tenants_with_due_work(100) == [tenant_id]
    with tenant_tx(tenant_id):
        claim_items(WorkKind.STATEMENT)
        claim_items(WorkKind.EXTRACT)
    assert find_tenants_with_due_work(100) == []
    with tenant_tx(tenant_id):
        expire_leases()
    assert find_tenants_with_due_work(100) == [tenant_id]
    post_messages(world.globex.tenant.id, world.globex.subject, 1)
    assert set(find_tenants_with_due_work(100)) == {tenant_id, world.globex.tenant.id}
    assert len(find_tenants_with_due_work(1)) == 1


def test_the_sweep_sees_due_and_abandoned_summaries(world: World, tenant_id: UUID) -> None:
    post_messages(tenant_id, world.acme.subject, 1)
    with tenant_tx(tenant_id):
        Work.objects.filter(kind=WorkKind.EXTRACT).update(kind=WorkKind.SUMMARY, message=None, generation=1)
        Work.objects.exclude(kind=WorkKind.SUMMARY).delete()
    assert find_tenants_with_due_work(100) == [tenant_id]
    with tenant_tx(tenant_id):
        claim_items(WorkKind.SUMMARY)
    assert find_tenants_with_due_work(100) == []
    with tenant_tx(tenant_id):
        expire_leases()
    assert find_tenants_with_due_work(100) == [tenant_id]


def due_in(hours: int, *items: Work) -> None:
    """Make items of the open scope due in (or since) so many hours."""
    Work.objects.filter(id__in=[item.id for item in items]).update(due_at=Now() + timedelta(hours=hours))


def extracts_alone(subject: Subject) -> list[Work]:
    """Leave only the subject's extractions of the open scope and return them by position."""
    Work.objects.exclude(kind=WorkKind.EXTRACT).delete()
    return list(Work.objects.filter(subject_id=subject.pk).order_by("position"))


def test_what_is_behind_an_extraction_that_backs_off_waits_for_nobody(world: World, tenant_id: UUID) -> None:
    post_messages(tenant_id, world.acme.subject, 3)
    with tenant_tx(tenant_id):
        head, *_ = extracts_alone(world.acme.subject)
        due_in(1, head)
        assert claim_items(WorkKind.EXTRACT) == []
    assert find_tenants_with_due_work(10) == []
    with tenant_tx(tenant_id):
        other = Subject.objects.create(external_id="林")
    post_messages(tenant_id, other, 1)
    with tenant_tx(tenant_id):
        extracts_alone(other)
    assert find_tenants_with_due_work(10) == [tenant_id], "another subject's can be claimed, wherever its id stands"


def test_what_is_behind_an_extraction_at_work_is_due_when_the_worker_is_dead(world: World, tenant_id: UUID) -> None:
    post_messages(tenant_id, world.acme.subject, 3)
    with tenant_tx(tenant_id):
        extracts_alone(world.acme.subject)
        claim_items(WorkKind.EXTRACT, config=QueueConfig(subject_batch=1))
    assert find_tenants_with_due_work(10) == []
    with tenant_tx(tenant_id):
        expire_leases()
    assert find_tenants_with_due_work(10) == [tenant_id]
    with tenant_tx(tenant_id):
        due_in(-1, *Work.objects.filter(state="ready"))
        assert take_over_items(WorkKind.EXTRACT)


def test_abandoned_extractions_behind_one_that_backs_off_wait_with_it(world: World, tenant_id: UUID) -> None:
    post_messages(tenant_id, world.acme.subject, 3)
    with tenant_tx(tenant_id):
        extracts_alone(world.acme.subject)
        head, *_ = claim_items(WorkKind.EXTRACT)
        fail_items([head], "boom")
        expire_leases()
        assert take_over_items(WorkKind.EXTRACT) == []
    assert find_tenants_with_due_work(10) == []


def test_the_sweep_names_who_waits_longest_first(world: World, tenant_id: UUID) -> None:
    other = world.globex.tenant.id
    post_messages(tenant_id, world.acme.subject, 1)
    post_messages(other, world.globex.subject, 1)
    for first, second in ((other, tenant_id), (tenant_id, other)):
        with tenant_tx(first):
            due_in(-2, *Work.objects.all())
        with tenant_tx(second):
            due_in(-1, *Work.objects.all())
        assert find_tenants_with_due_work(1) == [first]
        assert find_tenants_with_due_work(2) == [first, second]


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
    assert roll_up_waits(world.acme.tenant.id, since=utc_now().date() - timedelta(days=2)) == 3
    assert days(world)[0].waited_p95_ms == pytest.approx(99_000)


def test_the_job_keeps_them_and_its_preview_counts_them(world: World) -> None:
    post_messages(world.acme.tenant.id, world.acme.subject, 1)
    finish_items(world, 5)
    job = CARE["roll-up-indicators"]
    assert job.preview(world.acme.tenant.id).counts == {"changed": 1, "gone": 0}
    assert days(world) == []
    roll_up_waits(world.acme.tenant.id)
    assert [day.done for day in days(world)] == [1]
    assert job.preview(world.acme.tenant.id).counts == {"changed": 0, "gone": 0}


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

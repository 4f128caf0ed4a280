"""Scheduled jobs run once per slot, and each tenant has its turn. Rows: E9. Matrix: 64, 65."""

from datetime import timedelta
from threading import Barrier, Thread
from uuid import UUID

from django.db import connection
from django.utils import timezone

from tenants.models import JobRun
from tenants.services.job_runs import Tally, for_each_tenant, forget_old_runs, run_once
from tests.conftest import World

DAY = timedelta(days=1)


def test_two_beats_make_one_run(database: None) -> None:
    ran: list[int] = []
    together = Barrier(4)

    def beat() -> None:
        together.wait(5)
        run_once("nap", DAY, lambda: ran.append(1) or Tally(rows=3))  # type: ignore[func-returns-value]
        connection.close()

    threads = [Thread(target=beat) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ran == [1]
    run = JobRun.objects.get(job="nap")
    assert (run.rows, run.errors) == (3, 0)
    assert run.ended_at is not None


def test_slots_begin_at_full_hours_in_utc_and_the_next_one_runs_again(database: None) -> None:
    assert run_once("nap", timedelta(hours=1), Tally)
    run = JobRun.objects.get()
    assert (run.scheduled_for.minute, run.scheduled_for.second, run.scheduled_for.microsecond) == (0, 0, 0)
    assert run.scheduled_for <= timezone.now() < run.scheduled_for + timedelta(hours=1)
    assert not run_once("nap", timedelta(hours=1), Tally)
    JobRun.objects.update(scheduled_for=run.scheduled_for - timedelta(hours=1))
    assert run_once("nap", timedelta(hours=1), Tally)


def test_one_tenants_failure_does_not_stop_the_others(world: World) -> None:
    seen: list[UUID] = []

    def work(tenant_id: UUID) -> int:
        seen.append(tenant_id)
        if tenant_id == world.acme.tenant.id:
            raise ValueError("her own words")
        return 5

    assert for_each_tenant(work) == Tally(rows=5, errors=1)
    assert set(seen) == {world.acme.tenant.id, world.globex.tenant.id}


def test_tenants_that_had_no_time_are_counted(world: World) -> None:
    turns = iter([True, False])
    assert for_each_tenant(lambda _: 1, may_go_on=lambda: next(turns)) == Tally(rows=1, skipped=1)


def test_old_records_leave(database: None) -> None:
    for days in (1, 40):
        JobRun.objects.create(job="nap", scheduled_for=timezone.now() - days * DAY, started_at=timezone.now())
    assert forget_old_runs(30 * DAY) == 1
    assert JobRun.objects.count() == 1

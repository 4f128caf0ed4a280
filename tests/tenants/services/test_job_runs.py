"""Scheduled jobs run once per slot, and rounds go on where they were cut short. Rows: E9. Matrix: 64, 65."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from threading import Barrier, Thread
from uuid import UUID

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection
from django.db.models import F
from django.utils import timezone
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask

from memory_platform.kernel.ids import new_id
from tenants.config import RUN_CONFIG
from tenants.models import JobRun
from tenants.services.job_due_times import Daily
from tenants.services.job_runs import (
    RunTally,
    TenantTurn,
    forget_old_runs,
    list_jobs_to_continue,
    request_run,
    run_by_hand,
    run_for_each_tenant,
    run_once,
    run_round,
)
from tests.conftest import World
from tests.time_limit import time_is_up_after

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def row(database: None) -> Iterator[PeriodicTask]:
    """A job every hour."""
    every, _ = IntervalSchedule.objects.get_or_create(every=3600, period=IntervalSchedule.SECONDS)
    row = PeriodicTask.objects.create(name="nap", task="jobs.nap", interval=every)
    yield row
    PeriodicTask.objects.all().delete()
    IntervalSchedule.objects.all().delete()
    CrontabSchedule.objects.all().delete()


def age_runs(**ago: float) -> None:
    """Let all runs have been so much earlier."""
    JobRun.objects.update(scheduled_for=F("scheduled_for") - timedelta(**ago))


def at_once(work: Callable[[], object], threads: int = 4) -> None:
    together = Barrier(threads)

    def one() -> None:
        together.wait(5)
        work()
        connection.close()

    crew = [Thread(target=one) for _ in range(threads)]
    for thread in crew:
        thread.start()
    for thread in crew:
        thread.join()


def test_two_beats_make_one_run(database: None) -> None:
    ran: list[int] = []
    at_once(lambda: run_once("nap", DAY, lambda: ran.append(1) or RunTally(rows=3)))  # type: ignore[func-returns-value]
    assert ran == [1]
    run = JobRun.objects.get(job="nap")
    assert (run.rows, run.errors) == (3, 0)
    assert run.ended_at is not None


def test_two_beats_make_one_round(world: World) -> None:
    seen: list[UUID] = []
    at_once(lambda: run_round("nap", HOUR, lambda turn: seen.append(turn.tenant_id) or 1))  # type: ignore[func-returns-value]
    assert sorted(seen) == sorted([world.acme.tenant.id, world.globex.tenant.id])
    run = JobRun.objects.get()
    assert (run.rows, run.reached, run.lease_until, run.skipped) == (2, None, None, 0)
    assert run.ended_at is not None


def test_an_interval_counts_from_the_last_run(database: None) -> None:
    assert run_once("nap", HOUR, RunTally)
    assert not run_once("nap", HOUR, RunTally)
    age_runs(minutes=50)
    assert not run_once("nap", HOUR, RunTally)
    age_runs(minutes=59)
    assert run_once("nap", HOUR, RunTally)


def test_the_rows_own_interval_counts_not_the_default(row: PeriodicTask) -> None:
    assert run_once("nap", DAY, RunTally)
    age_runs(minutes=61)
    assert run_once("nap", DAY, RunTally), "the operator's hour is faster than the default day"
    row.interval = IntervalSchedule.objects.create(every=7, period=IntervalSchedule.DAYS)
    row.save()
    age_runs(days=2)
    assert not run_once("nap", DAY, RunTally), "and seven days are slower"


def test_a_time_of_the_day_is_filled_once(row: PeriodicTask) -> None:
    now = timezone.now() - timedelta(minutes=2)
    row.interval = None
    row.crontab = CrontabSchedule.objects.create(minute=f"{now.minute}", hour=f"{now.hour}", timezone="UTC")
    row.save()
    assert run_once("nap", Daily(3), RunTally)
    assert JobRun.objects.get().scheduled_for == now.replace(second=0, microsecond=0)
    assert not run_once("nap", Daily(3), RunTally)


def test_one_tenants_failure_does_not_stop_the_others(world: World) -> None:
    seen: list[UUID] = []

    def work(tenant_id: UUID) -> int:
        seen.append(tenant_id)
        if tenant_id == world.acme.tenant.id:
            raise ValueError("her own words")
        return 5

    assert run_for_each_tenant(work) == RunTally(rows=5, errors=1)
    assert run_round("nap", HOUR, lambda turn: work(turn.tenant_id))
    assert set(seen) == {world.acme.tenant.id, world.globex.tenant.id}
    assert len(seen) == 4
    run = JobRun.objects.get()
    assert (run.rows, run.errors) == (5, 1)


def test_tenants_that_had_no_time_are_counted(world: World) -> None:
    turns = iter([True, False])
    assert run_for_each_tenant(lambda _: 1, may_go_on=lambda: next(turns)) == RunTally(rows=1, skipped=1)


def test_a_round_without_time_goes_on_at_the_next_tenant(world: World) -> None:
    """It goes on when somebody sends it again, whatever the timetable says; the record is one."""
    seen: list[UUID] = []
    hurried = replace(RUN_CONFIG, time=timedelta(seconds=0.2))

    def slow(turn: TenantTurn) -> int:
        seen.append(turn.tenant_id)
        connection.cursor().execute("SELECT pg_sleep(0.25)")
        return 1

    run_round("nap", DAY, slow, config=hurried)
    run = JobRun.objects.get()
    assert (run.reached, run.rows, run.skipped, run.ended_at) == (seen[0], 1, 1, None)
    run_round("nap", DAY, slow, config=hurried)
    run.refresh_from_db()
    assert (run.reached, run.rows, run.skipped) == (None, 2, 0)
    assert run.ended_at is not None
    assert seen == sorted([world.acme.tenant.id, world.globex.tenant.id])
    assert not run_round("nap", DAY, slow, config=hurried)


def test_a_turn_that_was_cut_goes_on_after_the_subject_that_it_reached(world: World) -> None:
    subject, begun = new_id(), list[UUID | None]()
    often = replace(RUN_CONFIG, mark_every=timedelta(0), time=timedelta(seconds=0.1))

    def work(turn: TenantTurn) -> int:
        begun.append(turn.after)
        if turn.after is None and len(begun) == 1:
            turn.mark_reached(subject, 7)
            connection.cursor().execute("SELECT pg_sleep(0.15)")
            assert not turn.may_go_on()
        return 0

    run_round("nap", DAY, work, config=often)
    run = JobRun.objects.get()
    assert (run.reached, run.reached_within, run.rows) == (None, subject, 7)
    run_round("nap", DAY, work)
    assert begun == [None, subject, None]


def test_a_round_whose_worker_is_at_it_is_left_alone_and_taken_over_when_it_died(world: World, row: object) -> None:
    class Death(BaseException):
        pass

    def die(turn: TenantTurn) -> int:
        turn.mark_reached(new_id(), 2)
        raise Death

    with pytest.raises(Death):
        run_round("nap", HOUR, die)
    assert not run_round("nap", HOUR, lambda turn: 1), "its lease holds"
    assert list_jobs_to_continue() == []
    JobRun.objects.update(lease_until=timezone.now() - HOUR)
    assert list_jobs_to_continue() == ["jobs.nap"]
    assert run_round("nap", HOUR, lambda turn: 1)
    assert JobRun.objects.get().rows == 2
    assert list_jobs_to_continue() == []


def test_a_tenant_at_which_every_worker_dies_is_passed_over(world: World) -> None:
    class Death(BaseException):
        pass

    seen: list[UUID] = []
    poisoned = min(world.acme.tenant.id, world.globex.tenant.id)

    def work(turn: TenantTurn) -> int:
        if turn.tenant_id == poisoned:
            raise Death
        seen.append(turn.tenant_id)
        return 1

    for _ in range(RUN_CONFIG.deaths):
        with pytest.raises(Death):
            run_round("nap", DAY, work)
        JobRun.objects.update(lease_until=timezone.now() - HOUR)
    assert run_round("nap", DAY, work)
    assert len(seen) == 1
    run = JobRun.objects.get()
    assert (run.errors, run.rows) == (1, 1)
    assert run.ended_at is not None


def test_a_round_whose_workers_time_is_up_goes_on_at_once(world: World, row: PeriodicTask) -> None:
    seen: list[UUID] = []

    def slow(turn: TenantTurn) -> int:
        seen.append(turn.tenant_id)
        turn.mark_reached(new_id(), 2)
        time.sleep(20)
        return 1

    with time_is_up_after(0.5), pytest.raises(SoftTimeLimitExceeded):
        run_round("nap", HOUR, slow)
    assert len(seen) == 1, "this worker has no time for the others"
    run = JobRun.objects.get()
    assert (run.rows, run.errors, run.ended_at, run.reached) == (2, 0, None, None)
    assert run.reached_within is not None
    assert list_jobs_to_continue() == ["jobs.nap"]
    assert run_round("nap", HOUR, lambda turn: 1)
    assert JobRun.objects.get().rows == 4


def test_a_tenant_at_which_every_workers_time_is_up_is_passed_over(world: World) -> None:
    hangs = min(world.acme.tenant.id, world.globex.tenant.id)

    def work(turn: TenantTurn) -> int:
        if turn.tenant_id == hangs:
            raise SoftTimeLimitExceeded
        return 1

    for _ in range(RUN_CONFIG.deaths):
        with pytest.raises(SoftTimeLimitExceeded):
            run_round("nap", DAY, work)
    assert run_round("nap", DAY, work)
    run = JobRun.objects.get()
    assert (run.errors, run.rows, run.ended_at is None) == (1, 1, False)


def test_time_that_is_up_ends_a_job_that_goes_through_the_tenants(world: World) -> None:
    seen: list[UUID] = []

    def work(tenant_id: UUID) -> int:
        seen.append(tenant_id)
        raise SoftTimeLimitExceeded

    with pytest.raises(SoftTimeLimitExceeded):
        run_once("nap", HOUR, lambda: run_for_each_tenant(work))
    assert len(seen) == 1
    assert JobRun.objects.get().ended_at is None


def test_a_worker_that_was_away_for_too_long_stops(world: World) -> None:
    seen: list[UUID] = []
    often = replace(RUN_CONFIG, mark_every=timedelta(0))

    def sleepy(turn: TenantTurn) -> int:
        seen.append(turn.tenant_id)
        JobRun.objects.update(lease_until=timezone.now() - HOUR)
        assert run_round("nap", DAY, lambda other: 1)
        turn.mark_reached(new_id(), 100)
        raise AssertionError("it went on")

    run_round("nap", DAY, sleepy, config=often)
    assert len(seen) == 1
    assert JobRun.objects.get().rows == 2


def test_a_missed_time_of_the_day_is_made_up_for_but_a_first_one_is_beats(row: PeriodicTask) -> None:
    an_hour_ago = timezone.now() - HOUR
    row.interval = None
    row.crontab = CrontabSchedule.objects.create(minute=f"{an_hour_ago.minute}", hour=f"{an_hour_ago.hour}")
    row.save()
    assert list_jobs_to_continue() == []
    JobRun.objects.create(job="nap", scheduled_for=an_hour_ago - DAY, started_at=an_hour_ago, ended_at=an_hour_ago)
    assert list_jobs_to_continue() == ["jobs.nap"]
    assert list_jobs_to_continue(replace(RUN_CONFIG, late=HOUR / 2)) == []
    PeriodicTask.objects.update(enabled=False)
    assert list_jobs_to_continue() == []


def test_a_run_by_hand_has_a_record_of_its_own(world: World) -> None:
    def work(turn: TenantTurn) -> int:
        assert turn.may_go_on()
        turn.mark_reached(new_id(), 2)
        return 1

    assert run_by_hand("nap", work, [world.acme.tenant.id, world.globex.tenant.id]) == RunTally(rows=6)
    assert JobRun.objects.get().job == "nap (by hand)"
    assert run_round("nap", DAY, lambda turn: 1), "the timetable's own run is not spent"


def test_old_records_leave(database: None) -> None:
    for days in (1, 40):
        JobRun.objects.create(job="nap", scheduled_for=timezone.now() - days * DAY, started_at=timezone.now())
    assert forget_old_runs(30 * DAY) == 1
    assert JobRun.objects.count() == 1


def test_a_requested_run_is_taken_once_and_never_beside_another(world: World, row: PeriodicTask) -> None:
    assert run_round("nap", HOUR, lambda turn: 1)
    slot = JobRun.objects.get().scheduled_for
    requested = request_run("nap")
    assert requested is not None
    assert request_run("nap") == requested, "a second click asks for the same run"
    assert list_jobs_to_continue() == ["jobs.nap"], "the task may have been lost"
    under_way: list[JobRun | None] = []
    assert run_round("nap", HOUR, lambda turn: under_way.append(request_run("nap")) or 2)  # type: ignore[func-returns-value]
    assert under_way == [None, None]
    done = JobRun.objects.get(pk=requested.pk)
    assert (done.rows, done.lease_until) == (4, None)
    assert done.ended_at is not None
    assert not run_round("nap", HOUR, lambda turn: 1), "the next slot is due when it was"
    assert done.scheduled_for - slot < timedelta(seconds=1)


def test_a_requested_run_of_the_whole_platform_is_done_once(database: None) -> None:
    assert run_once("nap", DAY, RunTally)
    assert request_run("nap") is not None
    refused: list[JobRun | None] = []
    assert run_once("nap", DAY, lambda: refused.append(request_run("nap")) or RunTally(rows=3))  # type: ignore[func-returns-value]
    assert refused == [None]
    assert not run_once("nap", DAY, RunTally)
    assert [run.rows for run in JobRun.objects.order_by("scheduled_for")] == [0, 3]

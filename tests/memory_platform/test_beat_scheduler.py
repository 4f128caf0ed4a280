"""One timetable: complete, added once, and never against a person's will. Rows: E9."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.utils.module_loading import import_string
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask

from memory_platform.beat_scheduler import sync_schedule
from memory_platform.celery import app
from memory_platform.timetable import TIMETABLE, ScheduledJob
from snapshots.scheduled_job_registry import JOBS
from tenants.services.job_due_times import Daily

SENT_BY_NAME = {f"snapshots.jobs.{name}_job" for name in ("drain_work", "run_asked_jobs", "deliver_webhooks")}
NAMES = [job.name for job in TIMETABLE]


@pytest.fixture(autouse=True)
def empty_schedule(database: None) -> Iterator[None]:
    PeriodicTask.objects.all().delete()
    IntervalSchedule.objects.all().delete()
    yield
    PeriodicTask.objects.all().delete()
    IntervalSchedule.objects.all().delete()
    CrontabSchedule.objects.all().delete()


def test_every_job_is_in_the_timetable_or_has_a_caller() -> None:
    app.loader.import_default_modules()
    ours = {name for name in app.tasks if not name.startswith(("celery.", "tests."))}
    assert ours == {job.runs for job in TIMETABLE} | SENT_BY_NAME
    for name in ours:
        assert import_string(name).name == name


def test_every_job_can_be_previewed_and_run_by_hand() -> None:
    assert set(NAMES) == JOBS


def test_the_first_sync_writes_the_timetable_and_the_second_nothing() -> None:
    assert sync_schedule() == NAMES
    assert sync_schedule() == []
    sweep = PeriodicTask.objects.get(name="sweep-queue")
    assert (sweep.interval.every, sweep.interval.period, sweep.expire_seconds) == (2, "seconds", 2)
    assert sweep.task == "snapshots.jobs.sweep_job"
    assert TIMETABLE[0].why in sweep.description


@pytest.mark.parametrize("change", ["disabled", "slower", "crontab", "described"])
def test_what_a_person_changed_is_never_touched(change: str) -> None:
    sync_schedule()
    row = PeriodicTask.objects.get(name="purge-expired")
    if change == "disabled":
        row.enabled = False
    elif change == "slower":
        row.interval = IntervalSchedule.objects.create(every=7, period=IntervalSchedule.DAYS)
    elif change == "crontab":
        row.interval, row.crontab = None, CrontabSchedule.objects.create(minute="5", timezone="UTC")
    else:
        row.description = "nights only"
    row.save()
    before = PeriodicTask.objects.filter(pk=row.pk).values().get()
    assert sync_schedule() == []
    assert PeriodicTask.objects.filter(pk=row.pk).values().get() == before


def test_a_row_nobody_changed_follows_a_new_default() -> None:
    job = TIMETABLE[-1]
    slower = ScheduledJob(job.name, every=timedelta(seconds=7200), runs=job.runs, why=job.why, owner=job.owner)
    sync_schedule()
    assert sync_schedule([slower]) == [job.name]
    row = PeriodicTask.objects.get(name=job.name)
    assert row.interval.every == 7200
    assert sync_schedule() == [job.name]  # and back


def test_a_daily_job_gets_a_crontab_and_follows_a_new_default() -> None:
    job = replace(TIMETABLE[-1], every=Daily(3, 20))
    assert sync_schedule([job]) == [job.name]
    row = PeriodicTask.objects.get(name=job.name)
    assert (row.interval, row.crontab.hour, row.crontab.minute, str(row.crontab.timezone)) == (None, "3", "20", "UTC")
    assert row.expire_seconds == 12 * 3600
    assert sync_schedule([job]) == []
    assert sync_schedule([replace(job, every=Daily(4))]) == [job.name]
    assert sync_schedule([TIMETABLE[-1]]) == [job.name]
    row.refresh_from_db()
    assert (row.interval.every, row.crontab) == (TIMETABLE[-1].every.total_seconds(), None)  # type: ignore[union-attr]


def test_a_daily_job_that_a_person_moved_stays_there() -> None:
    job = replace(TIMETABLE[-1], every=Daily(3, 20))
    sync_schedule([job])
    row = PeriodicTask.objects.get(name=job.name)
    row.crontab = CrontabSchedule.objects.create(minute="20", hour="3", timezone="Asia/Shanghai")
    row.save()
    assert sync_schedule([replace(job, every=Daily(4))]) == []


def test_the_command_says_what_it_did() -> None:
    said = StringIO()
    call_command("sync_schedule", stdout=said)
    assert said.getvalue().count("written") == len(TIMETABLE)
    call_command("sync_schedule", stdout=said)
    assert said.getvalue().count("as it was") == len(TIMETABLE)

"""Any project's beat can take the timetable, and any worker the jobs. Rows: D12, E9."""

from datetime import timedelta

from celery.schedules import crontab

from memory_platform.celery import app
from memory_platform.timetable import TIMETABLE, make_beat_schedule


def test_beat_gets_every_job_with_its_times() -> None:
    schedule = make_beat_schedule()
    assert [entry["task"] for entry in schedule.values()] == [job.runs for job in TIMETABLE]
    sweep = {"task": "snapshots.jobs.sweep_job", "schedule": timedelta(seconds=2), "options": {"expires": 2}}
    assert schedule["sweep-queue"] == sweep
    daily = schedule["evict-memories"]["schedule"]
    assert isinstance(daily, crontab)
    assert len(daily.hour) == len(daily.minute) == 1


def test_a_job_keeps_its_limits_in_every_celery_app() -> None:
    app.loader.import_default_modules()
    jobs = [app.tasks[job.runs] for job in TIMETABLE] + [app.tasks["snapshots.jobs.drain_work_job"]]
    for job in jobs:
        assert (job.acks_late, job.reject_on_worker_lost, job.ignore_result) == (True, True, True)
        assert (job.soft_time_limit, job.time_limit) == (240, 300)

"""The operator enables, moves and runs jobs, tenant staff see them. Rows: E9, T3, T7."""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.admin import site
from django.contrib.admin.models import LogEntry
from django.test import Client
from django_celery_beat.models import ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask, SolarSchedule

from memory_platform.beat_scheduler import sync_schedule
from memory_platform.console.operation.timetable_screens import UTC, describe_schedule
from memory_platform.kernel.clock import utc_now
from memory_platform.timetable import TIMETABLE
from snapshots.jobs import count_embedding_spaces_job
from snapshots.scheduled_job_registry import COUNT
from tenants.models import JobRun
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff

JOBS = "/console/django_celery_beat/periodictask/"


@pytest.fixture
def job(world: World) -> Iterator[PeriodicTask]:
    every, _ = IntervalSchedule.objects.get_or_create(every=7, period=IntervalSchedule.MINUTES)
    job = PeriodicTask.objects.create(
        name="water-plants", task="jobs.water", interval=every, description="They wilt. (care) [timetable 0123456789ab]"
    )
    yield job
    job.delete()
    every.delete()


@pytest.fixture
def olga(world: World, staff: Staff) -> Client:
    """The operator at acme's desk."""
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    return staff.olga


def is_enabled() -> bool:
    return bool(PeriodicTask.objects.get(name="water-plants").enabled)


def make_job_form(**changes: str) -> dict[str, str]:
    return {"enabled": "on", "every": "7", "unit": "minutes", "reason": "quieter", **changes}


def test_staff_see_the_jobs_and_can_change_nothing(staff: Staff, job: PeriodicTask) -> None:
    for client in (staff.vic, staff.mia):
        page = client.get(JOBS).content.decode()
        assert "water-plants" in page
        assert "every 7 minutes" in page
        assert "They wilt." in page
        assert "run now" not in page
        job_page = client.get(f"{JOBS}{job.pk}/change/").content.decode()
        assert "They wilt." in job_page
        for hidden in ("(care)", "0123456789ab"):
            assert hidden not in page + job_page
        assert client.post(f"{JOBS}{job.pk}/change/", make_job_form()).status_code == 403
        for end in ("delete/", "run/"):
            assert client.post(f"{JOBS}{job.pk}/{end}", {"post": "yes", "reason": "x"}).status_code == 403
        assert client.get(f"{JOBS}add/").status_code == 403
        for action in ("disable", "disable_tasks", "toggle_tasks", "run_tasks", "delete_selected"):
            client.post(JOBS, {"action": action, "_selected_action": [str(job.pk)], "post": "yes", "reason": "x"})
        assert is_enabled()
    assert not JobRun.objects.exists()


def test_staff_see_when_jobs_run_next_and_managers_what_they_would_do(staff: Staff, job: PeriodicTask) -> None:
    sync_schedule()
    preview = 'href="/console/preview/purge-expired/"'
    for client, leads in ((staff.vic, False), (staff.mia, True)):
        page = client.get(JOBS).content.decode()
        days = {f"{utc_now() + timedelta(days=more):%Y-%m-%d}" for more in (0, 1)}
        runs = set(re.findall(r'class="field-render_next_run"><span class="nowrap">(\S+) \d\d:\d\d<', page))
        assert runs and runs <= days
        assert (preview in page) is leads
    PeriodicTask.objects.update(enabled=False)
    assert "disabled" in staff.vic.get(JOBS).content.decode()


def test_the_operator_moves_and_stops_a_job_with_a_reason(olga: Client, job: PeriodicTask) -> None:
    page = f"{JOBS}{job.pk}/change/"
    assert "This field is required" in olga.post(page, make_job_form(reason="")).content.decode()
    assert olga.post(page, make_job_form(every="2", unit="hours")).status_code == 302
    moved = PeriodicTask.objects.select_related("interval").get(pk=job.pk)
    assert (moved.interval.every, moved.interval.period) == (7200, "seconds")
    assert describe_schedule(moved) == "every 2 hours"
    assert (moved.task, moved.description) == (job.task, job.description)
    olga.post(JOBS, {"action": "disable", "_selected_action": [str(job.pk)], "reason": ""})
    assert is_enabled()
    olga.post(JOBS, {"action": "disable", "_selected_action": [str(job.pk)], "reason": "too loud"})
    assert not is_enabled()
    messages = LogEntry.objects.filter(object_id=str(job.pk)).order_by("pk").values_list("change_message", flat=True)
    assert [message.rpartition(": ")[2] for message in messages] == ["quieter", "too loud"]
    assert "olga" in olga.get("/console/admin/logentry/").content.decode()


def test_a_daily_job_is_moved_by_its_time_and_back_to_what_the_timetable_says(olga: Client) -> None:
    sync_schedule()
    row = PeriodicTask.objects.select_related("crontab").filter(crontab__isnull=False).earliest("name")
    before = f"{row.crontab.hour}:{row.crontab.minute}"
    page = f"{JOBS}{row.pk}/change/"
    for wrong in ({"daily_at": "25:00"}, {"daily_at": "4:05", "zone": "Moon/Crater"}):
        assert olga.post(page, {"enabled": "on", "reason": "x", **wrong}).status_code == 200
    zurich = "Europe/Zurich"
    moves = (("4:05", UTC, "daily 04:05"), ("", "", "daily 04:05"), ("5:10", zurich, f"daily 05:10 {zurich}"))
    for at, zone, words in (*moves, (before, UTC, None)):
        assert olga.post(page, {"enabled": "on", "daily_at": at, "zone": zone, "reason": "x"}).status_code == 302
        now = PeriodicTask.objects.select_related("crontab", "interval").get(pk=row.pk)
        assert words is None or describe_schedule(now) == words
    assert sync_schedule() == [], "moved back, it is the timetable's again"
    assert CrontabSchedule.objects.get(pk=row.crontab_id).hour == before.split(":", maxsplit=1)[0]


def test_every_schedule_of_the_timetable_is_said_in_words(olga: Client) -> None:
    sync_schedule()
    rows = PeriodicTask.objects.select_related("interval", "crontab").filter(name__in=[job.name for job in TIMETABLE])
    told = {row.name: describe_schedule(row) for row in rows}
    assert (told["purge-expired"], told["sweep-queue"]) == ("every hour", "every 2 seconds")
    assert all(words.startswith(("every ", "daily ")) for words in told.values())
    assert told.keys() == {job.name for job in TIMETABLE}


def test_a_job_runs_now_for_a_reason_once_and_on_record(olga: Client) -> None:
    sync_schedule()
    row = PeriodicTask.objects.get(name=COUNT)
    page = f"{JOBS}{row.pk}/run/"
    assert row.description.partition(" (")[0] in olga.get(page).content.decode()
    assert olga.post(page, {"reason": " "}).status_code == 200
    assert not JobRun.objects.exists()
    for _ in range(2):
        assert "A worker runs the job" in olga.post(page, {"reason": "ticket 4711"}, follow=True).content.decode()
    run = JobRun.objects.get()
    assert run.ended_at is None
    count_embedding_spaces_job()  # as the worker that gets the task does
    assert JobRun.objects.get(pk=run.pk).ended_at is not None
    JobRun.objects.create(job=COUNT, scheduled_for=utc_now(), started_at=utc_now())
    assert "is under way" in olga.post(page, {"reason": "again"}, follow=True).content.decode()
    messages = LogEntry.objects.filter(object_id=str(run.pk)).values_list("change_message", flat=True)
    assert set(messages) == {"Run now: ticket 4711"}


def test_run_now_leads_to_the_run_which_the_page_follows_to_its_end(olga: Client, staff: Staff) -> None:
    sync_schedule()
    row = PeriodicTask.objects.get(name=COUNT)
    sent = olga.post(f"{JOBS}{row.pk}/run/", {"reason": "工单 4711"})
    run = JobRun.objects.get()
    page = f"/console/tenants/jobrun/{run.pk}/change/"
    assert sent.headers["Location"] == page
    waiting = olga.get(page).content.decode()
    for words in ("Waiting for a worker", "by olga", "工单 4711", "data-reload-ms"):
        assert words in waiting, words
    others = staff.mia.get(page).content.decode()
    assert "by an operator" in others
    assert "工单 4711" not in others, "a reason may tell of another tenant"
    count_embedding_spaces_job()
    over = olga.get(page).content.decode()
    assert "Done" in over
    assert "data-reload-ms" not in over
    assert f"jobrun/{run.pk}/change/" in olga.get("/console/tenants/jobrun/").content.decode(), "also one without rows"
    assert f"jobrun/{run.pk}/change/" in olga.get(JOBS).content.decode()


def test_the_platforms_log_says_what_was_done_and_why(olga: Client, job: PeriodicTask) -> None:
    olga.post(f"{JOBS}{job.pk}/change/", make_job_form(enabled="", reason="太吵"))
    entry = LogEntry.objects.get(object_id=str(job.pk))
    for address in ("/console/admin/logentry/", f"/console/admin/logentry/{entry.pk}/change/"):
        page = olga.get(address).content.decode()
        for words in ("Changed: Enabled", "太吵", "water-plants</bdi>"):
            assert words in page, (address, words)
        assert "View log entry" not in page


def test_nobody_adds_or_deletes_a_job_and_rows_of_schedules_are_not_shown(olga: Client, job: PeriodicTask) -> None:
    assert olga.get(f"{JOBS}add/").status_code == 403
    assert olga.post(f"{JOBS}{job.pk}/delete/", {"post": "yes"}).status_code == 403
    assert "deletelink" not in olga.get(f"{JOBS}{job.pk}/change/").content.decode()
    for model in (IntervalSchedule, CrontabSchedule, SolarSchedule, ClockedSchedule):
        assert not site.is_registered(model)


def test_changes_to_the_platform_are_for_the_operators_eyes(staff: Staff) -> None:
    assert staff.mia.get("/console/admin/logentry/").status_code == 403
    assert staff.mia.get("/console/tenants/jobrun/").status_code == 200

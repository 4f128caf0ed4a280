"""The operator edits the timetable, tenant staff see it. Rows: E9, T3."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.admin import site
from django.contrib.admin.models import LogEntry
from django_celery_beat.models import ClockedSchedule, IntervalSchedule, PeriodicTask, SolarSchedule

from memory_platform.kernel.clock import utc_now
from memory_platform.schedule import sync_schedule
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


def is_enabled() -> bool:
    return bool(PeriodicTask.objects.get(name="water-plants").enabled)


def make_job_form(**changes: str) -> dict[str, str]:
    every = str(IntervalSchedule.objects.get(every=7).pk)
    return {"name": "water-plants", "task": "jobs.water", "interval": every, "args": "[]", "kwargs": "{}", **changes}


def test_staff_see_the_jobs_and_can_change_nothing(staff: Staff, job: PeriodicTask) -> None:
    for client in (staff.vic, staff.mia):
        page = client.get(JOBS).content.decode()
        assert "water-plants" in page
        assert "every 7 minutes" in page
        assert "They wilt. (care)" in page
        assert "0123456789ab" not in page
        job_page = client.get(f"{JOBS}{job.pk}/change/").content.decode()
        assert "They wilt. (care)" in job_page
        assert "0123456789ab" not in job_page
        assert client.post(f"{JOBS}{job.pk}/change/", make_job_form()).status_code == 403
        assert client.post(f"{JOBS}{job.pk}/delete/", {"post": "yes"}).status_code == 403
        assert client.get(f"{JOBS}add/").status_code == 403
        for action in ("disable", "disable_tasks", "toggle_tasks", "run_tasks", "delete_selected"):
            client.post(JOBS, {"action": action, "_selected_action": [str(job.pk)], "post": "yes"})
        assert is_enabled()


def test_staff_see_when_jobs_run_next_and_managers_what_they_would_do(staff: Staff, job: PeriodicTask) -> None:
    sync_schedule()
    preview = 'href="/console/preview/purge-expired/"'
    for client, leads in ((staff.vic, False), (staff.mia, True)):
        page = client.get(JOBS).content.decode()
        assert f'field-upcoming">{utc_now():%Y-%m-%d} ' in page or f"{utc_now() + timedelta(days=1):%Y-%m-%d} " in page
        assert (preview in page) is leads
    PeriodicTask.objects.update(enabled=False)
    assert "disabled" in staff.vic.get(JOBS).content.decode()


def test_the_operator_changes_a_job_and_it_is_recorded(world: World, staff: Staff, job: PeriodicTask) -> None:
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    assert staff.olga.post(f"{JOBS}{job.pk}/change/", make_job_form(description="moved")).status_code == 302
    assert PeriodicTask.objects.get(pk=job.pk).description == "moved"
    assert not is_enabled()  # the box was left empty
    staff.olga.post(JOBS, {"action": "enable", "_selected_action": [str(job.pk)]})
    assert is_enabled()
    staff.olga.post(JOBS, {"action": "disable", "_selected_action": [str(job.pk)]})
    assert not is_enabled()
    assert LogEntry.objects.filter(object_id=str(job.pk)).count() == 3
    assert "olga" in staff.olga.get("/console/admin/logentry/").content.decode()


def test_kinds_of_schedule_that_nothing_uses_are_not_offered(staff: Staff) -> None:
    assert not site.is_registered(SolarSchedule)
    assert not site.is_registered(ClockedSchedule)
    for model in ("intervalschedule", "crontabschedule"):
        assert staff.sam.get(f"/console/django_celery_beat/{model}/").status_code == 200
        assert staff.sam.get(f"/console/django_celery_beat/{model}/add/").status_code == 403


def test_changes_to_the_platform_are_for_the_operators_eyes(staff: Staff) -> None:
    assert staff.mia.get("/console/admin/logentry/").status_code == 403
    assert staff.mia.get("/console/tenants/jobrun/").status_code == 200


def test_a_job_whose_task_is_refused_is_asked_for_again(world: World, staff: Staff) -> None:
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    answer = staff.olga.post(f"{JOBS}add/", {"name": "x", "task": "a\x00b"})
    assert answer.status_code == 200
    assert "Need name of task" in answer.content.decode()

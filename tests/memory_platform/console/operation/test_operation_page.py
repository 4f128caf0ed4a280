"""What the operator sees of workers, beat, queue and jobs; previews without doing them. Rows: D2, E6, E9, T3."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from celery import current_app
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_celery_beat.models import PeriodicTask

from memory_platform.beat_scheduler import sync_schedule
from memory_platform.console.operation import job_previews
from memory_platform.console.operation.job_previews import find_next_runs
from memory_platform.console.operation.operation_page import ask_workers
from memory_platform.console.shared.config import OPERATION_PAGE
from memory_platform.kernel.clock import utc_now
from snapshots.lifecycle.retention.purge import forecast_purge
from snapshots.models import Job, Receipt, Snapshot, Work
from snapshots.queue.metrics import count_work_by_tenant, record_sweep
from snapshots.scheduled_job_registry import CARE, WHOLE
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, JobRun
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff, log_in
from tests.memory_platform.console.rows import make_one_of_each
from tests.snapshots.queue.world import post_messages

PAGE = "/console/operation/"
PREVIEW = "/console/preview/purge-expired/"
FORECAST = "/console/forecast/"


@pytest.fixture
def at_acme(world: World, staff: Staff) -> Staff:
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    sync_schedule()
    return staff


def test_the_operator_sees_that_nobody_works_and_what_waits(world: World, at_acme: Staff) -> None:
    post_messages(world.acme.tenant.id, world.acme.subject, 4)
    with tenant_tx(world.acme.tenant.id):
        dead = Work.objects.order_by("position").values_list("id")[:3]
        Work.objects.filter(id__in=[row for (row,) in dead]).update(state="dead", error_code="boom")
    record_sweep()
    acme, globex = sorted(count_work_by_tenant(), key=lambda row: row.tenant_id != world.acme.tenant.id)
    assert (acme.waiting, acme.dead, globex.waiting, globex.dead) == (5, 3, 0, 0)
    assert acme.oldest_seconds is not None
    failed = JobRun.objects.create(
        job="purge-expired", scheduled_for=timezone.now(), started_at=timezone.now(), ended_at=timezone.now(), errors=2
    )
    page = at_acme.olga.get(PAGE).content.decode()
    assert "No worker answered in time." in page
    assert " s ago</b>" in page
    assert f"run={failed.pk}" in page, "what the log calls the run"
    assert f'href="/console/tenants/tenant/{world.acme.tenant.pk}/change/"' in page
    assert "Deletes data within two hours" in page
    assert "every hour" in page
    assert '<td class="number">5</td>' in page
    assert all(f'<span class="faint">{slug}</span>' in page for slug in ("acme", "globex"))
    assert "2 tenants failed" in page
    jobs = PeriodicTask.objects.count()
    assert f"1 of {jobs} jobs needs a look" in page
    assert "archive-messages" not in page, "what is well stands in the timetable"
    JobRun.objects.update(errors=0)
    assert f"None of the {jobs} jobs failed in its last run." in at_acme.olga.get(PAGE).content.decode()
    leading = f'<input type="hidden" name="tenant" value="{world.acme.tenant.pk}">'
    assert leading in page, "the number of failed items leads to the tenant"


def test_a_broker_that_is_away_is_said_to_be_away_in_time(world: World) -> None:
    away = "redis://127.0.0.1:9/0"
    held, current_app.conf.broker_write_url = current_app.conf.broker_write_url, away
    started = utc_now()
    try:
        assert ask_workers() is None
    finally:
        current_app.conf.broker_write_url = held
    assert utc_now() - started < timedelta(seconds=3)


def test_the_page_is_for_the_operator_alone(at_acme: Staff) -> None:
    assert [one.get(PAGE).status_code for one in (at_acme.mia, at_acme.sam, at_acme.gus)] == [403, 403, 403]
    refused = at_acme.sam.get(PAGE).content.decode()
    assert "Only a platform operator may see this page." in refused
    assert "A manager of the tenant" not in refused
    assert "A manager of the tenant" in at_acme.sam.get("/console/dashboard/").content.decode()
    assert PAGE in at_acme.olga.get("/console/").content.decode()
    assert PAGE not in at_acme.mia.get("/console/").content.decode()
    assert at_acme.olga.post(PAGE).status_code == 405


def test_a_forecast_tells_by_day_what_will_leave(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        rows = make_one_of_each("花生")
        Snapshot.objects.filter(id=rows[Snapshot].pk).update(expires_at=utc_now() + timedelta(days=2, hours=12))
        Receipt.objects.filter(id=rows[Receipt].pk).update(created_at=utc_now() - timedelta(days=6, hours=12))
        found = forecast_purge(7)
    assert found["snapshots"] == [0, 0, 0, 1, 0, 0, 0, 0]
    assert found["receipt_texts"] == [0, 1, 0, 0, 0, 0, 0, 0]
    foreseen = dict(CARE["purge-expired"].preview(world.acme.tenant.id).counts)
    assert {kind: counts[0] for kind, counts in found.items()} == foreseen


@pytest.mark.slow
def test_a_preview_does_nothing_and_is_recorded(world: World, at_acme: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        rows = make_one_of_each("peanuts")
        Snapshot.objects.filter(id=rows[Snapshot].pk).update(expires_at=utc_now() - timedelta(days=1))
    mia = at_acme.mia
    with CaptureQueriesContext(connection) as asked:
        page = mia.get(PREVIEW)
    assert page.status_code == 200
    assert len(asked) <= 45
    assert "Nothing was changed." in page.content.decode()
    with tenant_tx(world.acme.tenant.id):
        assert Snapshot.objects.filter(id=rows[Snapshot].pk).exists()
        assert AuditRecord.objects.get(action="job.previewed").object_id == "purge-expired"
    for job in sorted(CARE):
        assert at_acme.mia.get(f"/console/preview/{job}/").status_code == 200, job
    assert at_acme.mia.get("/console/preview/water-plants/").status_code == 404
    for job in sorted(WHOLE):
        assert at_acme.mia.get(f"/console/preview/{job}/").status_code == 403, job
        assert "the whole platform" in at_acme.olga.get(f"/console/preview/{job}/").content.decode(), job
    assert [one.get(PREVIEW).status_code for one in (at_acme.sam, at_acme.vic, at_acme.gus)] == [403, 403, 403]


def test_numbers_need_no_support_session(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        make_one_of_each("peanuts 花生")
        Snapshot.objects.update(expires_at=utc_now() + timedelta(days=2, hours=12))
    operator = log_in("oscar")
    # No tenant is chosen yet: the platform's jobs belong to none.
    for job in sorted(WHOLE):
        assert "the whole platform" in operator.get(f"/console/preview/{job}/").content.decode(), job
    choice = operator.get(PREVIEW, follow=True).content.decode()
    assert f'name="next" value="{PREVIEW}"' in choice, "the job is one of a tenant's"
    chosen = operator.post("/console/switch/", {"tenant": str(world.acme.tenant.id), "next": PREVIEW})
    assert chosen["Location"] == PREVIEW
    for job in sorted({*CARE, *WHOLE}):
        answer = operator.get(f"/console/preview/{job}/")
        assert answer.status_code == 200, job
        assert "peanuts" not in answer.content.decode(), job
    assert "Rows due for deletion, at current settings." in operator.get(PREVIEW).content.decode()


def test_examples_of_a_preview_need_a_support_session(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        rows = make_one_of_each("peanuts 花生")
        Work.objects.update(state="done")
        Job.objects.update(status="queued", due_at=utc_now() - timedelta(hours=1))
    job, operator = "sweep-asked-jobs", log_in("oscar")
    operator.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    page = operator.get(f"/console/preview/{job}/").content.decode()
    assert str(rows[Job].pk) not in page
    address = f"/console/tenants/supportsession/start/?next=%2Fconsole%2Fpreview%2F{job}%2F"
    assert address in page
    operator.post(address, {"reason": "ticket", "minutes": "30", "next": f"/console/preview/{job}/"})
    page = operator.get(f"/console/preview/{job}/").content.decode()
    assert str(rows[Job].pk) in page
    assert "support-banner" in page


def test_the_forecast_of_all_tenants_is_a_sum_for_operators(
    world: World, at_acme: Staff, monkeypatch: pytest.MonkeyPatch
) -> None:
    for house, days in ((world.acme, 2), (world.globex, 2), (world.globex, 5)):
        with tenant_tx(house.tenant.id):
            row = make_one_of_each("peanuts", days)[Snapshot]
            Snapshot.objects.filter(id=row.pk).update(expires_at=utc_now() + timedelta(days=days, hours=12))
    operator = log_in("oscar")
    page = operator.get(FORECAST).content.decode()
    row = page.partition('<th scope="row">snapshots</th>')[2].partition("</tr>")[0]
    assert re.findall(r'"number">(\d*)<', row) == ["", "", "", "2", "", "", "1", "", "3"]
    assert f"{utc_now() + timedelta(days=3):%m-%d}" in page
    assert re.search(r"\d+ rows are due for deletion by the end of these days, in 2 tenants together", page)
    assert "/console/preview/purge-expired/" in page
    assert "peanuts" not in page
    assert [one.get(FORECAST).status_code for one in (at_acme.mia, at_acme.sam, at_acme.gus)] == [403] * 3
    assert at_acme.olga.post(FORECAST).status_code == 405
    monkeypatch.setattr(job_previews, "OPERATION_PAGE", replace(OPERATION_PAGE, forecast_s=-1.0))
    assert "Only 1 of 2 tenants were counted in time." in operator.get(FORECAST).content.decode()


def test_the_next_runs_follow_the_timetable(world: World) -> None:
    sync_schedule()
    daily = PeriodicTask.objects.select_related("crontab").filter(crontab__isnull=False).first()
    hourly = PeriodicTask.objects.select_related("interval").get(name="purge-expired")
    assert daily
    assert daily.crontab
    runs = list(find_next_runs(daily, 3))
    assert [later - sooner for sooner, later in pairwise(runs)] == [timedelta(days=1)] * 2
    assert runs[0] > utc_now()
    assert {(run.hour, run.minute) for run in runs} == {(int(daily.crontab.hour), int(daily.crontab.minute))}
    hourly.last_run_at = datetime(2026, 1, 1, tzinfo=UTC)
    soon = list(find_next_runs(hourly, 2))
    assert soon[1] - soon[0] == timedelta(hours=1)
    assert soon[0] - utc_now() < timedelta(seconds=5)
    hourly.enabled = False
    assert list(find_next_runs(hourly)) == []

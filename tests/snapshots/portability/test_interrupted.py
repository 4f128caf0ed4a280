"""Imports and exports that something comes between. Rows: D1, E8. Matrix: 57."""

from typing import Any

import pytest

from profiles.models import Subject
from snapshots.jobs import ASKED
from snapshots.models import Job, JobPart
from snapshots.portability import import_job
from snapshots.portability.export import export_lines
from snapshots.queue.requested_jobs import claim_job, run_due_jobs
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of
from tests.snapshots.portability.exporting import ADA, LINES, export, fill_and_export, write_lines

Lines = list[dict[str, Any]]


@pytest.mark.slow
def test_a_worker_that_dies_is_followed_by_the_next(
    acme: Caller, world: World, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    response = acme("POST", "/v1/import", write_lines(lines), Content_Type=LINES)
    real, done = import_job._store_part, list[None]()

    def dies_after_three(*args: Any) -> None:
        if len(done) == 3:
            raise KeyboardInterrupt
        real(*args)
        done.append(None)

    monkeypatch.setattr(import_job, "_store_part", dies_after_three)
    with pytest.raises(KeyboardInterrupt):
        run_due_jobs(world.acme.tenant.id, ASKED, may_go_on=lambda: True)
    monkeypatch.setattr(import_job, "_store_part", real)
    with tenant_tx(world.acme.tenant.id):
        assert claim_job() is None  # its lease still runs
        left = JobPart.objects.count()
        Job.objects.update(lease_until="2020-01-01T00:00:00Z")
    assert left

    run_due_jobs(world.acme.tenant.id, ASKED, may_go_on=lambda: True)

    job = body_of(acme("GET", f"/v1/jobs/{body_of(response)['job_id']}"))
    assert (job["status"], job["attempts"]) == ("succeeded", 2)
    assert len(export(acme)) == len(lines)
    with tenant_tx(world.acme.tenant.id):
        assert JobPart.objects.count() == 0


@pytest.mark.slow
def test_an_erased_subject_s_waiting_import_is_erased_with_it(acme: Caller, world: World, lines: Lines) -> None:
    acme("POST", "/v1/import?subject_id=bea", write_lines(lines), Content_Type=LINES)
    acme("DELETE", "/v1/subjects/bea")

    run_due_jobs(world.acme.tenant.id, ASKED, may_go_on=lambda: True)

    with tenant_tx(world.acme.tenant.id):
        assert not JobPart.objects.exists()
        assert not Subject.objects.filter(external_id="bea").exists()


@pytest.mark.slow
def test_an_export_that_meets_an_erasure_ends_without_its_last_line(acme: Caller, world: World) -> None:
    fill_and_export(acme)
    lines = export_lines(world.acme.tenant.id, "ada")
    first = [next(lines), next(lines)]
    acme("DELETE", ADA)

    rest = list(lines)

    assert len(first) == 2
    assert b'"end"' not in b"".join(rest)


@pytest.mark.slow
def test_an_import_is_repeated_by_its_key(acme: Caller, world: World, lines: Lines) -> None:
    first, second = (acme("POST", "/v1/import", {"lines": lines}, Idempotency_Key="i") for _ in "12")
    assert body_of(first) == body_of(second)
    assert second["Idempotent-Replayed"] == "true"
    with tenant_tx(world.acme.tenant.id):
        assert Job.objects.filter(kind="import").count() == 1

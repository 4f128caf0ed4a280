"""A worker without time puts an asked job back. Rows: E8. Matrix: 35."""

import time
from uuid import UUID

import pytest
from celery.exceptions import SoftTimeLimitExceeded

from snapshots.config import JOB_CONFIG
from snapshots.models import Job, JobKind, JobStatus
from snapshots.queue.requested_jobs import add_job, advance_job, claim_job, run_due_jobs
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.time_limit import time_is_up_after


@pytest.fixture
def tenant_id(world: World) -> UUID:
    with tenant_tx(world.acme.tenant.id):
        for _ in range(2):
            add_job(JobKind.IMPORT, {}, total=10)
    return world.acme.tenant.id


def test_a_job_that_got_on_is_due_again_with_all_its_attempts(tenant_id: UUID) -> None:
    begun: list[Job] = []

    def slow(tenant_id: UUID, job: Job) -> None:
        begun.append(job)
        with tenant_tx(tenant_id):
            advance_job(job, done=3)
        time.sleep(20)

    with time_is_up_after(0.5), pytest.raises(SoftTimeLimitExceeded):
        run_due_jobs(tenant_id, {JobKind.IMPORT: slow}, may_go_on=lambda: True)
    assert len(begun) == 1, "this worker has no time for the next job"
    with tenant_tx(tenant_id):
        job = Job.objects.get(id=begun[0].id)
        assert (job.status, job.done, job.attempts, job.error_code) == (JobStatus.QUEUED, 3, 0, "")
        assert {claim_job(), claim_job(), claim_job()} == {*Job.objects.all(), None}


def test_a_job_that_never_gets_on_is_given_up(tenant_id: UUID) -> None:
    def stuck(tenant_id: UUID, job: Job) -> None:
        raise SoftTimeLimitExceeded

    with tenant_tx(tenant_id):
        Job.objects.update(attempts=JOB_CONFIG.attempts - 1)
    for _ in range(2):
        with pytest.raises(SoftTimeLimitExceeded):
            run_due_jobs(tenant_id, {JobKind.IMPORT: stuck}, may_go_on=lambda: True)
    with tenant_tx(tenant_id):
        assert set(Job.objects.values_list("status", "error_code")) == {(JobStatus.DEAD, "time_limit")}

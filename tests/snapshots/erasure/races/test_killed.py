"""A worker killed in the middle of a transaction that erases: the next one finishes, the counts are true. Rows: E8.

Matrix: 57.
"""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.db import connection
from psycopg.conninfo import make_conninfo

from profiles.models import Erasure
from snapshots.erasure.config import ErasureConfig
from snapshots.erasure.subjects import erase_subject
from snapshots.jobs import ASKED, drain_work_job
from snapshots.models import Job, Message
from snapshots.queue.requested_jobs import run_due_jobs
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import World
from tests.memory_platform.api.wall import rows_of
from tests.snapshots.held import say

pytestmark = pytest.mark.processes

ROOT = Path(__file__).parents[4]
CANARY = "Kestrel4711"
STALLED = "stalled"
WORKER = f"""
import sys, time, django
django.setup()
from uuid import UUID
from snapshots.erasure import subjects
from snapshots.erasure.config import ErasureConfig
from snapshots.queue.requested_jobs import claim_job
from tenants.isolation import tenant_tx

tenant_id, real, batches = UUID(sys.argv[1]), subjects.advance_job, []

def stall(job, **steps):
    real(job, **steps)
    batches.append(steps)
    if sum(one["done"] for one in batches) >= 12:
        print("{STALLED}", flush=True)  # the rows are deleted, the transaction is open
        time.sleep(120)

subjects.advance_job = stall
with tenant_tx(tenant_id):
    job = claim_job()
subjects.run_erasure(tenant_id, job, ErasureConfig(batch=2))
"""


@pytest.mark.slow
def test_a_killed_worker_s_erasure_is_finished_by_the_next(world: World) -> None:
    house = world.acme
    say(house, *(f"{CANARY} is number {number}" for number in range(9)))
    drain_work_job(tenant_id=str(house.tenant.id))
    with tenant_tx(house.tenant.id):
        messages = Message.objects.count()
    erase_subject(house.tenant.id, "ada", by=COMMAND_LINE, config=ErasureConfig(at_once_rows=0))
    database = make_conninfo(os.environ["DATABASE_URL"], dbname=str(connection.settings_dict["NAME"]))
    settings = {"DATABASE_URL": database, "DJANGO_SETTINGS_MODULE": "memory_platform.settings"}
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER, str(house.tenant.id)],
        cwd=ROOT,
        env=os.environ | settings,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert worker.stdout is not None
    assert STALLED in worker.stdout.readline()
    worker.kill()
    worker.wait(20)
    with tenant_tx(house.tenant.id):
        assert Message.objects.count() > 0
        Job.objects.update(lease_until=datetime(2020, 1, 1, tzinfo=UTC))

    run_due_jobs(house.tenant.id, ASKED, may_go_on=lambda: True)

    with tenant_tx(house.tenant.id):
        erasure, job = Erasure.objects.get(), Job.objects.get()
    assert (erasure.state, erasure.verified["rows_left"], erasure.erased["message"]) == ("done", {}, messages)
    assert (job.status, job.attempts) == ("succeeded", 2)
    assert not any(CANARY in row for rows in rows_of(house.tenant.id).values() for row in rows)

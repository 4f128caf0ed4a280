"""A job that was given up gets another chance over the API, once, and no other job does. Rows: C3, E8."""

from typing import Any
from uuid import UUID

from django.db.models.functions import Now

from snapshots.jobs import ASKED
from snapshots.models import Job, WorkKind
from snapshots.queue.config import QueueConfig
from snapshots.queue.draining.drain import drain_work
from snapshots.queue.requested_jobs import run_due_jobs
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, problem_of
from tests.snapshots.queue.world import handlers, raising
from tests.snapshots.understanding.making import settle

ADA = "/v1/subjects/ada"
LINES = "application/x-ndjson"
NOBODYS = "/v1/jobs/00000000-0000-4000-8000-000000000000/retry"


def fail_all_jobs(tenant_id: UUID) -> None:
    """Have the worker fail at every job until each is dead."""

    def fails(_: UUID, job: Job) -> None:
        raise ValueError(job.kind)

    for _ in range(20):
        with tenant_tx(tenant_id):
            if not Job.objects.exclude(status="dead").update(due_at=Now()):
                return
        run_due_jobs(tenant_id, dict.fromkeys(ASKED, fails), may_go_on=lambda: True)
    raise AssertionError("it is tried for ever")


def test_a_dead_import_is_retried_and_then_done(acme: Caller, globex: Caller, world: World) -> None:
    acme("PATCH", f"{ADA}/profile", {"name": "Ada"})
    lines = acme("GET", f"{ADA}/export").content
    place = f"/v1/jobs/{body_of(acme('POST', '/v1/import', lines, Content_Type=LINES))['job_id']}"
    assert problem_of(acme("POST", f"{place}/retry", {}), 409)["code"] == "job_not_dead"
    fail_all_jobs(world.acme.tenant.id)
    dead = body_of(acme("GET", place))
    assert (dead["status"], dead["error"]) == ("dead", {"code": "ValueError", "detail": None})

    theirs, unknown = (problem_of(globex("POST", path, {}), 404) for path in (f"{place}/retry", NOBODYS))
    assert {**theirs, "request_id": ""} == {**unknown, "request_id": ""}
    again = acme("POST", f"{place}/retry", {})
    assert again.status_code == 202
    assert job_state(body_of(again)) == ("queued", 0, None)
    assert problem_of(acme("POST", f"{place}/retry", {}), 409)["code"] == "job_not_dead"

    run_due_jobs(world.acme.tenant.id, ASKED, may_go_on=lambda: True)
    assert job_state(body_of(acme("GET", place))) == ("succeeded", 1, None)


def test_the_dead_end_of_a_conversation_is_retried_too(acme: Caller, world: World) -> None:
    acme("POST", f"{ADA}/conversations/trip/messages", {"messages": [{"role": "user", "content": "帮我订机票"}]})
    settle(world.acme)
    place = f"/v1/jobs/{body_of(acme('POST', f'{ADA}/conversations/trip/end'))['job_id']}"
    broken = handlers(raising(lambda item: item.kind == WorkKind.CONVERSATION, ValueError()))
    drain_work(world.acme.tenant.id, broken, config=QueueConfig(attempts=1))
    assert body_of(acme("GET", place))["status"] == "dead"

    again = acme("POST", f"{place}/retry", {})
    assert again.status_code == 202
    assert job_state(body_of(again)) == ("queued", 0, None)
    settle(world.acme)
    assert body_of(acme("GET", place))["result"] == {"snapshots": 0, "reason": "no_tool_call"}


def job_state(job: dict[str, Any]) -> tuple[str, int, object]:
    return job["status"], job["attempts"], job["error"]

"""Exports of a subject with a memory of every kind, and imports of them."""

import re
from typing import Any
from uuid import UUID

import orjson

from profiles.models import Subject
from snapshots.jobs import ASKED, drain_work_job
from snapshots.portability.line_kinds import IdMapping
from snapshots.queue.requested_jobs import run_due_jobs
from tenants.isolation import tenant_tx
from tests.conftest import House
from tests.memory_platform.api.conftest import Caller, body_of
from tests.memory_platform.api.wall import seed

ADA = "/v1/subjects/ada"
LINES = "application/x-ndjson"
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def export(caller: Caller, subject_id: str = "ada") -> list[dict[str, Any]]:
    response = caller("GET", f"/v1/subjects/{subject_id}/export")
    assert response.status_code == 200, response.content
    assert response["Content-Type"] == LINES
    return [orjson.loads(line) for line in response.content.splitlines()]


def write_lines(lines: list[dict[str, Any]]) -> bytes:
    return b"\n".join(orjson.dumps(line) for line in lines)


def take_back(caller: Caller, lines: list[dict[str, Any]], query: str = "") -> dict[str, Any]:
    """Import, let the workers work, and return the job."""
    response = caller("POST", f"/v1/import{query}", write_lines(lines), Content_Type=LINES)
    assert response.status_code == 202, response.content
    assert caller.house is not None
    run_due_jobs(caller.house.tenant.id, ASKED, may_go_on=lambda: True)
    return body_of(caller("GET", f"/v1/jobs/{body_of(response)['job_id']}"))


def fill_and_export(caller: Caller) -> list[dict[str, Any]]:
    """Give ada a memory of every kind, and return her export."""
    assert caller.house is not None
    seed(caller)
    early = {"message_id": "e1", "role": "user", "content": "My piano is tuned tomorrow."}
    early["said_at"] = "2026-05-08T07:00:00+08:00"
    caller("POST", f"{ADA}/conversations/c1/messages", {"messages": [early]})
    drain_work_job(tenant_id=str(caller.house.tenant.id))
    caller("POST", f"{ADA}/conversations/c1/end", {})
    drain_work_job(tenant_id=str(caller.house.tenant.id))
    return export(caller)


def rename_lines(lines: list[dict[str, Any]], renaming: IdMapping) -> list[str]:
    """Return the lines between subject and end as they are to come back, in no order."""

    def here(match: re.Match[str]) -> str:
        return str(renaming.map_id(UUID(match[0])))

    return sorted(ID.sub(here, orjson.dumps(line, option=orjson.OPT_SORT_KEYS).decode()) for line in lines[2:-1])


def sort_lines(lines: list[dict[str, Any]]) -> list[str]:
    return sorted(orjson.dumps(line, option=orjson.OPT_SORT_KEYS).decode() for line in lines[2:-1])


def ada_of(house: House) -> Subject:
    with tenant_tx(house.tenant.id):
        return Subject.objects.get(external_id="ada")

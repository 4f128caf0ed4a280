"""A manager takes the audit trail out of the console as a file that checks. Rows: D14, D2, T1, T3, T7."""

from typing import Any

import orjson
import pytest
from django.test import Client

from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tenants.services.audit_export import check_file
from tests.conftest import House, World
from tests.memory_platform.console.conftest import Staff
from tests.tenants.services.audit_trail import list_records, run_as_owner

EXPORT, TRAIL = "/console/tenants/auditrecord/export/", "/console/tenants/auditrecord/"


def download(client: Client, **given: Any) -> list[bytes]:
    answer: Any = client.post(EXPORT, {"days": 7, "reason": "ticket 4711", **given})
    assert answer.status_code == 200
    assert answer.streaming
    assert answer["Content-Type"] == "application/x-ndjson"
    assert answer["Cache-Control"] == "no-store"
    assert answer["Content-Disposition"].startswith('attachment; filename="audit-acme-')
    return b"".join(answer.streaming_content).splitlines(keepends=True)


def list_exports(house: House) -> list[tuple[str, str]]:
    with tenant_tx(house.tenant.id):
        exported = AuditRecord.objects.filter(action="audit.exported").order_by("at")
        return list(exported.values_list("object_id", "reason"))


def test_a_manager_exports_the_trail_and_the_export_is_in_it(world: World, staff: Staff) -> None:
    assert EXPORT in staff.mia.get(TRAIL).content.decode()
    lines = download(staff.mia)
    records = [orjson.loads(line)["record"] for line in lines[1:-1]]
    assert check_file(lines).count == len(list_records(world.acme))
    assert records[-1]["action"] == "audit.exported"
    assert list_exports(world.acme) == [("7 days", "ticket 4711")]
    assert {record["tenant_id"] for record in records} == {str(world.acme.tenant.id)}
    assert list_exports(world.globex) == []


def test_an_export_needs_a_reason_and_a_period_that_is_offered(world: World, staff: Staff) -> None:
    for wrong in ({"reason": ""}, {"reason": "  "}, {"days": 8}, {"days": "all"}, {"days": ""}):
        answer: Any = staff.mia.post(EXPORT, {"days": 7, "reason": "because", **wrong})
        assert answer.status_code == 200, wrong
        assert not answer.streaming, wrong
        assert "errorlist" in answer.content.decode(), wrong
    assert list_exports(world.acme) == []


@pytest.mark.parametrize("name", ["vic", "sam", "gus"])
def test_only_managers_export(world: World, staff: Staff, name: str) -> None:
    client = getattr(staff, name)
    for answer in (client.get(EXPORT), client.post(EXPORT, {"days": 7, "reason": "because"})):
        assert answer.status_code == 403
    assert list_exports(world.acme) == list_exports(world.globex) == []


def test_the_page_shows_its_form_in_the_console(staff: Staff) -> None:
    page = staff.mia.get(EXPORT).content.decode()
    assert "the last 90 days" in page
    assert 'name="reason"' in page


def test_a_trail_that_was_changed_in_the_database_says_so_in_the_file(world: World, staff: Staff) -> None:
    download(staff.mia)
    run_as_owner(world.acme, "UPDATE audit_record SET reason = 'x' WHERE action = 'audit.exported'")
    last = orjson.loads(download(staff.mia)[-1])
    assert last["kind"] == "stopped"
    assert "is not what seal 1" in last["why"]

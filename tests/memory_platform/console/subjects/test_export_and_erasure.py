"""Taking a person's data along, and erasing the person. Rows: E8, D1, D2, T3, T7."""

import json
from uuid import uuid4

import pytest

from profiles.models import Erasure, Subject
from profiles.services.certificates import is_genuine
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.rows import make_one_of_each


@pytest.fixture
def ann(world: World) -> Subject:
    with tenant_tx(world.acme.tenant.id):
        subject: Subject = make_one_of_each("花生 ann")[Subject]
    return subject


def page_of(subject: Subject, verb: str) -> str:
    return f"/console/profiles/subject/{subject.pk}/{verb}/"


def is_there(world: World, subject: Subject) -> bool:
    with tenant_tx(world.acme.tenant.id):
        return Subject.objects.filter(external_id=subject.external_id).exists()


def test_support_exports_all_of_it_with_a_reason_and_a_viewer_does_not(
    world: World, staff: Staff, ann: Subject
) -> None:
    page = page_of(ann, "export")
    assert staff.vic.post(page, {"reason": "curious"}).status_code == 403
    assert "attachment" not in staff.sam.post(page, {"reason": ""}).headers.get("Content-Disposition", "")
    answer = staff.sam.post(page, {"reason": "asked by the person"})
    assert answer["Content-Disposition"] == f'attachment; filename="subject-{ann.pk}.ndjson"'
    lines = [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]  # type: ignore[attr-defined]
    assert lines[0]["type"] == "header"
    assert lines[1]["subject_id"] == ann.external_id
    assert lines[-1]["type"] == "end"
    with tenant_tx(world.acme.tenant.id):
        record = AuditRecord.objects.get(action="subject.exported")
    assert (record.subject_ref, record.reason) == (ann.pk, "asked by the person")


def test_a_manager_erases_a_person_by_typing_the_id_and_gets_a_certificate(
    world: World, staff: Staff, ann: Subject
) -> None:
    page = page_of(ann, "erase")
    assert ann.external_id in staff.mia.get(page).content.decode()
    sent = {"typed": ann.external_id, "reason": "asked by the person"}
    shown = staff.mia.post(page, sent, follow=True)
    assert "This is the certificate" in shown.content.decode()
    assert not is_there(world, ann)
    with tenant_tx(world.acme.tenant.id):
        erasure = Erasure.objects.get(scope="subject", reason="asked by the person")
    address = f"/console/profiles/erasure/{erasure.pk}/certificate.json"
    certificate = json.loads(staff.mia.get(address).content)
    assert is_genuine(certificate)
    assert not is_genuine(certificate | {"erased": {}})
    assert ann.external_id not in json.dumps(certificate, ensure_ascii=False)
    assert staff.gus.get(address).status_code == 404
    assert staff.mia.post(page, sent).status_code == 404  # sent twice


@pytest.mark.parametrize(
    "wrong", [{"typed": ""}, {"typed": "花生 ann"}, {"typed": "花生 ann-0 "}, {"reason": ""}, {"reason": "  "}]
)
def test_a_slip_of_the_hand_erases_nobody(world: World, staff: Staff, ann: Subject, wrong: dict[str, str]) -> None:
    sent = {"typed": ann.external_id, "reason": "asked by the person"} | wrong
    assert staff.mia.post(page_of(ann, "erase"), sent).status_code == 200
    assert is_there(world, ann)


def test_nobody_else_erases_and_no_button_says_so(world: World, staff: Staff, ann: Subject) -> None:
    sent = {"typed": ann.external_id, "reason": "x"}
    for client, exports in ((staff.sam, True), (staff.vic, False)):
        assert client.post(page_of(ann, "erase"), sent).status_code == 403
        shown = client.get(page_of(ann, "change")).content.decode()
        assert page_of(ann, "erase") not in shown
        assert (page_of(ann, "export") in shown) is exports
    assert page_of(ann, "erase") in staff.mia.get(page_of(ann, "change")).content.decode()
    assert is_there(world, ann)
    with tenant_tx(world.acme.tenant.id):
        refused = AuditRecord.objects.filter(refused=True, object_kind="profiles_subject_erase")
        assert {record.object_id for record in refused} == {str(ann.pk)}


def test_what_is_another_tenants_is_not_found_like_what_nobody_has(world: World, staff: Staff, ann: Subject) -> None:
    for key in (ann.pk, uuid4()):
        sent = {"typed": ann.external_id, "reason": "x"}
        assert staff.gus.post(f"/console/profiles/subject/{key}/export/", sent).status_code == 404
    assert is_there(world, ann)

"""What waits for a person is decided in the console, with the words in sight. Rows: E2, D2, T7."""

import re
from typing import Any

import pytest

from profiles.models import Candidate, Subject
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.snapshots.understanding.making import preferences, say, settle

CANDIDATES = "/console/profiles/candidate/"
REASON = "asked her on the phone"
COOL, WARM = {"value": 22, "unit": "°C"}, {"value": 26, "unit": "°C"}


@pytest.fixture
def waiting(world: World) -> Candidate:
    """One that waits, and newer ones that do not."""
    say(
        world.acme,
        "I think I like the AC at 22 degrees",
        "Hi! <b>空调好像26度最舒服</b>。",
        "空调好像26度最舒服",
        "I love jazz.",
    )
    settle(world.acme)
    with tenant_tx(world.acme.tenant.id):
        return Candidate.objects.filter(verdict="pending").latest("created_at")


def decide_candidate(client: object, action: str, *rows: Candidate, reason: str = REASON) -> str:
    body = {"action": action, "_selected_action": [str(row.pk) for row in rows], "reason": reason}
    return str(client.post(CANDIDATES, body, follow=True).content.decode())  # type: ignore[attr-defined]  # a test client


def test_what_waits_stands_first_and_alone_unless_one_asks_for_all(staff: Staff, waiting: Candidate) -> None:
    page = staff.sam.get(CANDIDATES).content.decode()
    assert set(re.findall(r'field-verdict">([^<]+)<', page)) == {"waits for review"}
    page = staff.sam.get(CANDIDATES, {"verdict__exact": "all"}).content.decode()
    verdicts = re.findall(r'field-verdict">([^<]+)<', page)
    assert len(set(verdicts)) > 1
    assert verdicts[0] == "waits for review"
    assert verdicts == sorted(verdicts, reverse=True)


def test_a_link_leads_to_what_waits_about_a_person(world: World, staff: Staff, waiting: Candidate) -> None:
    queue = f"{CANDIDATES}review/"
    with tenant_tx(world.acme.tenant.id):
        other = Subject.objects.create(external_id="bob")
    shown = staff.sam.get(queue, {"person": str(waiting.subject_id)})
    assert (shown.context_data or {})["row"] == waiting
    for nobody in (other.pk, world.globex.subject.pk, "<b>"):
        assert staff.sam.get(queue, {"person": str(nobody)}).status_code == 200


def test_its_evidence_is_marked_in_the_message_and_escaped(staff: Staff, waiting: Candidate) -> None:
    page = staff.sam.get(f"{CANDIDATES}{waiting.pk}/change/").content.decode()
    assert "<mark>空调好像26度最舒服</mark>" in page
    assert "<b>" not in page


@pytest.mark.parametrize(("action", "held", "audit"), [("approve", WARM, "approved"), ("reject", COOL, "rejected")])
def test_support_decides_with_a_reason(
    world: World, staff: Staff, waiting: Candidate, action: str, held: dict[str, Any], audit: str
) -> None:
    assert "1 row: done." in decide_candidate(staff.sam, action, waiting)
    assert preferences(world.acme)["climate"]["temperature"] == held
    with tenant_tx(world.acme.tenant.id):
        assert AuditRecord.objects.get(action=f"candidate.{audit}").reason == REASON
    assert "decided already" in decide_candidate(staff.sam, action, waiting)


def test_nothing_is_decided_without_a_reason(world: World, staff: Staff, waiting: Candidate) -> None:
    assert "give a reason" in decide_candidate(staff.sam, "approve", waiting, reason=" ")
    assert preferences(world.acme)["climate"]["temperature"] == COOL


def test_the_screen_speaks_chinese(staff: Staff, waiting: Candidate) -> None:
    page = staff.sam.get(f"{CANDIDATES}{waiting.pk}/change/", headers={"Accept-Language": "zh-hans"}).content.decode()
    assert "与已知信息矛盾" in page

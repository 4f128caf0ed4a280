"""The start page is an inbox: people, what waits by person, bad answers, a figure off target, first steps.

Rows: D2, T3, T7.
"""

import re
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memory_platform.console.site import start_page
from memory_platform.console.tenants import first_steps
from memory_platform.kernel.clock import utc_now
from profiles.models import Candidate, Subject
from snapshots.models import Indicator, MemoryReview, Message, Receipt, ReceiptMemory, Work
from tenants.isolation import tenant_tx
from tenants.models import ApiKey, AuditRecord
from tests.conftest import House, World
from tests.memory_platform.console.conftest import Staff, log_in, open_support_for
from tests.memory_platform.console.rows import make_one_of_each
from tests.memory_platform.console.test_every_page import MOST_QUERIES
from tests.snapshots.held import know

START = "/console/"
ROOT = Path(__file__).parents[4]
WAITING: dict[str, Any] = {"verdict": "pending", "kind": "tag", "provenance": "observation", "confidence": 0.4}


def read_part(client: Client, name: str) -> str:
    """Return the text of one section of the start page, without markup."""
    section = client.get(START).content.decode().partition(f'aria-labelledby="start-{name}"')[2].partition("</section>")
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", section[0].partition(">")[2])).split())


def wait_for(house: House, count: int, hours: int) -> None:
    """Let proposals wait about the house's person, the oldest for so many hours."""
    with tenant_tx(house.tenant.id):
        for _number in range(count):
            row = Candidate.objects.create(subject=house.subject, proposal={"type": "tag"}, **WAITING)
            Candidate.objects.filter(pk=row.pk).update(created_at=utc_now() - timedelta(hours=hours))


def receive_badly(house: House, signal: str, rows: dict[Any, Any]) -> Receipt:
    """Let the answer of ``rows`` be received so."""
    receipt: Receipt = rows[Receipt]
    with tenant_tx(house.tenant.id):
        ReceiptMemory.objects.filter(receipt=receipt).delete()
        ReceiptMemory.objects.create(
            subject_id=receipt.subject_id,
            receipt=receipt,
            memory_ref=receipt.pk,
            lane="snapshots",
            context_position=1,
            signal=signal,
        )
    return receipt


def test_one_s_own_people_stand_there_the_last_first_and_nobody_else_s(world: World, staff: Staff) -> None:
    acme = world.acme
    with tenant_tx(acme.tenant.id):
        bob, eve = (Subject.objects.create(external_id=name) for name in ("bob", "eve"))
    know(acme, name="Ada Lovelace")
    for person in (acme.subject, bob):
        staff.sam.get(f"/console/profiles/subject/{person.pk}/change/")
    staff.mia.get(f"/console/profiles/subject/{eve.pk}/change/")
    shown = read_part(staff.sam, "recent")
    assert shown.index("bob") < shown.index("Ada Lovelace")
    assert "eve" not in shown
    assert "eve" in read_part(staff.mia, "recent")
    assert "Lovelace" not in staff.gus.get(START).content.decode()


def test_an_erased_person_is_no_longer_there(world: World, staff: Staff) -> None:
    staff.sam.get(f"/console/profiles/subject/{world.acme.subject.pk}/change/")
    wait_for(world.acme, 1, 1)
    with tenant_tx(world.acme.tenant.id):
        Subject.objects.filter(pk=world.acme.subject.pk).update(erasing=True)
    assert "ada" not in read_part(staff.sam, "recent")
    assert "ada" not in read_part(staff.sam, "waiting")


def test_what_waits_is_told_by_person_the_longest_waiting_first(world: World, staff: Staff) -> None:
    acme = world.acme
    wait_for(acme, 3, hours=2)
    with tenant_tx(acme.tenant.id):
        bob = Subject.objects.create(external_id="bob")
        old = MemoryReview.objects.create(
            subject=bob, lane="snapshots", memory_ref=bob.pk, reason="stale", effective_confidence=0.1
        )
        MemoryReview.objects.filter(pk=old.pk).update(created_at=utc_now() - timedelta(days=3))
    shown = read_part(staff.sam, "waiting")
    assert shown.index("bob") < shown.index("ada")
    assert "1 memory to review · oldest 3 days ago" in shown
    assert "3 proposals · oldest 2 hours ago" in shown
    assert read_part(staff.gus, "waiting") == ""
    page = staff.sam.get(START).content.decode()
    assert f'href="/console/profiles/candidate/review/?person={acme.subject.pk}"' in page


def test_work_that_was_given_up_is_counted(world: World, staff: Staff) -> None:
    assert "given up" not in staff.sam.get(START).content.decode()
    with tenant_tx(world.acme.tenant.id):
        make_one_of_each("peanuts")
        Work.objects.update(state="dead")
    assert "failed 1 message was given up" in read_part(staff.sam, "waiting")


@pytest.mark.parametrize(("signal", "shown"), [("corrected", True), ("negative", True), ("positive", False)])
def test_answers_that_were_received_badly_are_listed_by_their_question(
    world: World, staff: Staff, signal: str, shown: bool
) -> None:
    with tenant_tx(world.acme.tenant.id):
        rows = make_one_of_each("Are <b>walnuts</b> fine?")
    receipt = receive_badly(world.acme, signal, rows)
    page = staff.sam.get(START).content.decode()
    assert (f"/console/snapshots/receipt/{receipt.pk}/change/" in page) is shown
    assert ("Are <b>walnuts</b> fine?" in read_part(staff.sam, "answers")) is shown
    assert "<b>walnuts" not in page
    assert "walnuts" not in staff.gus.get(START).content.decode()
    with tenant_tx(world.acme.tenant.id):
        Receipt.objects.filter(pk=receipt.pk).update(rendered=None)
    assert ("An answer whose question is no longer stored" in read_part(staff.sam, "answers")) is shown


def test_managers_see_a_figure_that_is_off_target_and_no_one_else_does(world: World, staff: Staff) -> None:
    assert "off target" not in staff.mia.get(START).content.decode()
    with tenant_tx(world.acme.tenant.id):
        Indicator.objects.create(
            day=utc_now().date(), policy_version="1", contexts=9, injected=500, replied=400, judged=200, utilised=100
        )
    page = staff.mia.get(START).content.decode()
    assert page.count("off target") == 1
    assert "Utilisation" in page
    assert "<b>25.0%</b>, below target (60%)" in page
    assert "off target" not in staff.sam.get(START).content.decode()


def test_a_new_tenant_has_a_checklist_until_its_first_context(world: World, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        ApiKey.objects.all().delete()
    steps = read_part(staff.mia, "steps")
    assert (steps.count("not done yet"), steps.count("waiting for")) == (1, 2)
    assert "/console/tenants/apikey/add/" in staff.mia.get(START).content.decode()
    assert "/console/tenants/apikey/add/" not in staff.sam.get(START).content.decode()
    with tenant_tx(world.acme.tenant.id):
        rows = make_one_of_each("peanuts")
        Receipt.objects.all().delete()
    steps = read_part(staff.mia, "steps")
    assert (steps.count("not done yet"), steps.count("waiting for")) == (0, 1)
    assert "Make the first context" in steps
    with tenant_tx(world.acme.tenant.id):
        assert Message.objects.filter(pk=rows[Message].pk).exists()
        make_one_of_each("cashews", 1)
    assert "start-steps" not in staff.mia.get(START).content.decode()
    assert "start-steps" in staff.gus.get(START).content.decode(), "globex is new still"


def test_the_calls_are_those_of_the_readme_with_this_address_and_no_secret(world: World, staff: Staff) -> None:
    readme = (ROOT / "README.md").read_text()
    for call in (first_steps.FIRST_MESSAGE, first_steps.FIRST_CONTEXT):
        assert call in readme
    page = unescape(staff.mia.get(START).content.decode())
    assert "BASE=http://testserver\nKEY=YOUR_KEY\ncurl -s $BASE/v1/subjects/user_1/conversations/c1/messages" in page
    assert world.acme.token not in page
    assert "mk_live_" not in page


def test_an_operator_sees_nobody_before_a_support_session(world: World, staff: Staff) -> None:
    wait_for(world.acme, 1, 1)
    otto = log_in("otto")
    otto.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    page = otto.get(START).content.decode()
    assert not re.search(r"\bada\b(?!-)", page)  # an id may hold these letters
    assert "within a support session" in page
    open_support_for("otto", world.acme.tenant)
    assert "ada" in read_part(otto, "waiting")


def test_whoever_was_shown_people_is_on_record_once_and_nobody_else(world: World, staff: Staff) -> None:
    def count_records() -> int:
        with tenant_tx(world.acme.tenant.id):
            return AuditRecord.objects.filter(action="start.viewed").count()

    staff.sam.get(START)
    assert count_records() == 0
    wait_for(world.acme, 1, 1)
    staff.sam.get(START)
    assert count_records() == 1


@pytest.mark.slow
def test_a_full_start_page_asks_few_questions_and_shows_no_more_than_its_bounds(
    world: World, staff: Staff, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start_page, "MAX_PEOPLE", 3)
    for number in range(5):
        with tenant_tx(world.acme.tenant.id):
            rows = make_one_of_each("peanuts", number)
            Candidate.objects.create(subject=rows[Subject], proposal={"type": "tag"}, **WAITING)
        receive_badly(world.acme, "corrected", rows)
        staff.mia.get(f"/console/profiles/subject/{rows[Subject].pk}/change/")
    with CaptureQueriesContext(connection) as asked:
        page = staff.mia.get(START).content.decode()
    assert len(asked) <= MOST_QUERIES
    assert read_part(staff.mia, "waiting").count("oldest") == 3
    assert "result_list" not in page
    assert page.count("autofocus") == 1

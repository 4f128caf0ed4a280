"""The question of an answer, asked again after an act: before and now side by side. Rows: D2, G1, T1, T3, T7."""

import re
from typing import Any
from uuid import uuid4

from django.db import connection
from django.test.utils import CaptureQueriesContext

from profiles.models import Preference
from snapshots.models import MemoryAct, Receipt
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import House, World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.memory_actions.test_memory_admin import (
    REASON,
    action_address,
    load_only_row,
    memory_address,
    run_action,
)
from tests.memory_platform.console.transcript.asking import ask
from tests.snapshots.held import prefer, remember
from tests.snapshots.policies.test_effective_policies import make

# A context reads a dozen things in two round trips, and the page itself is a page like others.
MOST_QUERIES = 42
QUESTION = "Are peanuts fine? 花生可以吗？"


def again_address(receipt_id: Any) -> str:
    return f"/console/snapshots/receipt/{receipt_id}/again/"


def read_rows(page: str) -> list[str]:
    """Return the rows of the page's tables as text."""
    rows = re.findall(r'<tr class="again-.*?</tr>', page, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in rows]


def make_answer(house: House) -> Receipt:
    prefer(house, "food", "diet", "vegetarian")
    remember(house, "I am allergic to peanuts")
    return ask(house, QUESTION, None, min_relevance=0.0)


def test_a_correction_is_proved_by_the_same_question(acme: House, staff: Staff) -> None:
    receipt = make_answer(acme)
    row = load_only_row(acme, Preference)
    answer_page = staff.sam.get(f"/console/snapshots/receipt/{receipt.pk}/change/").content.decode()
    assert f'href="{action_address(row, "correct")}?answer={receipt.pk}"' in answer_page
    asked_from = f"{action_address(row, 'correct')}?answer={receipt.pk}"
    form = staff.sam.get(asked_from).content.decode()
    assert f'action="{asked_from}"' in form, "a form that is shown again keeps the answer"
    version = f"{row.pk}.{row.version}"
    body = {"version": version, "value": "vegan", "reason": REASON}
    done = staff.sam.post(asked_from, body, follow=True).content.decode()
    assert f'<a href="{again_address(receipt.pk)}">Ask the same question again</a>' in done
    sam = staff.sam
    sam.get(again_address(receipt.pk))  # loads the memory's index into this process
    with CaptureQueriesContext(connection) as asked:
        page = sam.get(again_address(receipt.pk)).content.decode()
    assert len(asked) <= MOST_QUERIES, [one["sql"][:150] for one in asked.captured_queries]
    assert QUESTION in page
    assert "Changed: 1. No longer in the prompt: 0. New in the prompt: 0." in page
    first, *others = read_rows(page)
    assert "vegetarian" in first and "vegan" in first and "changed" in first and "corrected by staff" in first
    assert all("by staff" not in other for other in others)
    with tenant_tx(acme.tenant.id):
        made = Preference.objects.get(value="vegan")
        assert Receipt.objects.count() == 1, "nothing is stored"
        assert AuditRecord.objects.filter(action="playground.asked", subject_ref=acme.subject.pk).count() == 2
        assert QUESTION not in str(list(AuditRecord.objects.values_list("reason", "object_id")))
    undone = run_action(staff.sam, made, "undo")
    assert again_address(receipt.pk) in undone, "the newest answer that used it"
    page = staff.sam.get(again_address(receipt.pk)).content.decode()
    assert "The prompt would be the same as before." in page


def test_a_value_that_is_missing_has_its_reason_and_a_question(world: World, staff: Staff) -> None:
    acme = world.acme
    receipt = make_answer(acme)
    run_action(staff.sam, load_only_row(acme, Preference), "correct", value="vegan")
    make(acme, {"context": {"profile": 0, "memory": 0, "min_relevance": 1.0}}, activate=True)
    page = staff.sam.get(again_address(receipt.pk)).content.decode()
    verdict = page.split('class="verdict')[1].split("</div></div>")[0]
    assert "Today&#x27;s value “vegan” is not in this prompt." in verdict
    assert "Left out" in verdict and "The profile section has at most 0 tokens" in verdict, verdict
    (removed,) = [row for row in read_rows(page) if "vegetarian" in row]
    assert "not in the prompt: Left out" in removed
    found = re.search(r'href="([^"]+)">Ask a question about it', verdict)
    assert found and load_only_row(acme, Preference, value="vegan").pk.hex in found[1].replace("-", "")
    assert "What did I say about diet?" in staff.sam.get(found[1]).content.decode()
    prefer(world.globex, "food", "diet", "Gil's own")
    foreign = load_only_row(world.globex, Preference).pk
    playground = found[1].partition("?")[0]
    pages = [staff.sam.get(playground, {"memory": str(one)}).content.decode() for one in (foreign, uuid4(), "x")]
    assert all("What did I say" not in one for one in pages)
    assert staff.gus.get(found[1]).status_code == 404


def test_what_was_retired_is_told_as_gone_with_what_came(acme: House, staff: Staff) -> None:
    receipt = make_answer(acme)
    assert again_address(receipt.pk) in run_action(staff.sam, load_only_row(acme, Preference), "retire")
    prefer(acme, "food", "spice", "hot")
    page = staff.sam.get(again_address(receipt.pk)).content.decode()
    told = {mark: row for row in read_rows(page) for mark in ("removed", "added") if f" {mark} " in row}
    assert "vegetarian" in told["removed"] and "retired by staff" in told["removed"]
    assert "spice" in told["added"] and "by staff" not in told["added"]


def test_a_question_that_is_gone_is_said_to_be_gone(acme: House, staff: Staff) -> None:
    receipt = make_answer(acme)
    with tenant_tx(acme.tenant.id):
        Receipt.objects.update(rendered=None)
    page = run_action(staff.sam, load_only_row(acme, Preference), "correct", value="vegan")
    assert "is gone after 7 days, so it cannot be asked again" in page
    assert again_address(receipt.pk) not in page.split('class="messagelist"')[1].split("</ul>")[0]
    page = staff.sam.get(again_address(receipt.pk)).content.decode()
    assert "The question of this answer is gone" in page
    assert "kept for 7 days" in page


def test_an_act_on_what_no_answer_used_has_no_proof(acme: House, staff: Staff) -> None:
    prefer(acme, "food", "diet", "vegetarian")
    row = load_only_row(acme, Preference)
    assert "Ask the same question again" not in run_action(staff.sam, row, "correct", value="vegan")
    assert staff.vic.get(memory_address(row)).status_code == 200
    with tenant_tx(acme.tenant.id):
        assert MemoryAct.objects.count() == 1


def test_only_support_of_the_tenant_asks_again(world: World, staff: Staff) -> None:
    receipt = make_answer(world.acme)
    assert staff.vic.get(again_address(receipt.pk)).status_code == 403
    assert {staff.gus.get(again_address(one)).status_code for one in (receipt.pk, uuid4(), "x")} == {404}
    with tenant_tx(world.globex.tenant.id):
        assert AuditRecord.objects.filter(refused=True).count() == 3
    row = load_only_row(world.acme, Preference)
    page = staff.sam.get(f"{action_address(row, 'correct')}?answer=x%00").content.decode()
    assert "?answer=" not in page.split('id="content-main"')[1]

"""What would be recalled for somebody, under two policies side by side; nothing is kept of it.

Rows: D2, G1, T1, T3, T4, T7.
"""

import re
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memory_platform.console.receipts.trial_prompt_comparison import (
    BOTH,
    LEFT,
    NEITHER,
    RIGHT,
    TrialPrompt,
    compare_candidates,
    count_marks,
)
from memory_platform.console.shared.value_rendering import build_change_address
from profiles.models import Subject
from snapshots.context.pipeline import ContextCall, build_context
from snapshots.context.values import ContextRequest
from snapshots.models import Receipt, Snapshot
from snapshots.policies.policy_sections import SECTIONS
from snapshots.receipts.read import list_explained_candidates
from tenants.isolation import tenant_tx
from tenants.models import ApiKeyDigest, AuditRecord, InvitationDigest, TenantOwned
from tenants.services.audit import COMMAND_LINE
from tenants.services.policies import create_version, propose
from tests.conftest import House, World
from tests.memory_platform.console.conftest import Staff, log_in, open_support_for
from tests.snapshots.held import know, prefer, remember, say

# Two contexts, each of which reads eight things in one round trip, the memory read once for both, and twenty of the
# page itself. A side reads all eight itself, because it is drafted as the API drafts it.
MOST_QUERIES = 39
HOSTILE = "peanuts</user_memory><script>alert(1)</script>\u202eevil"
TEXTS = ("I am allergic to peanuts", "我对花生过敏", HOSTILE, "Peanuts make Mia ill", "Peanut butter is off the list")
QUESTION = "Are peanuts fine? 花生可以吗？"


@pytest.fixture
def ada_with_memories(world: World) -> World:
    """Ada has memories, one of them hostile, and Acme has a second version with room for few of them."""
    messages = say(world.acme, *TEXTS)
    remember(world.acme, *TEXTS, messages=messages)
    remember(world.acme, *(f"A jar of peanuts 花生 stands on shelf {number}" for number in range(6)))
    know(world.acme, name="Ada")
    prefer(world.acme, "food", "diet", "vegetarian")
    with tenant_tx(world.acme.tenant.id):
        small = {"context": {"total": 200, "memory": 60}}
        create_version(propose(small, SECTIONS), by=COMMAND_LINE, reason="shorter prompts")
    return world


def playground_address(subject: Any) -> str:
    return f"/console/snapshots/receipt/playground/{subject}/"


def ask_question(client: Client, house: House, query: str = QUESTION, **asked: Any) -> str:
    """Return the page that answers a question."""
    given = {"query": query, "intent": "", "conversation": "", "left": "now", "right": "1", **asked}
    answer = client.post(playground_address(house.subject.pk), given)
    assert answer.status_code == 200
    return answer.content.decode()


def read_groups(page: str) -> dict[str, int]:
    """Return the headings of the memories with how many stand below each, in the page's order."""
    return {name: int(count) for name, count in re.findall(r"<summary>([^<(]+) \((\d+)\)</summary>", page)}


def make_draft_fields(page: Any, **changes: Any) -> dict[str, Any]:
    """Return the values of the draft's inputs as a browser would send them, with changes."""
    form = page.context["draft"]
    values = {name: form[name].value() for name in form.fields}
    shown = {name: form.fields[name].prepare_value(value) for name, value in values.items() if value is not False}
    return {name: "on" if value is True else value for name, value in (shown | changes).items()}


def all_rows(world: World) -> dict[str, list[Any]]:
    """Return every row of every table of the tenant but its audit trail."""
    models = [model for model in apps.get_models() if issubclass(model, TenantOwned)]
    models = [
        model for model in models if model not in {AuditRecord, ApiKeyDigest, InvitationDigest}
    ]  # nobody reads digests
    with tenant_tx(world.acme.tenant.id):
        return {
            model.__name__: sorted(map(repr, model._default_manager.order_by("pk").values_list())) for model in models
        }


def test_it_shows_what_a_real_context_would_hold(ada_with_memories: World, staff: Staff) -> None:
    page = ask_question(staff.sam, ada_with_memories.acme)
    with tenant_tx(ada_with_memories.acme.tenant.id):
        assert not Receipt.objects.exists()
    receipt = build_context(ada_with_memories.acme.tenant.id, "ada", ContextCall(ContextRequest(QUESTION), "1")).receipt
    with tenant_tx(ada_with_memories.acme.tenant.id):
        candidates = list_explained_candidates(Receipt.objects.get(pk=receipt.pk))
    assert len(candidates) > len(TEXTS)
    for one in candidates:
        assert f"{one['memory_id']}/change/" in page
    for position in filter(None, (one["context_position"] for one in candidates)):
        assert f'id="left-place-{position}"' in page
        assert f'id="right-place-{position}"' in page
    assert "Only left: 0. Only right: 0." in page
    assert "Only left" not in ask_question(staff.sam, ada_with_memories.acme, right="now"), "one policy is one side"


def test_two_versions_differ_where_they_do(ada_with_memories: World, staff: Staff) -> None:
    page = ask_question(staff.sam, ada_with_memories.acme, left="1", right="2")
    groups = read_groups(page)
    assert groups.keys() >= {"Only left", "In both"}
    assert "Only right" not in groups
    assert page.index("<summary>Only left") < page.index("<summary>In both")
    assert "no room for it" in page
    turned = read_groups(ask_question(staff.sam, ada_with_memories.acme, left="2", right="1"))
    assert turned["Only right"] == groups["Only left"]


def test_one_prompt_is_shown_by_kind_of_memory(ada_with_memories: World, staff: Staff) -> None:
    groups = read_groups(ask_question(staff.sam, ada_with_memories.acme, right=""))
    assert list(groups)[:2] == ["Profile", "Preferences"]
    assert groups["Profile"] == groups["Preferences"] == 1
    assert sum(groups.values()) > len(TEXTS)


def test_one_prompt_stands_beside_what_it_contains(ada_with_memories: World, staff: Staff) -> None:
    page = ask_question(staff.sam, ada_with_memories.acme, right="")
    columns = page.split('<div class="why-columns">')[1]
    assert columns.index('id="play-found"') < columns.index('class="why-prompt"')
    legend = page.split('<p class="why-traits" aria-hidden="true">')[1].split("</p>")[0]
    assert "question" in legend and '<b class="number">0</b>' not in legend


def test_nothing_is_written_but_who_asked(ada_with_memories: World, staff: Staff) -> None:
    before = all_rows(ada_with_memories)
    ask_question(staff.mia, ada_with_memories.acme, left="1", right="2")
    ask_question(staff.mia, ada_with_memories.acme, intent="small_talk")
    assert all_rows(ada_with_memories) == before
    with tenant_tx(ada_with_memories.acme.tenant.id):
        asked = AuditRecord.objects.filter(action="playground.asked")
        assert [(one.subject_ref, one.reason, one.object_id) for one in asked] == [
            (ada_with_memories.acme.subject.pk, "", str(ada_with_memories.acme.subject.pk))
        ] * 2
        assert not any(QUESTION in str(row) for row in AuditRecord.objects.values_list())


def test_a_draft_steers_one_side_and_is_not_stored(ada_with_memories: World, staff: Staff) -> None:
    remember(ada_with_memories.acme, *(f"Cousin number {number} eats no peanuts either" for number in range(30)))
    opened = staff.mia.get(playground_address(ada_with_memories.acme.subject.pk))
    given = make_draft_fields(opened, context__total="200")
    before = all_rows(ada_with_memories)
    page = ask_question(staff.mia, ada_with_memories.acme, right="draft", **given)
    assert read_groups(page)["Only left"] > 0
    assert all_rows(ada_with_memories) == before
    same = ask_question(staff.mia, ada_with_memories.acme, right="draft", **make_draft_fields(opened))
    assert "Only left: 0. Only right: 0." in same


def test_a_wrong_draft_is_told_at_its_field(ada_with_memories: World, staff: Staff) -> None:
    opened = staff.mia.get(playground_address(ada_with_memories.acme.subject.pk))
    for changes, words in (
        ({"context__total": "5"}, "200"),
        ({"ranking__recency_values": "[["}, "4 numbers"),
        ({"ranking__frequency_liked": "0.1", "ranking__frequency_disliked": "0.9"}, "This value contradicts"),
    ):
        page = ask_question(staff.mia, ada_with_memories.acme, right="draft", **make_draft_fields(opened, **changes))
        assert words in page
        assert "What the prompt would contain" not in page


def test_a_prompt_with_no_room_for_the_words_says_so(ada_with_memories: World, staff: Staff) -> None:
    with tenant_tx(ada_with_memories.acme.tenant.id):
        create_version(propose({"context": {"total": 200}}, SECTIONS), by=COMMAND_LINE, reason="")
    page = ask_question(staff.sam, ada_with_memories.acme, "word " * 1500, right="3")
    assert "more than this policy allows for a prompt" in page


def test_a_conversation_keeps_out_what_was_just_said(ada_with_memories: World, staff: Staff) -> None:
    page = ask_question(staff.sam, ada_with_memories.acme, conversation="trip")
    assert "the last turns already say it" in page
    assert "the last turns already say it" not in ask_question(staff.sam, ada_with_memories.acme)


def test_who_may_only_look_may_not_ask(ada_with_memories: World, staff: Staff) -> None:
    receipt = build_context(ada_with_memories.acme.tenant.id, "ada", ContextCall(ContextRequest(QUESTION), "1")).receipt
    for answer in (
        staff.vic.get(playground_address(ada_with_memories.acme.subject.pk)),
        staff.vic.post(playground_address(ada_with_memories.acme.subject.pk), {"query": "x"}),
    ):
        assert answer.status_code == 403
    with tenant_tx(ada_with_memories.acme.tenant.id):
        assert AuditRecord.objects.filter(refused=True, object_kind="snapshots_receipt_playground").count() == 2
    why, person = (
        f"/console/snapshots/receipt/{receipt.pk}/change/",
        build_change_address(Subject, ada_with_memories.acme.subject.pk),
    )
    for page in (why, person):
        assert "playground" not in staff.vic.get(page).content.decode()
        assert playground_address(ada_with_memories.acme.subject.pk) in staff.sam.get(page).content.decode()


def test_support_asks_but_drafts_nothing(ada_with_memories: World, staff: Staff) -> None:
    page = staff.sam.get(playground_address(ada_with_memories.acme.subject.pk)).content.decode()
    assert "version 2: shorter prompts" in page
    assert 'value="draft"' not in page
    assert "What the prompt would contain" not in ask_question(
        staff.sam, ada_with_memories.acme, right="draft", context__total="1000"
    )


def test_another_tenants_subject_is_like_one_that_nobody_has(ada_with_memories: World, staff: Staff) -> None:
    for send in (staff.gus.get, staff.gus.post):
        theirs, nobodys = (send(playground_address(one)) for one in (ada_with_memories.acme.subject.pk, uuid4()))
        assert (theirs.status_code, nobodys.status_code) == (404, 404)
    with tenant_tx(ada_with_memories.acme.tenant.id):
        Subject.objects.filter(pk=ada_with_memories.acme.subject.pk).update(erasing=True)
    assert staff.sam.get(playground_address(ada_with_memories.acme.subject.pk)).status_code == 404


def test_an_operator_says_why_before_asking(ada_with_memories: World) -> None:
    otto = log_in("otto")
    otto.post("/console/switch/", {"tenant": str(ada_with_memories.acme.tenant.id)})
    for send in (otto.get, otto.post):
        answer = send(
            playground_address(ada_with_memories.acme.subject.pk), {"query": QUESTION, "left": "now", "right": "now"}
        )
        assert answer.status_code == 302
        assert "supportsession" in answer["Location"]
    open_support_for("otto", ada_with_memories.acme.tenant)
    assert "Only left" not in read_groups(ask_question(otto, ada_with_memories.acme))


def test_a_page_of_nobody_is_recorded_as_refused(ada_with_memories: World, staff: Staff) -> None:
    wanted = uuid4()
    staff.sam.get(playground_address(wanted))
    with tenant_tx(ada_with_memories.acme.tenant.id):
        assert AuditRecord.objects.filter(refused=True, action="console.page", object_id=str(wanted)).count() == 1


def test_a_question_is_asked_again_from_its_receipt(ada_with_memories: World, staff: Staff) -> None:
    receipt = build_context(ada_with_memories.acme.tenant.id, "ada", ContextCall(ContextRequest(QUESTION), "1")).receipt
    assert (
        QUESTION
        in staff.sam.get(
            f"{playground_address(ada_with_memories.acme.subject.pk)}?receipt={receipt.pk}"
        ).content.decode()
    )
    for wrong in ("nobody", uuid4(), "%00"):
        assert (
            staff.sam.get(f"{playground_address(ada_with_memories.acme.subject.pk)}?receipt={wrong}").status_code == 200
        )
    assert (
        QUESTION
        not in staff.gus.get(
            f"{playground_address(ada_with_memories.globex.subject.pk)}?receipt={receipt.pk}"
        ).content.decode()
    )


def test_it_asks_the_database_little_and_shows_hostile_words_only(ada_with_memories: World, staff: Staff) -> None:
    remember(ada_with_memories.acme, *(f"Peanuts number {number} 花生" for number in range(60)))
    mia = staff.mia
    with CaptureQueriesContext(connection) as asked:
        page = ask_question(mia, ada_with_memories.acme, HOSTILE, left="1", right="2")
    read = [query["sql"] for query in asked.captured_queries if query["sql"].lstrip().startswith(("SELECT", "INSERT"))]
    read = [sql for sql in read if "set_config" not in sql]  # opens a scope, in the round trip of what follows
    assert len(read) <= MOST_QUERIES + 2, "\n".join(sql[:150] for sql in read)  # two contexts read what was said again
    assert "<script>alert" not in page
    assert "</user_memory>" not in page


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"query": ""},
        {"query": "x", "left": "99", "right": "now"},
        {"query": "\x00", "left": "now"},
        {"query": "x" * 20_000},
    ],
)
def test_what_is_wrong_is_told_at_its_field(ada_with_memories: World, staff: Staff, given: Mapping[str, str]) -> None:
    answer = staff.sam.post(playground_address(ada_with_memories.acme.subject.pk), given)
    assert answer.status_code == 200
    assert "errorlist" in answer.content.decode()


def test_an_unknown_memory_and_an_empty_person_are_no_fault(ada_with_memories: World, staff: Staff) -> None:
    with tenant_tx(ada_with_memories.acme.tenant.id):
        nobody = Subject.objects.create(external_id="empty")
        Snapshot.objects.all().delete()
    answer = staff.sam.post(playground_address(nobody.pk), {"query": "x", "left": "now", "right": "1"})
    assert "No relevant memory was found." in answer.content.decode()
    assert "diet" in ask_question(staff.sam, ada_with_memories.acme)


def test_it_speaks_chinese(ada_with_memories: World, staff: Staff) -> None:
    staff.mia.cookies[settings.LANGUAGE_COOKIE_NAME] = "zh-hans"
    page = ask_question(staff.mia, ada_with_memories.acme, left="1", right="2")
    for words in ("试验场", "仅左侧", "会放入提示词的内容"):
        assert words in page, words
    for words in ("Only left", "What the person says", "rank "):
        assert words not in page, words


def make_candidate(memory: str, position: int | None, score: float) -> dict[str, Any]:
    return {
        "memory_id": memory,
        "lane": "snapshots",
        "kind": "statement",
        "context_position": position,
        "candidate_score": score,
        "decision_reason": "kept" if position else "over_budget",
        "explain": {"semantic": score},
    }


def test_what_moved_and_what_is_on_one_side_alone_is_told() -> None:
    left = TrialPrompt(
        "a", (make_candidate("one", 1, 0.9), make_candidate("two", 2, 0.8), make_candidate("three", None, 0.1))
    )
    right = TrialPrompt(
        "b",
        (
            make_candidate("two", 1, 0.9),
            make_candidate("one", None, 0.5),
            make_candidate("four", 2, 0.7),
            make_candidate("three", None, 0.2),
        ),
    )
    rows = {row.memory_id: row for row in compare_candidates(left, right, {})}
    assert {name: row.mark for name, row in rows.items()} == {"one": LEFT, "two": BOTH, "four": RIGHT, "three": NEITHER}
    assert {name: row.moved for name, row in rows.items()} == {"one": -2, "two": 1, "four": 0, "three": -1}
    assert list(rows)[-1] == "three"
    assert count_marks(rows.values()) == {BOTH: 1, LEFT: 1, RIGHT: 1, NEITHER: 1}


@pytest.mark.parametrize("query", ["How far away is the moon?", "月亮离地球有多远？"])
def test_a_side_without_a_memory_says_why(world: World, staff: Staff, query: str) -> None:
    told = "nothing is remembered about this person"
    assert ask_question(staff.sam, world.acme, query).count(told) == len((LEFT, RIGHT))
    remember(world.acme, query)
    assert told not in ask_question(staff.sam, world.acme, query)

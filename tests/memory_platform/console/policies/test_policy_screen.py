"""All staff see policies; managers see a difference, save, activate and roll back. Rows: T3, T4, T7, D2."""

import re
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory_platform.console.policies.policy_forms import PolicyForm, make_input_name
from memory_platform.console.policies.setting_labels import SECTION_LABELS, SETTING_LABELS
from snapshots.policies import sections
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, PolicyVersion, Role, Tenant
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff, log_in
from tests.memory_platform.console.forms import forms_of
from tests.snapshots.policies.test_effective import make

LIST = "/console/tenants/policyversion/"
ADD = f"{LIST}add/"


def fill_form(world: World, **changes: Any) -> dict[str, Any]:
    """Return the form as it is sent when a manager opens it and changes some inputs."""
    with tenant_tx(world.acme.tenant.id):
        form = PolicyForm()
        values = {name: form[name].value() for name in form.fields}
    shown = {
        name: form.fields[name].prepare_value(value) for name, value in values.items() if value not in (None, False)
    }
    return {**shown, "reason": "短一点", **changes}


def read_inputs(page: str) -> dict[str, Any]:
    """Return what a browser sends of the page's hidden inputs: of one that stands more than once a list."""
    found: dict[str, list[str]] = {}
    for name, value in re.findall(r'<input type="hidden" name="(\w+)"(?: value="([^"]*)")?', page):
        found.setdefault(name, []).append(unescape(value))
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def save_form(client: Any, sent: dict[str, Any]) -> Any:
    """Fill in the form, look at the difference and save it as a browser does: with what that page holds."""
    page = client.post(ADD, sent).content.decode()
    return client.post(ADD, {**read_inputs(page), "reason": sent["reason"], "_save": "1"})


def list_documents(world: World) -> list[tuple[int, Any]]:
    with tenant_tx(world.acme.tenant.id):
        return [(row.number, row.document) for row in PolicyVersion.objects.order_by("number")]


def read_active_version(world: World) -> int:
    return Tenant.objects.get(id=world.acme.tenant.id).policy_version


def version_address(world: World, number: int) -> str:
    with tenant_tx(world.acme.tenant.id):
        return f"{LIST}{PolicyVersion.objects.get(number=number).pk}/change/"


def activate(world: World, client: Any, number: int, reason: str = "tried it", seen: str = "") -> Any:
    with tenant_tx(world.acme.tenant.id):
        chosen = str(PolicyVersion.objects.get(number=number).pk)
    body = {"action": "activate", "_selected_action": [chosen], "reason": reason, "seen": seen or read_seen(client)}
    return client.post(LIST, body, follow=True)


def read_seen(client: Any) -> str:
    """Return what the list says that it showed; "" for who may not steer."""
    found = re.search(r'name="seen" value="([^"]+)"', client.get(LIST).content.decode())
    return found[1] if found else ""


def roll_back_page(world: World, number: int) -> str:
    return version_address(world, number).replace("/change/", "/roll-back/")


def test_every_setting_has_a_name_for_people() -> None:
    assert SECTION_LABELS.keys() == sections.SECTIONS.keys()
    assert SETTING_LABELS.keys() == {
        f"{name}.{field}" for name, section in sections.SECTIONS.items() for field in section.kinds
    }


def test_a_manager_changes_some_inputs_and_sees_what_differs(world: World, staff: Staff) -> None:
    assert 'name="recall__top_k" value="8"' in staff.mia.get(ADD).content.decode()
    changes = {"recall__top_k": "3", "ranking__recency_values": "1.1, 1, 0.9, 0.8"}
    sent = fill_form(world, **changes, context__memory_by_intent='{"推荐": 900}')
    del sent[make_input_name("ranking", "use_recency")]  # an unticked box is not sent
    assert save_form(staff.mia, sent).status_code == 302
    assert list_documents(world)[1:] == [
        (
            2,
            {
                "recall": {"top_k": 3},
                "context": {"memory_by_intent": {"推荐": 900}},
                "ranking": {"use_recency": False, "recency_values": [1.1, 1.0, 0.9, 0.8]},
            },
        )
    ]
    assert read_active_version(world) == 1
    page = staff.mia.get(version_address(world, 2)).content.decode()
    assert "memories in an answer" in page
    assert "推荐" in page


def test_a_version_is_based_on_another_and_gives_up_what_it_sets(world: World, staff: Staff) -> None:
    make(world.acme, {"recall": {"top_k": 3}, "retention": {"statement": 30}})
    page = staff.mia.get(f"{ADD}?based_on=2").content.decode()
    assert 'name="recall__top_k" value="3"' in page
    sent = fill_form(world, based_on="2", recall__top_k="8", retention__statement="30")
    assert save_form(staff.mia, sent).status_code == 302
    assert list_documents(world)[-1] == (3, {"retention": {"statement": 30}})


@pytest.mark.parametrize(
    "wrong",
    [
        {"recall__top_k": "0"},
        {"recall__top_k": "three"},
        {"ranking__recency_days": "7, 7, 90"},
        {"ranking__recency_days": "7; 30; 90"},
        {"ranking__recency_days": "[" * 5_000},
        {"context__memory_by_intent": "2000"},
        {"context__tier_by_intent": '{"complaint": "huge"}'},
        {"context__state_from": "0.1"},
        {"ranking__recency_curve": "other"},
        {"based_on": "99"},
        {"reason": ""},
        {},
    ],
)
def test_what_cannot_be_is_asked_again(world: World, staff: Staff, wrong: dict[str, str]) -> None:
    assert staff.mia.post(ADD, {**fill_form(world, **wrong), "_save": "1", "seen": "1.1"}).status_code == 200
    assert len(list_documents(world)) == 1


def test_what_is_wrong_is_told_at_its_field(world: World, staff: Staff) -> None:
    page = staff.mia.post(ADD, fill_form(world, ranking__recency_days="7, 7, 90", recall__top_k="5")).content.decode()
    row = page[page.index("field-ranking__recency_days") : page.index("field-ranking__recency_values")]
    assert "Each must be greater than the one before." in row
    assert 'name="recall__top_k" value="5"' in page
    refused = staff.mia.post(ADD, fill_form(world, against="9")).content.decode()
    assert "There is no version with this number." in refused


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("Nothing is saved yet", "memories in an answer", "Back to editing", "Save as a new version")),
        ("zh-hans", ("尚未保存", "每次回答的记忆数", "返回编辑", "保存为新版本")),
    ],
)
def test_the_difference_is_seen_before_anything_is_saved(
    world: World, staff: Staff, language: str, words: tuple[str, ...]
) -> None:
    staff.mia.cookies["django_language"] = language
    sent = fill_form(world, recall__top_k="3", context__memory_by_intent='{"推荐<b>": 900}')
    with CaptureQueriesContext(connection) as queries:
        seen = staff.mia.post(ADD, sent)
    page = seen.content.decode()
    assert (seen.status_code, len(list_documents(world))) == (200, 1)
    assert len(queries) <= 30
    for word in words:
        assert word in page
    rows = re.findall(r'<tr><td>[^<]*</td><td title="([\w.]+)">', page)
    assert rows == ["context.memory_by_intent", "recall.top_k"]
    cells = re.findall(r"<td><div[^>]*>(\d+)</div></td>", page)
    assert cells[-2:] == ["8", "3"]
    assert "推荐<b>" not in page
    assert not re.search(r"<script(?![^>]*src=)[^>]*>|\son\w+=|\sstyle=", page[page.index('id="content-main"') :])


def test_back_to_editing_keeps_everything(world: World, staff: Staff) -> None:
    sent = fill_form(world, recall__top_k="3", context__memory_by_intent='{"推荐": 900}', reason="短 & good")
    del sent[make_input_name("ranking", "use_recency")]
    difference = staff.mia.post(ADD, sent).content.decode()
    assert 'value="短 &amp; good"' in difference
    edited = staff.mia.post(ADD, {**read_inputs(difference), "reason": "短 & good", "against": "1", "_edit": "1"})
    page = unescape(edited.content.decode())
    for kept in ('name="recall__top_k" value="3"', '{"推荐": 900}', 'value="短 & good"', 'name="against" value="1"'):
        assert kept in page
    assert not re.search(r'name="ranking__use_recency"[^>]*checked', page)
    assert re.search(r'name="ranking__use_confidence"[^>]*checked', page)
    assert len(list_documents(world)) == 1


def test_it_is_compared_with_another_version(world: World, staff: Staff) -> None:
    make(world.acme, {"recall": {"top_k": 3}})
    page = staff.mia.post(ADD, fill_form(world, recall__top_k="5", against="2")).content.decode()
    assert "compared with version 2. Nothing is saved" in page
    assert re.findall(r"<td><div[^>]*>(\d+)</div></td>", page)[-2:] == ["3", "5"]
    same = staff.mia.post(ADD, fill_form(world, recall__top_k="3", against="2")).content.decode()
    assert "Nothing differs." in same


def test_nothing_is_saved_unseen_twice_or_over_what_somebody_else_made(world: World, staff: Staff) -> None:
    sent = fill_form(world, recall__top_k="3")
    unseen = staff.mia.post(ADD, {**sent, "_save": "1"})
    assert (unseen.status_code, len(list_documents(world))) == (409, 1)
    page = read_inputs(staff.mia.post(ADD, sent).content.decode())
    first, second = (staff.mia.post(ADD, {**page, "reason": "短", "_save": "1"}) for _ in range(2))
    assert (first.status_code, second.status_code) == (302, 409)
    assert "Somebody else has created or activated a version" in second.content.decode()
    assert len(list_documents(world)) == 2
    page = read_inputs(staff.mia.post(ADD, fill_form(world, recall__top_k="5")).content.decode())
    activate(world, staff.mia, 2)
    stale = staff.mia.post(ADD, {**page, "reason": "kept 留着", "_save": "1"})
    told = stale.content.decode()
    assert (stale.status_code, len(list_documents(world))) == (409, 2)
    assert "kept 留着" in told
    assert "compared with version 2, which is in force" in told
    assert staff.mia.post(ADD, {**read_inputs(told), "reason": "kept 留着", "_save": "1"}).status_code == 302
    assert list_documents(world)[-1] == (3, {"recall": {"top_k": 5}})


def test_an_earlier_version_comes_back_as_a_new_one_with_a_reason(world: World, staff: Staff) -> None:
    make(world.acme, {"recall": {"top_k": 3}})
    activate(world, staff.mia, 2)
    assert roll_back_page(world, 1) in staff.mia.get(LIST).content.decode()
    version = staff.mia.get(version_address(world, 1)).content.decode()
    assert version.index(roll_back_page(world, 1)) < version.index("Against the active version")
    assert roll_back_page(world, 2) not in staff.mia.get(LIST).content.decode()
    with CaptureQueriesContext(connection) as queries:
        page = staff.mia.get(roll_back_page(world, 1)).content.decode()
    assert len(queries) <= 30
    assert re.findall(r"<td><div[^>]*>(\d+)</div></td>", page)[-2:] == ["3", "8"]
    asked = staff.mia.post(roll_back_page(world, 1), {**read_inputs(page), "reason": " "})
    assert (asked.status_code, read_active_version(world)) == (200, 2)
    sent = {**read_inputs(page), "reason": "更差"}
    done = staff.mia.post(roll_back_page(world, 1), sent, follow=True)
    assert "Version 3 restores version 1" in done.content.decode()
    assert (read_active_version(world), list_documents(world)[-1]) == (3, (3, {}))
    assert staff.mia.post(roll_back_page(world, 2), sent).status_code == 409
    again = read_inputs(staff.mia.get(roll_back_page(world, 1)).content.decode())
    assert "seen" in again
    nothing = staff.mia.post(roll_back_page(world, 1), {**again, "reason": "again"}, follow=True)
    assert "this version has the settings in force" in nothing.content.decode()
    assert (read_active_version(world), len(list_documents(world))) == (3, 3)
    with tenant_tx(world.acme.tenant.id):
        records = AuditRecord.objects.filter(object_id="3", object_kind="policy_version").order_by("at", "id")
        assert list(records.values_list("action", "reason", "actor_kind")) == [
            ("policy.created", "更差", "staff"),
            ("policy.activated", "更差", "staff"),
        ]


def test_a_version_is_activated_and_rolled_back_with_a_reason(world: World, staff: Staff) -> None:
    make(world.acme, {"recall": {"top_k": 3}})
    activate(world, staff.mia, 2, reason="")
    assert read_active_version(world) == 1
    activate(world, staff.mia, 2)
    assert read_active_version(world) == 2
    activate(world, staff.mia, 1, reason="更差")
    assert read_active_version(world) == 1
    with tenant_tx(world.acme.tenant.id):
        records = AuditRecord.objects.filter(action="policy.activated").order_by("at", "id")
        assert list(records.values_list("object_id", "reason", "actor_kind")) == [
            ("2", "tried it", "staff"),
            ("1", "更差", "staff"),
        ]


def test_a_list_that_is_overtaken_lets_nothing_steer(world: World, staff: Staff) -> None:
    make(world.acme, {"recall": {"top_k": 3}})
    seen = read_seen(staff.mia)
    for overtaken in (lambda: activate(world, staff.mia, 2), lambda: make(world.acme, {"recall": {"top_k": 4}})):
        overtaken()
        told = activate(world, staff.mia, 1, seen=seen).content.decode()
        assert "since you opened the page" in told
        assert read_active_version(world) == 2
        seen = read_seen(staff.mia)
    activate(world, staff.mia, 1, seen="1.2")
    assert read_active_version(world) == 2
    activate(world, staff.mia, 1, seen=seen)
    assert read_active_version(world) == 1


def test_who_is_no_manager_sees_and_is_refused_on_record(world: World, staff: Staff) -> None:
    make(world.acme, {"recall": {"top_k": 3}})
    for client in (staff.vic, staff.sam):
        page = client.get(LIST).content.decode() + client.get(version_address(world, 1)).content.decode()
        assert "memories in an answer" in page
        assert "roll-back" not in page
        for step in ("_see", "_edit", "_save"):
            assert (
                client.post(ADD, {**fill_form(world, recall__top_k="3"), step: "1", "seen": "1.2"}).status_code == 403
            )
        assert client.get(roll_back_page(world, 1)).status_code == 403
        assert client.post(roll_back_page(world, 1), {"reason": "x", "seen": "1.2"}).status_code == 403
        activate(world, client, 2)
    with tenant_tx(world.acme.tenant.id):
        assert AuditRecord.objects.filter(action="console.page", refused=True).count() == 10
    nobodys = f"{LIST}00000000-0000-7000-8000-000000000000/roll-back/"
    told = [staff.gus.post(page, {"reason": "x"}).status_code for page in (roll_back_page(world, 1), nobodys)]
    assert told == [403, 403]
    mei = log_in("mei", tenant=world.globex.tenant, role=Role.MANAGER)
    assert [mei.get(page).status_code for page in (roll_back_page(world, 1), nobodys)] == [404, 404]
    assert (read_active_version(world), len(list_documents(world))) == (1, 2)


def test_nobody_changes_or_removes_a_version(world: World, staff: Staff) -> None:
    page = version_address(world, 1)
    assert staff.mia.post(page, fill_form(world, recall__top_k="3")).status_code == 403
    assert staff.mia.post(page.replace("change", "delete"), {"post": "yes"}).status_code == 403
    assert list_documents(world) == [(1, {})]


def read_notices(page: str) -> list[str]:
    return re.findall(r"<li[^>]*>([^<]+)<", page.partition('class="messagelist"')[2].partition("</ul>")[0])


def test_a_new_version_is_announced_once(world: World, staff: Staff) -> None:
    saved = save_form(staff.mia, fill_form(world, recall__top_k="3"))
    page = staff.mia.get(saved["Location"]).content.decode()
    assert read_notices(page) == ["Version 2 was saved as a draft. It is not active yet."]


def test_versions_name_their_author(world: World, staff: Staff) -> None:
    save_form(staff.mia, fill_form(world, recall__top_k="3"))
    page = staff.vic.get(LIST).content.decode()
    assert "<bdi>mia</bdi>" in page
    assert "Created by" in page
    assert "<li>by mia</li>" in staff.vic.get(version_address(world, 2)).content.decode()
    assert staff.vic.get(f"{LIST}?q=mia").content.decode().count("<bdi>mia</bdi>") == 1


def test_an_activation_without_a_reason_keeps_its_choice(world: World, staff: Staff) -> None:
    make(world.acme, {"recall": {"top_k": 3}})
    page = activate(world, staff.mia, 2, reason="").content.decode()
    with tenant_tx(world.acme.tenant.id):
        chosen = PolicyVersion.objects.get(number=2).pk
    assert "give a reason" in page
    assert read_active_version(world) == 1
    (form,) = (form for form in forms_of(page) if "_selected_action" in form.fields)
    assert form.fields["_selected_action"] == [str(chosen)]
    assert form.fields["action"] == ["activate"]
    done = staff.mia.post(LIST, {**form.fields, "reason": ["tried it"]}, follow=True)
    assert "Version 2 is now active." in done.content.decode()


def test_a_choice_of_two_versions_keeps_rows_and_reason(world: World, staff: Staff) -> None:
    make(world.acme, {"recall": {"top_k": 3}})
    with tenant_tx(world.acme.tenant.id):
        both = [str(row.pk) for row in PolicyVersion.objects.order_by("-number")]
    body = {"action": "activate", "_selected_action": both, "reason": "试过 <b>", "seen": read_seen(staff.mia)}
    page = staff.mia.post(LIST, body).content.decode()
    (form,) = (form for form in forms_of(page) if "_selected_action" in form.fields)
    assert form.fields["_selected_action"] == both
    assert form.fields["reason"] == ["试过 <b>"]
    assert "choose one version" in page

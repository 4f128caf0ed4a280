"""All staff see policies; managers see a difference, save, activate and roll back. Rows: T3, T4, T7, D2."""

import re
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory_platform.console.policies.policy_forms import PolicyForm, make_input_name
from memory_platform.console.policies.setting_help import SETTING_HELP
from memory_platform.console.policies.setting_labels import SECTION_LABELS, SETTING_LABELS
from memory_platform.kernel.clock import utc_now
from snapshots.models import Indicator
from snapshots.policies import policy_sections
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, PolicyVersion, Role, Tenant
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff, log_in
from tests.snapshots.policies.test_effective_policies import make

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


def step_page(world: World, number: int, step: str) -> str:
    return version_address(world, number).replace("/change/", f"/{step}/")


def take_step(world: World, client: Any, number: int, step: str, reason: str = "tried it") -> Any:
    """Open the page of a step, and send its form."""
    address = step_page(world, number, step)
    page = read_inputs(client.get(address).content.decode())
    return client.post(address, {**page, "reason": reason}, follow=True)


def test_every_setting_has_a_name_for_people() -> None:
    assert SECTION_LABELS.keys() == policy_sections.SECTIONS.keys()
    assert (
        SETTING_LABELS.keys()
        == SETTING_HELP.keys()
        == {f"{name}.{field}" for name, section in policy_sections.SECTIONS.items() for field in section.kinds}
    )


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
    assert "Memories in an answer" in page
    assert "推荐: 900" in page
    assert "memories in an answer: 8 → 3" in staff.vic.get(LIST).content.decode()


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
        ("en", ("Nothing is saved yet", "Memories in an answer", "Back to editing", "Save draft")),
        ("zh-hans", ("尚未保存", "每次回答的记忆数", "返回编辑", "保存草稿")),
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
    cells = re.findall(r'<td(?: class="number")?><div[^>]*>(\d+)</div></td>', page)
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
    rows = ('__0__name" value="推荐"', '__0__value" value="900"')
    for kept in ('name="recall__top_k" value="3"', *rows, 'value="短 & good"', 'name="against" value="1"'):
        assert kept in page
    assert not re.search(r'name="ranking__use_recency"[^>]*checked', page)
    assert re.search(r'name="ranking__use_confidence"[^>]*checked', page)
    assert len(list_documents(world)) == 1


def test_it_is_compared_with_another_version(world: World, staff: Staff) -> None:
    make(world.acme, {"recall": {"top_k": 3}})
    page = staff.mia.post(ADD, fill_form(world, recall__top_k="5", against="2")).content.decode()
    assert "compared with version 2. Nothing is saved" in page
    assert re.findall(r'<td class="number"><div[^>]*>(\d+)</div></td>', page)[-2:] == ["3", "5"]
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
    take_step(world, staff.mia, 2, "activate")
    stale = staff.mia.post(ADD, {**page, "reason": "kept 留着", "_save": "1"})
    told = stale.content.decode()
    assert (stale.status_code, len(list_documents(world))) == (409, 2)
    assert "kept 留着" in told
    assert "compared with version 2, which is in force" in told
    assert staff.mia.post(ADD, {**read_inputs(told), "reason": "kept 留着", "_save": "1"}).status_code == 302
    assert list_documents(world)[-1] == (3, {"recall": {"top_k": 5}})


@pytest.mark.slow
def test_who_is_no_manager_sees_and_is_refused_on_record(world: World, staff: Staff) -> None:
    make(world.acme, {"recall": {"top_k": 3}})
    for client in (staff.vic, staff.sam):
        page = client.get(LIST).content.decode() + client.get(version_address(world, 1)).content.decode()
        assert "Memories in an answer" in page
        assert "compare/?before=" in client.get(version_address(world, 2)).content.decode()
        assert not re.search("/(roll-back|activate|replay|add)/", page)
        for step in ("_see", "_edit", "_save"):
            assert (
                client.post(ADD, {**fill_form(world, recall__top_k="3"), step: "1", "seen": "1.2"}).status_code == 403
            )
        for step in ("roll-back", "activate"):
            assert client.get(step_page(world, 2, step)).status_code == 403
            assert client.post(step_page(world, 2, step), {"reason": "x", "seen": "1.2"}).status_code == 403
    with tenant_tx(world.acme.tenant.id):
        assert AuditRecord.objects.filter(action="console.page", refused=True).count() == 14
    mei = log_in("mei", tenant=world.globex.tenant, role=Role.MANAGER)
    for step in ("roll-back", "activate"):
        pages = (step_page(world, 2, step), f"{LIST}00000000-0000-7000-8000-000000000000/{step}/", f"{LIST}x/{step}/")
        assert [staff.gus.post(page, {"reason": "x"}).status_code for page in pages] == [403] * 3
        assert [mei.get(page).status_code for page in pages] == [404] * 3
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
    assert read_notices(page) == ["Version 2 is saved as a draft; it is not active yet."]


def test_versions_name_their_author(world: World, staff: Staff) -> None:
    save_form(staff.mia, fill_form(world, recall__top_k="3"))
    page = staff.vic.get(LIST).content.decode()
    assert "<bdi>mia</bdi>" in page
    assert "Created by" in page
    assert "<li>created by mia</li>" in staff.vic.get(version_address(world, 2)).content.decode()
    assert staff.vic.get(f"{LIST}?q=mia").content.decode().count("<bdi>mia</bdi>") == 1


def test_a_version_shows_its_figures_beside_those_of_the_one_it_replaced(world: World, staff: Staff) -> None:
    save_form(staff.mia, fill_form(world, recall__top_k="24"))
    assert "Its effect" not in staff.mia.get(version_address(world, 2)).content.decode()
    take_step(world, staff.mia, 2, "activate")
    with tenant_tx(world.acme.tenant.id):
        for number, utilised in ((1, 30), (2, 60)):
            Indicator.objects.create(
                day=utc_now().date(), policy_version=str(number), contexts=100, replied=100, utilised=utilised
            )
    page = staff.mia.get(version_address(world, 2)).content.decode()
    effect = page.partition("Its effect")[2].partition("</table>")[0]
    assert effect.index("30.0% (") < effect.index("60.0% (")
    assert "version 1, before" in effect
    assert re.search(r"[▲▼] \d+%", page), "by how much the changed number moved"
    with tenant_tx(world.acme.tenant.id):
        acts = AuditRecord.objects.filter(object_kind="policy_version", action__startswith="policy").count()
        assert acts == AuditRecord.objects.filter(object_kind="policy_version").count() == 2, "each act is one row"


def test_the_form_marks_what_differs_and_opens_its_section(world: World, staff: Staff) -> None:
    make(world.acme, {"recall": {"top_k": 3}})
    page = staff.mia.get(f"{ADD}?based_on=2").content.decode()
    opened = re.findall(r'<details class="settings" id="section-(\w+)" open', page)
    assert opened == ["recall"]
    row = page[page.index('class="setting field-recall__top_k') :].partition("</div>\n  </div>")[0]
    assert 'data-base="3"' in row
    assert re.search(r"differs.>Default: <bdi>8</bdi>.*Version 2: ?<bdi>3</bdi>", row)
    sent = {**fill_form(world, based_on="2", recall__top_k="4"), "_edit": "1"}
    edited = staff.mia.post(ADD, sent).content.decode()
    assert "field-recall__top_k is-edited" in edited
    assert edited.count(" is-edited") == 1
    assert re.search(r"<output data-changed[^>]*>1 change<", edited)


def test_intents_are_rows_and_none_is_given_twice(world: World, staff: Staff) -> None:
    rows = {f"context__memory_by_intent__{n}__{part}": "" for n in range(3) for part in ("name", "value")}
    sent = {name: value for name, value in fill_form(world).items() if name != "context__memory_by_intent"} | rows
    sent |= {"context__memory_by_intent__0__name": "complaint", "context__memory_by_intent__0__value": "900"}
    twice = sent | {"context__memory_by_intent__2__name": "complaint", "context__memory_by_intent__2__value": "5"}
    refused = staff.mia.post(ADD, twice).content.decode()
    assert "Give each intent once" in refused
    assert refused.count('value="complaint"') == 4  # beside the suggestion and the default tier
    assert save_form(staff.mia, sent).status_code == 302
    assert list_documents(world)[-1] == (2, {"context": {"memory_by_intent": {"complaint": 900}}})

"""A person's page: what is theirs, what is another's, and what staff put right and take back there, in four looks.

Rows: D2, P9, P10, P11, T7.
"""

import httpx
import pytest
from playwright.sync_api import Locator, expect

from profiles.services.profile import FactChange, FactName
from profiles.services.subjects import put_subject
from profiles.services.value_claims import make_stated_claim
from snapshots.models import AboutKind, Note
from snapshots.policies.policy_sections import SECTIONS
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tenants.services.policies import activate_version, create_version, propose
from tests.browser.conftest import Look, SitDown
from tests.browser.roles.walk import Walk
from tests.browser.test_console import create_staff
from tests.conftest import House, World
from tests.snapshots.held import label, remember
from tests.snapshots.understanding.making import preferences, say, settle

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]


@pytest.fixture
def walk(world: World, sit_down: SitDown, look: Look) -> Walk:
    """Sam, who supports acme, before the start page."""
    create_staff("sam", world.acme.tenant)
    return Walk(sit_down("sam", **look.settings), look, names={"sam"})


def open_person(walk: Walk) -> None:
    walk.find_person("ada")
    walk.reach("ada", "ada")


def find_section(walk: Walk, key: str) -> Locator:
    """Return a section of the person's page, unfolded."""
    section = walk.page.locator(f"section[aria-labelledby=s-{key}]")
    for folded in section.locator("details:not([open]) > summary").all():
        folded.click()
    return section


def follow_row(walk: Walk, section: str, words: str) -> None:
    walk.click(find_section(walk, section).get_by_role("link", name=words, exact=True))


def list_labels(house: House, site: str) -> list[str]:
    """Return the labels of the places and contacts that the API gives of Ada."""
    answer = httpx.get(f"{site}/v1/subjects/ada/tags", headers=house.headers, timeout=60).raise_for_status()
    return [tag["label"] for tag in answer.json()["data"]]


@pytest.mark.parametrize("kind", ["place", "contact"])
def test_a_retired_place_or_contact_is_brought_back(world: World, site: str, walk: Walk, kind: str) -> None:
    acme, look = world.acme, walk.look
    office, lena = look.choose("office", "公司"), look.choose("Lena Low", "小丽")
    name = office if kind == "place" else lena
    label(acme, office, address=look.choose("12 Willow Lane, Portland", "上海市锦绣路100号"))
    label(acme, lena, kind="contact", phone="021-5888", relation=look.choose("sister", "妹妹"))
    walk.names = {*walk.names, "lena", "low"}
    open_person(walk)
    follow_row(walk, "tags", name)
    walk.follow_to("Retire", "停用")
    walk.confirm("Retire this memory", "停用这条记忆")
    walk.read_message("Retired. Recall no longer finds it.", "已停用，召回不再找到它。")
    assert list_labels(acme, site) == [lena if kind == "place" else office]
    page_of_tag = walk.page.url
    open_person(walk)
    expect(find_section(walk, "tags")).not_to_contain_text(name)
    walk.page.goto(page_of_tag)
    walk.undo_last()
    assert sorted(list_labels(acme, site)) == sorted([office, lena])
    open_person(walk)
    expect(find_section(walk, "tags")).to_contain_text(name)


def test_what_concerns_another_person_stands_under_that_person(world: World, walk: Walk) -> None:
    acme, look = world.acme, walk.look
    say(acme, look.choose("My sister is allergic to peanuts.", "我妹妹对花生过敏。"))
    settle(acme)
    assert list(preferences(acme)) == ["people"], "the allergy is hers"
    walk.names = {*walk.names, "allergies"}  # in the key of a preference
    open_person(walk)
    expect(find_section(walk, "preferences").locator("tbody tr")).to_contain_text(look.choose("sister", "妹妹"))
    row = walk.page.get_by_role("row").filter(has_text=look.choose("allergic to peanuts", "对花生过敏"))
    expect(row.locator(".faint").first).to_contain_text(look.choose("sister", "妹妹"))
    with tenant_tx(acme.tenant.id):
        assert Note.objects.get().about_kind != AboutKind.SELF


def test_what_the_assistant_said_is_shown(world: World, walk: Walk) -> None:
    words = walk.look.choose("You could read Moby Dick tonight.", "今晚可以读《白鲸》。")
    remember(world.acme, words, kind="reply")
    open_person(walk)
    find_section(walk, "replies")
    walk.look_at_page()
    follow_row(walk, "replies", words)
    expect(walk.page.locator(".object-header")).to_contain_text(words)
    walk.look_at_page()


def test_a_field_that_the_tenant_asks_for_is_shown_and_corrected(world: World, walk: Walk) -> None:
    acme, look = world.acme, walk.look
    meetings, reports = look.choose("too many meetings", "会议太多"), look.choose("late reports", "报表太慢")
    fields = {
        "pain_point": {"description": look.choose("What hurts in their work today.", "他们目前工作中的痛点和难处。")}
    }
    with tenant_tx(acme.tenant.id):
        version = create_version(propose({"fields": {"attributes": fields}}, SECTIONS), by=COMMAND_LINE, reason="t")
        activate_version(version.number, by=COMMAND_LINE, reason="t")
        change = FactChange(FactName("pain_point", is_attribute=True), make_stated_claim(meetings))
        put_subject("ada", changes=[change])
    walk.names = {*walk.names, "pain", "point"}
    open_person(walk)
    section = find_section(walk, "fields")
    expect(section).to_contain_text(meetings)
    walk.click(section.locator("tbody a").first)
    walk.follow_to("Correct", "更正")
    walk.page.fill("#id_value", reports)
    walk.confirm("Save the correction", "保存更正")
    walk.read_message("Corrected. It is believed from now on.", "已更正，从现在起以此为准。")
    walk.undo_last()
    open_person(walk)
    expect(find_section(walk, "fields")).to_contain_text(meetings)


def test_a_note_is_marked_vital_and_not_vital(world: World, walk: Walk) -> None:
    look = walk.look
    text = look.choose("I always take my son to school by car.", "我总是开车送儿子上学。")
    open_person(walk)
    walk.follow_to("Add a note", "添加笔记")
    walk.write("The note", "笔记内容", text)
    walk.confirm("Add a note", "添加笔记")
    walk.read_message("Added. The next answer can use it.", "已添加。下一次回答即可使用。")
    for chosen, section in (("safety", "vital"), ("", "notes")):
        walk.unfold_more()
        walk.follow_to("Vital or not", "是否至关重要")
        walk.page.locator(f"[name=vital_class][value='{chosen}']").check()
        walk.confirm("Save", "保存")
        walk.read_message("Saved.", "已保存。")
        open_person(walk)
        expect(find_section(walk, section)).to_contain_text(text)
        other = "notes" if section == "vital" else "vital"
        expect(walk.page.locator(f"section[aria-labelledby=s-{other}]")).to_have_count(0)
        follow_row(walk, section, text)

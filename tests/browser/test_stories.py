"""Forms and roles at work: two at the same memory, a viewer, somebody of another tenant. Rows: D2, E8, T3, T7."""

from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from memory_platform.console.memory_actions.action_page import build_action_address
from memory_platform.console.shared.tenant_switch_guard import TENANT_FIELD
from memory_platform.console.shared.value_rendering import build_change_address
from memory_platform.kernel.ids import new_id
from profiles.models import Preference, Subject, Tag
from snapshots.models import MemoryAct, MemoryLane, Message, Receipt, Snapshot
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, Role
from tests.browser.conftest import SitDown
from tests.browser.test_console import create_staff
from tests.conftest import House, World
from tests.snapshots.understanding.making import preferences, say, settle

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TOLD = (Subject, Preference, Tag, Receipt, Message, Snapshot)


@dataclass(frozen=True, slots=True)
class Talk:
    """What a subject said and asked, and how support puts it right, in which language."""

    locale: str
    said: tuple[str, ...]
    known_by: str
    question: str
    label: str
    wrong: str
    right: str


ENGLISH = Talk(
    "en-US",
    ("My home is at 12 Willow Lane, Portland.", "From now on always take the highway when you navigate."),
    "willow lane",
    "Navigate home, please.",
    "route",
    "highway",
    "side streets",
)
CHINESE = Talk(
    "zh-CN",
    ("我家在上海市浦东新区锦绣路100号。", "以后导航都走高速。"),
    "锦绣路",
    "导航回家",
    "路线",
    "高速",
    "地面道路",
)
TALKS = {talk.locale: talk for talk in (ENGLISH, CHINESE)}


def tell_story(house: House, talk: Talk) -> None:
    say(house, *talk.said)
    settle(house)


def ask_for_context(house: House, site: str, talk: Talk) -> str:
    """Ask for a context over HTTP; return the text of its prompt."""
    url = f"{site}/v1/subjects/{house.subject.external_id}/context"
    answer = httpx.post(url, headers=house.headers, json={"query": talk.question}, timeout=60)
    assert answer.status_code == 200, answer.text
    return "\n".join(message["content"] for message in answer.json()["messages"])


def missing_from(text: str, *words: str) -> list[str]:
    return [word for word in words if word not in text]


def load_newest(house: House, model: Any) -> Any:
    with tenant_tx(house.tenant.id):
        return model.objects.order_by("-id").first()


def test_of_two_who_review_the_second_is_told(world: World, site: str, sit_down: SitDown) -> None:
    say(world.acme, "I think I like the AC at 22 degrees", "空调好像26度最舒服。")
    settle(world.acme)
    pages = {}
    for name in ("mia", "sam"):
        create_staff(name, world.acme.tenant)
        pages[name] = sit_down(name)
        pages[name].goto("/console/profiles/candidate/review/")
        expect(pages[name].locator("mark")).to_have_text("空调好像26度最舒服")
    pages["sam"].keyboard.press("a")
    expect(pages["sam"].locator(".messagelist")).to_contain_text("Accepted")
    pages["mia"].keyboard.press("r")
    pages["mia"].keyboard.type("she said so in jest")
    pages["mia"].keyboard.press("Enter")
    expect(pages["mia"].locator(".messagelist")).to_contain_text("Somebody else has already decided this one")
    with tenant_tx(world.acme.tenant.id):
        decided = AuditRecord.objects.filter(action__startswith="candidate.").exclude(action__regex="viewed|listed")
        assert decided.count() == 1


def test_a_viewer_sees_and_may_not_act(world: World, site: str, sit_down: SitDown) -> None:
    acme = world.acme
    tell_story(acme, ENGLISH)
    say(acme, "I think I like the AC at 22 degrees", "空调好像26度最舒服。", conversation="c2")
    settle(acme)
    create_staff("vic", acme.tenant, Role.VIEWER)
    page = sit_down("vic")
    with tenant_tx(acme.tenant.id):
        wish = Preference.objects.get(key="route")
    page.goto(build_change_address(Subject, acme.subject.pk))
    expect(page.locator(".subject")).to_contain_text("highway")
    expect(page.locator("a[href*='/erase/'], a[href*='/export/'], a[href*='playground']")).to_have_count(0)
    page.goto(build_change_address(Preference, wish.pk))
    expect(page.locator("#content")).to_contain_text("highway")
    expect(page.locator("a[href*='/act/'], #content input[type=submit], #content button:not(.copy)")).to_have_count(0)
    page.goto("/console/profiles/candidate/review/")
    expect(page.locator("mark")).to_be_visible()
    expect(page.locator("#review-form")).to_have_count(0)
    page.keyboard.press("a")
    token = page.locator(".language-chooser [name=csrfmiddlewaretoken]").input_value()
    sent: Any = {
        "csrfmiddlewaretoken": token,
        TENANT_FIELD: page.locator(f".language-chooser [name={TENANT_FIELD}]").input_value(),
        "reason": "curious",
        "value": "x",
        "version": f"{wish.pk}.{wish.version}",
    }
    for address in (build_action_address(wish, "correct"), f"/console/profiles/subject/{acme.subject.pk}/erase/"):
        answer = page.context.request.post(f"{site}{address}", form=sent, headers={"Referer": f"{site}/console/"})
        assert answer.status == 403
    with tenant_tx(acme.tenant.id):
        assert AuditRecord.objects.filter(refused=True).count() == 2, "refused for the role, not for a missing token"
        assert not MemoryAct.objects.exists()


def test_another_tenants_member_sees_nothing_of_a_person(world: World, site: str, sit_down: SitDown) -> None:
    acme = world.acme
    tell_story(acme, ENGLISH)
    tell_story(acme, CHINESE)
    ask_for_context(acme, site, ENGLISH)
    create_staff("gus", world.globex.tenant, Role.MANAGER)
    page = sit_down("gus")
    words = ("willow", "锦绣路", "highway", "高速")
    for q in (*words, "ada", "wilow lane"):
        page.goto(f"/console/profiles/subject/find/?q={q}")
        expect(page.locator(".find-note")).to_be_visible()
        expect(page.locator(".found")).to_have_count(0)
    for model in TOLD:
        at = f"/console/{model._meta.app_label}/{model._meta.model_name}/"
        page.goto(at)
        assert not [word for word in words if word in page.content().lower()], model
        row = load_newest(acme, model)
        pages = [read_page(page, f"{at}{one}/change/", str(one)) for one in (row.pk, new_id())]
        assert pages[0] == pages[1], f"{model}: an id that nobody has is answered otherwise"
        assert not [word for word in words if word in pages[0][1].lower()], model
        if model is Subject:
            assert pages[0][0] == 404


def read_page(page: Page, address: str, own: str) -> tuple[int, str]:
    answer = page.goto(address)
    assert answer is not None
    return answer.status, page.locator("body").inner_text().replace(own, "ID")


def test_a_form_that_is_overtaken_keeps_what_was_typed(world: World, sit_down: SitDown) -> None:
    acme = world.acme
    tell_story(acme, CHINESE)
    pages = {}
    for name in ("mia", "sam"):
        create_staff(name, acme.tenant)
        pages[name] = sit_down(name)
        pages[name].goto(build_action_address(load_newest(acme, Preference), "correct"))
        pages[name].fill("#id_value", f"{name}'s way")
        pages[name].fill("#id_reason", "asked her")
    pages["mia"].click(".act-submit button")
    expect(pages["mia"].locator(".messagelist")).to_contain_text("Corrected")
    pages["sam"].click(".act-submit button")
    expect(pages["sam"].locator(".overtaken")).to_contain_text("mia's way")
    expect(pages["sam"].locator("#id_value")).to_have_value("sam's way")
    pages["sam"].click(".act-submit button")
    expect(pages["sam"].locator(".messagelist")).to_contain_text("Corrected")
    assert preferences(acme)["navigation"]["route"] == "sam's way"


def test_a_double_click_acts_once(world: World, sit_down: SitDown) -> None:
    tell_story(world.acme, ENGLISH)
    create_staff("sam", world.acme.tenant)
    page = sit_down("sam")
    page.goto(build_action_address(load_newest(world.acme, Preference), "retire"))
    page.fill("#id_reason", "asked her")
    page.dblclick(".act-submit button")
    expect(page.locator(".messagelist")).to_be_visible()
    with tenant_tx(world.acme.tenant.id):
        assert MemoryAct.objects.filter(lane=MemoryLane.PREFERENCES).count() == 1

"""Small things that misled (B17).

An id pasted with blanks was not taken, and the back button after an erasure counted as refused. A lost session lost
the words and said nothing. A poor score filled its bar, and a place was known since the wrong day. A merge without a
partner asked why, and what one had done oneself was somebody else's.

Rows: D2, E8, G1, P4, T7.
"""

import re

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect

from memory_platform.console.memory_actions.action_page import build_action_address
from memory_platform.console.shared.value_rendering import build_change_address
from profiles.models import Erasure, Preference, Subject
from snapshots.models import MemoryAct, Receipt
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, Role
from tests.browser.bugs.conftest import Look
from tests.browser.bugs.flaws import find_flaws, get_talk
from tests.browser.conftest import SitDown
from tests.browser.test_console import PASSWORD, create_staff
from tests.browser.test_stories import ask_for_context, load_newest, tell_story
from tests.conftest import World
from tests.snapshots.held import prefer
from tests.snapshots.understanding.making import preferences

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]


def choose_from_more(page: Page, look: Look, english: str, chinese: str) -> None:
    page.locator(".acts-more summary").click()
    page.locator(".acts-more").get_by_role("link", name=look.choose(english, chinese), exact=True).click()


def test_a_person_is_erased_by_a_pasted_id_and_going_back_is_no_offence(
    world: World, site: str, sit_down: SitDown, look: Look
) -> None:
    acme, talk = world.acme, get_talk(look)
    tell_story(acme, talk)
    ask_for_context(acme, site, talk)
    create_staff("mia", acme.tenant, Role.MANAGER)
    page = sit_down("mia", **look.settings)
    person = build_change_address(Subject, acme.subject.pk)
    page.goto(person)
    erase_shown_person(page, look)
    page.evaluate("history.go(-2)")  # past the form that was sent with the wrong id
    page.wait_for_url("**/erase/")
    gone = page.get_by_role("alert")
    nothing = look.choose("Nothing was found at this address", "此地址没有内容，或者内容不在您当前所在的租户中。")
    expect(gone).to_contain_text(nothing)
    answer = page.go_back()
    assert answer is not None
    assert (answer.status, answer.url) == (404, f"{site}{person}")
    expect(gone).to_contain_text(nothing)
    expect(page.locator("#content-main")).not_to_contain_text(talk.known_by)
    page.goto(f"/console/profiles/subject/find/?q={talk.known_by}")
    expect(page.locator(".found")).to_have_count(0)
    with tenant_tx(acme.tenant.id):
        assert not Subject.objects.exists()
        assert Erasure.objects.get().state == "done"
        assert not AuditRecord.objects.filter(refused=True).exists()


def erase_shown_person(page: Page, look: Look) -> None:
    """Erase the person shown, at first with an id that is none, then with theirs as it was pasted."""
    choose_from_more(page, look, "Erase", "抹除")
    for typed in ("Ada", " ada "):
        page.get_by_label(look.choose("Id of the person, typed by hand", "手动输入用户 ID")).fill(typed)
        page.get_by_label(look.choose("Reason", "原因")).fill("asked by the person")
        assert find_flaws(page, look, "ada", "mia") == []
        page.get_by_role("button", name=look.choose("Erase for good", "永久抹除")).click()
        if typed == "Ada":
            wrong = ("This is not the id of this person.", "这不是该用户的 ID，请按显示的内容准确输入。")
            expect(page.locator(".errorlist")).to_contain_text(look.choose(*wrong))
    expect(page.locator(".messagelist")).to_contain_text(look.choose("This is the certificate", "这是证书"))
    expect(page.locator("a[href$='certificate.json']")).to_have_count(1)
    expect(page.locator("#content")).not_to_contain_text(re.compile(r"\bada\b"))  # a signature may hold the letters


def test_a_lost_session_is_explained_and_keeps_one_s_own_words(
    world: World, site: str, sit_down: SitDown, look: Look
) -> None:
    tell_story(world.acme, get_talk(look))
    create_staff("sam", world.acme.tenant)
    create_staff("mia", world.acme.tenant)
    wish = load_newest(world.acme, Preference)
    form = build_action_address(wish, "correct")
    page = sit_down("sam", **look.settings)
    page.goto(form)
    page.fill("#id_value", "side streets 地面道路")
    page.fill("#id_reason", "asked her")
    for name, value, reason in (("sam", "side streets 地面道路", "asked her"), ("mia", wish.value, "")):
        Session.objects.all().delete()
        page.locator(".act-submit button").click()
        expect(page.locator(".messagelist")).to_contain_text(
            look.choose("Nothing was saved. Your log-in has ended", "未保存任何内容。 您的登录已结束")
        )
        assert find_flaws(page, look) == []
        assert load_newest(world.acme, Preference).value == wish.value
        page.get_by_label(look.choose("Username", "用户名")).fill(name)
        page.get_by_label(look.choose("Password", "密码")).fill(PASSWORD)
        page.get_by_role("button", name=look.choose("Log in", "登录"), exact=True).click()
        page.wait_for_url(f"**{form}")
        expect(page.locator("#id_value")).to_have_value(value)
        expect(page.locator("#id_reason")).to_have_value(reason)
    page.fill("#id_value", "side streets 地面道路")
    page.fill("#id_reason", "asked her")
    page.locator(".act-submit button").click()
    expect(page.locator(".messagelist")).to_contain_text(look.choose("Corrected.", "已更正，"))
    assert preferences(world.acme)["navigation"]["route"] == "side streets 地面道路"


def test_an_answer_s_bars_are_shares_of_one_and_its_days_are_those_of_the_words(
    world: World, site: str, sit_down: SitDown, look: Look
) -> None:
    acme, talk = world.acme, get_talk(look)
    tell_story(acme, talk)
    ask_for_context(acme, site, talk)
    create_staff("sam", acme.tenant)
    page = sit_down("sam", **look.settings)
    page.goto(build_change_address(Receipt, load_newest(acme, Receipt).pk))
    bars = page.locator(".why-score > summary:has(meter)")
    assert bars.count() > 0
    for bar in bars.all():
        full, length = bar.locator("meter").evaluate("(one) => [one.max, one.value]")
        assert full == 1
        assert f"{length:.3f}" == bar.locator(".number").text_content()
    known = re.compile(look.choose(r"16 Nov 2026:\n- home: ", r"2026年11月16日：\n- 家: "))
    expect(page.locator(".why-prompt pre").first).to_have_text(known)
    # The prompt calls how sure it is by English words in every language.
    assert find_flaws(page, look, "sam", "high", "medium", "low") == []


def test_a_merge_without_a_partner_asks_for_nothing(world: World, sit_down: SitDown, look: Look) -> None:
    prefer(world.acme, "food", "diet", "vegan 纯素")
    create_staff("sam", world.acme.tenant)
    page = sit_down("sam", **look.settings)
    own = build_change_address(Preference, load_newest(world.acme, Preference).pk)
    page.goto(own)
    choose_from_more(page, look, "Merge", "合并")
    expect(page.locator("#content-main")).to_contain_text(
        look.choose("There is no other memory of this kind.", "没有其他同类记忆。")
    )
    expect(page.locator("main").get_by_role("textbox")).to_have_count(0)
    expect(page.locator("main").get_by_role("button")).to_have_count(0)
    assert find_flaws(page, look, "sam", "ada", "vegan", "diet", "food") == []
    page.get_by_role("link", name=look.choose("Back to its page", "返回其页面")).click()
    page.wait_for_url(f"**{own}")


def test_what_one_did_in_another_tab_is_not_somebody_else_s(world: World, sit_down: SitDown, look: Look) -> None:
    prefer(world.acme, "food", "diet", "vegan 纯素")
    create_staff("sam", world.acme.tenant)
    first = sit_down("sam", **look.settings)
    second = first.context.new_page()
    for page, verb in ((first, ("Correct", "更正")), (second, ("Retire", "停用"))):
        page.goto(build_change_address(Preference, load_newest(world.acme, Preference).pk))
        page.locator(".acts").get_by_role("link", name=look.choose(*verb), exact=True).click()
    for page in (second, first):
        page.get_by_label(look.choose("Reason", "原因")).fill("ticket 4711")
    second.get_by_role("button", name=look.choose("Retire this memory", "停用这条记忆")).click()
    expect(second.locator(".messagelist")).to_contain_text(look.choose("Retired.", "已停用，"))
    first.locator("#id_value").fill("fish 鱼")
    first.get_by_role("button", name=look.choose("Save the correction", "保存更正")).click()
    expect(first.get_by_role("alert")).to_contain_text(
        look.choose(
            "You have retired or replaced this yourself in the meantime, maybe in another tab. Nothing was done.",
            "其间您自己已将其停用或取代，可能是在另一个标签页中。未执行任何操作。",
        )
    )
    assert find_flaws(first, look, "sam", "ada", "vegan", "diet", "food", "fish", "ticket") == []
    assert preferences(world.acme) == {}
    with tenant_tx(world.acme.tenant.id):
        assert MemoryAct.objects.count() == 1

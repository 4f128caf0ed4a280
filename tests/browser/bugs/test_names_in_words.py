"""Messages, columns and choices named people, keys and limits by their numbers, and one save was told twice (B11).

Rows: D2, T7, T6, E8.
"""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from memory_platform.console.shared.value_rendering import build_change_address
from profiles.models import Erasure, Subject
from snapshots.models import Receipt
from tenants.isolation import tenant_tx
from tenants.models import Member, PolicyVersion, UsageLimit
from tests.browser.bugs.conftest import Look
from tests.browser.bugs.flaws import find_flaws, follow_menu
from tests.browser.conftest import SitDown
from tests.browser.test_console import create_staff
from tests.conftest import House, World
from tests.memory_platform.console.conftest import open_support_for
from tests.memory_platform.console.transcript.asking import ask

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]
NUMBER = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}|“\d+”|\d+:manager")


@pytest.fixture
def page(world: World, sit_down: SitDown, look: Look) -> Page:
    """Olga, the operator, at work in acme, where Sam is a member."""
    create_staff("sam", world.acme.tenant)
    User.objects.create_superuser("olga")
    open_support_for("olga", world.acme.tenant)
    page = sit_down("olga", **look.settings)
    page.goto("/console/switch/")
    page.get_by_role("button", name="Acme").click()
    return page


def save(page: Page, look: Look, button: tuple[str, str], reason: str = "ticket 工单 4711") -> None:
    page.get_by_label(look.choose("Reason", "原因"), exact=True).fill(reason)
    page.get_by_role("button", name=look.choose(*button), exact=True).click()


def expect_message(page: Page, text: str) -> None:
    """Expect one message with this text, and no number in it that only a machine knows."""
    expect(page.locator(".messagelist li")).to_have_count(1)
    expect(page.locator(".messagelist")).to_contain_text(text)
    assert not NUMBER.search(page.locator(".messagelist").inner_text())


def test_members_limits_policies_and_erasures_are_named(world: World, page: Page, look: Look) -> None:
    acme = world.acme
    follow_menu(page, look, ("Settings", "设置"))
    page.locator("#result_list").get_by_role("link", name="sam").click()
    page.get_by_label(look.choose("Role", "角色")).select_option(label=look.choose("viewer", "查看者"))
    save(page, look, ("Change role", "更改角色"))
    expect_message(page, "“sam”")
    set_limit_of_key(page, look)
    save_draft_of_policy(page, look)
    follow_menu(page, look, ("Policies", "策略"))
    expect(page.locator("#result_list tbody tr").first).to_contain_text("olga")
    assert find_flaws(page, look, "olga", "ticket", "tests") == []
    page.goto(build_change_address(Subject, acme.subject.pk))
    erase_shown_person(page, look)
    page.goto("/console/profiles/erasure/")
    expect(page.locator("#result_list tbody tr")).to_contain_text("olga")
    follow_menu(page, look, ("Audit", "审计"))
    changed = page.locator("#result_list tbody tr", has_text=look.choose("set the role of", "角色")).first
    expect(changed).to_contain_text("sam")
    expect(changed).to_contain_text("olga")
    assert find_flaws(page, look, "olga", "sam", "ticket", "tests") == []
    check_stored(acme)


def set_limit_of_key(page: Page, look: Look) -> None:
    follow_menu(page, look, ("Limits", "限额"))
    page.get_by_role("link", name=look.choose("New limit", "新建限额")).click()
    choice = page.locator("#id_api_key")
    expect(choice.locator("option")).to_have_text(
        [look.choose("the whole tenant", "整个租户"), re.compile(r"^tests \(\w+\)$")]
    )
    key = re.findall("[a-z]{3,}", choice.inner_text().lower())
    choice.select_option(index=1)
    page.locator("#id_requests_per_second").fill("7")
    assert find_flaws(page, look, "sam", "olga", *key) == []
    save(page, look, ("Set the limit", "设置限额"))
    expect_message(page, "“tests (")
    expect(page.locator("#result_list")).to_contain_text("tests (")


def save_draft_of_policy(page: Page, look: Look) -> None:
    follow_menu(page, look, ("Policies", "策略"))
    page.get_by_role("link", name=look.choose("New policy version", "新建策略版本")).click()
    page.locator("#section-recall > summary").click()
    page.locator("#id_recall__top_k").fill("3")
    save(page, look, ("Save draft", "保存草稿"))
    saved = ("Version 2 is saved as a draft; it is not active yet.", "版本 2 已保存为草稿，尚未启用。")
    expect_message(page, look.choose(*saved))


def erase_shown_person(page: Page, look: Look) -> None:
    page.locator(".acts-more summary").click()
    page.get_by_role("link", name=look.choose("Erase", "抹除"), exact=True).click()
    page.get_by_label(re.compile(look.choose("Id of the person", "手动输入用户 ID"), re.IGNORECASE)).fill("ada")
    save(page, look, ("Erase for good", "永久抹除"))
    expect(page.locator(".letter")).to_contain_text("olga")


def check_stored(house: House) -> None:
    with tenant_tx(house.tenant.id):
        assert Member.objects.get(user__username="sam").role == "viewer"
        assert UsageLimit.objects.get().requests_per_second == 7
        assert PolicyVersion.objects.count() == 2
        assert Erasure.objects.count() == 1


def test_answers_outside_an_experiment_are_chosen_by_a_word(world: World, page: Page, look: Look) -> None:
    first, _second = ask(world.acme, "Which way? 怎么走？", None), ask(world.acme, "Which seat? 哪个座位？", None)
    with tenant_tx(world.acme.tenant.id):
        Receipt.objects.filter(pk=first.pk).update(experiment="shorter 更短", arm="control 对照")
    follow_menu(page, look, ("Answers", "回答"))
    if look.size == "phone":
        page.get_by_text(re.compile(look.choose("Filters", "筛选"))).last.click()
    for name in (look.choose("experiment", "实验"), look.choose("arm", "分组")):
        choice = page.locator(".list-filter-dropdown", has_text=name).locator("select")
        assert "-" not in [option.strip() for option in choice.locator("option").all_inner_texts()]
    assert find_flaws(page, look, "shorter", "control", "which", "way", "seat", "olga", "tests") == []
    choice = page.locator(".list-filter-dropdown", has_text=look.choose("experiment", "实验")).locator("select")
    choice.select_option(label=look.choose("none", "无"))
    expect(page.locator("#result_list tbody tr")).to_have_count(1)
    expect(page.locator("#result_list tbody tr")).to_contain_text("哪个座位？")

"""Pages, labels and titles that said something else than they are.

Breadcrumbs and an app's address led elsewhere than the menu says (B15). The dry run of a platform-wide job asked for a
support session (B12). A Chinese label was a unit, "条记忆" (B16). The operator was called a manager, managers were said
to open the operator's pages to others, and ten tabs had one title (B17).

Rows: D2, T3, E9.
"""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from memory_platform.beat_scheduler import sync_schedule
from memory_platform.console.shared.value_rendering import build_change_address
from profiles.models import Preference, Subject
from snapshots.models import Receipt
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, Role, SupportSession
from tests.browser.bugs.conftest import Look
from tests.browser.bugs.flaws import find_flaws, follow_menu, get_talk
from tests.browser.conftest import SitDown
from tests.browser.test_console import create_staff
from tests.browser.test_stories import ask_for_context, load_newest, tell_story
from tests.conftest import World

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]
PLATFORM, SETTINGS = ("Platform", "平台"), ("Settings", "设置")


def sit_down_as_operator(world: World, sit_down: SitDown, look: Look) -> Page:
    """Return the start page of Olga, the operator, who works in acme without a support session."""
    User.objects.create_superuser("olga")
    page = sit_down("olga", **look.settings)
    page.goto("/console/switch/")
    page.get_by_role("button", name="Acme").click()
    return page


def expect_crumbs(page: Page, look: Look, *names: tuple[str, str]) -> None:
    words = page.locator(".breadcrumbs").inner_text().split("›")
    assert [" ".join(one.split()) for one in words] == [look.choose(*one) for one in (("Home", "首页"), *names)]


def test_headings_and_breadcrumbs_repeat_the_menu(world: World, sit_down: SitDown, look: Look) -> None:
    sync_schedule()
    page = sit_down_as_operator(world, sit_down, look)
    if look.size == "desk":
        expect(page.locator(".desk-role").first).to_have_text(look.choose("operator", "平台运营者"))
    for entry, lists in (
        (SETTINGS, [("Members", "成员")]),
        (PLATFORM, [("Timetable", "时间表"), ("Job runs", "作业运行记录"), ("Users", "账号")]),
        (("Models", "模型"), [("Model prices", "模型价格")]),
        (("Quality", "质量"), [("Usage and cost", "用量与费用")]),
    ):
        follow_menu(page, look, entry)
        for below in lists:
            follow_menu(page, look, below)
            expect(page.locator("#content h1")).to_have_text(look.choose(*below))
            expect_crumbs(page, look, entry, below)
            rows = " ".join(page.locator("#result_list").all_inner_texts()).lower()
            assert find_flaws(page, look, "csv", "usd", *re.findall("[a-z]{3,}", rows)) == [], below
        page.locator(".breadcrumbs").get_by_role("link", name=look.choose(*entry), exact=True).click()
        expect(page.locator("#menu [aria-current]")).to_have_text(
            look.choose(*(("Members", "成员") if entry == SETTINGS else entry))
        )
    page.goto("/console/tenants/")  # where a list of the tenant's models once was
    expect(page.locator("#content h1")).to_have_text(look.choose("Members", "成员"))


def test_a_dry_run_shows_numbers_without_a_support_session(world: World, sit_down: SitDown, look: Look) -> None:
    sync_schedule()
    page = sit_down_as_operator(world, sit_down, look)
    for job, told in (
        (
            "continue-jobs",
            ("What the job would do for the whole platform if it ran now.", "如果现在运行，该作业对整个平台将做什么。"),
        ),
        ("purge-expired", ("What the job would do in Acme if it ran now.", "如果现在运行，该作业将在 Acme 中做什么。")),
    ):
        follow_menu(page, look, PLATFORM)
        page.locator("#content").get_by_role("link", name=look.choose("Timetable", "时间表"), exact=True).click()
        row = page.get_by_role("row").filter(has_text=job)
        row.get_by_role("link", name=look.choose("dry run", "试运行")).click()
        expect(page.locator("#content-main")).to_contain_text(look.choose(*told))
        expect(page.get_by_role("textbox", name=look.choose("Reason", "原因"))).to_have_count(0)
        assert find_flaws(page, look, "olga", "continue", "jobs", "purge", "expired") == [], job
    page.get_by_role("link", name=look.choose("Rows due for deletion, all tenants", "全部租户待删除的行")).click()
    expect(page.locator("#content-main")).to_contain_text(
        look.choose("Nothing is due for deletion in these days.", "这些天没有待删除的行。")
    )
    assert find_flaws(page, look, "olga", "purge", "expired") == []
    with tenant_tx(world.acme.tenant.id):
        assert not SupportSession.objects.exists()
        previewed = AuditRecord.objects.filter(action="job.previewed").order_by("at")
        assert list(previewed.values_list("object_id", flat=True)) == ["continue-jobs", "purge-expired"]


def test_the_room_for_memories_has_a_name(world: World, sit_down: SitDown, look: Look) -> None:
    create_staff("mia", world.acme.tenant, Role.MANAGER)
    page = sit_down("mia", **look.settings)
    page.goto("/console/")
    follow_menu(page, look, ("Policies", "策略"))
    page.get_by_role("link", name=look.choose("New policy version", "新建策略版本")).click()
    expect(page.locator("#content h1")).to_have_text(look.choose("New policy version", "新建策略版本"))
    page.evaluate("document.querySelectorAll('details.settings').forEach((one) => { one.open = true; })")
    names = page.locator(".setting-name :is(label, span:first-child)").all_inner_texts()
    assert look.choose("Memories", "记忆") in names
    assert [name for name in names if name.startswith(("条", "个"))] == []
    assert find_flaws(page, look) == []


def test_the_operator_s_pages_are_not_promised_to_others(world: World, sit_down: SitDown, look: Look) -> None:
    create_staff("sam", world.acme.tenant)
    page = sit_down("sam", **look.settings)
    for number, end in enumerate(("auth/user/", "tenants/tenant/", "admin_interface/theme/"), 1):
        page.goto(f"/console/{end}")
        expect(page.get_by_role("alert")).to_have_text(
            look.choose("Only a platform operator may see this page.", "只有平台运营者可以查看此页。")
        )
        expect(page.locator("#content-main")).not_to_contain_text(look.choose("manager", "管理员"))
        assert find_flaws(page, look, "sam") == [], end
        with tenant_tx(world.acme.tenant.id):
            assert AuditRecord.objects.filter(refused=True).count() == number
    page.get_by_role("link", name=look.choose("Back to the console", "返回控制台")).click()
    expect(page.locator("#content h1")).to_have_text(look.choose("Home", "首页"))


def test_tabs_are_told_apart_by_their_titles(world: World, site: str, sit_down: SitDown, look: Look) -> None:
    acme, talk = world.acme, get_talk(look)
    tell_story(acme, talk)
    ask_for_context(acme, site, talk)
    create_staff("sam", acme.tenant)
    first = sit_down("sam", **look.settings)
    titles = []
    for model, begin in ((Subject, "ada"), (Receipt, talk.question), (Preference, talk.wrong)):
        page = first.context.new_page()
        page.goto(build_change_address(model, load_newest(acme, model).pk))
        expect(page).to_have_title(re.compile(f"{re.escape(begin)}.*\\| Acme \\| "))
        titles.append(page.title().split(" | ")[0])
    assert len(set(titles)) == len(titles)

"""Who gets access and who loses it. Rows: D2, T3, T7, D14.

B2: the last manager removed herself with two clicks. B3: a manager could not invite a colleague, and took any stranger
whose user name she guessed.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from tenants.isolation import tenant_tx
from tenants.models import Invitation, Member, Role
from tests.browser.bugs.conftest import Look
from tests.browser.bugs.navigation import check_page, fill_field, find_row, open_page, press_control
from tests.browser.conftest import SitDown
from tests.browser.test_console import create_staff
from tests.conftest import House, World

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]
PASSWORD = "a-good-long-word-41"


def list_roles(house: House) -> dict[str, str]:
    with tenant_tx(house.tenant.id):
        return dict(Member.objects.values_list("user__username", "role"))


def open_role_form(page: Page, look: Look, who: str, role: str) -> None:
    """Open a member's page, and choose a role and a reason."""
    open_page(page, look, "Settings", "设置")
    find_row(page, who).get_by_role("link", name=who, exact=True).click()
    fill_field(page, look, "Role", "角色", role)
    fill_field(page, look, "Reason", "原因", look.choose("a new task", "岗位变动"))


def remove_from_list(page: Page, look: Look, who: str) -> None:
    open_page(page, look, "Settings", "设置")
    find_row(page, who).get_by_role("checkbox").check()
    fill_field(page, look, "Reason", "原因", look.choose("leaving", "离职"))
    check_page(page, look)
    press_control(page, look, "Remove from this tenant", "从本租户移除")


def leave_tenant(page: Page, look: Look) -> None:
    """Remove oneself on one's own page, after its warning."""
    expect(page.locator("#content .errornote")).to_contain_text(
        look.choose("This is you, manager of Acme.", "这是您自己：Acme 的管理员。")
    )
    check_page(page, look)
    fill_field(page, look, "Reason", "原因", look.choose("leaving", "离职"))
    press_control(page, look, "Remove from Acme", "从 Acme 移除")


def test_the_last_manager_stays_and_another_one_leaves_after_a_warning(
    world: World, look: Look, sit_down: SitDown
) -> None:
    acme = world.acme
    create_staff("mia", acme.tenant, Role.MANAGER)
    create_staff("sam", acme.tenant)
    page = sit_down("mia", **look.settings)
    page.goto("/console/")
    last = look.choose("mia is the last active manager of this tenant", "mia 是此租户最后一位有效的管理员")

    remove_from_list(page, look, "mia")
    expect(page.locator(".messagelist")).to_contain_text(
        look.choose("Nothing was done: you chose yourself, too.", "未执行任何操作：所选成员中包括您自己。")
    )
    check_page(page, look)
    page.locator(".messagelist").get_by_role("link").click()
    expect(page.locator("#content .errornote")).to_contain_text(last)
    expect(page.locator("#content").get_by_role("button")).to_have_count(0)
    check_page(page, look)
    open_role_form(page, look, "mia", look.choose("support", "客服"))
    page.get_by_label(look.choose("Yes, lower my own role", "是，降低我自己的角色")).check()
    press_control(page, look, "Change role", "更改角色")
    expect(page.locator("#content .errorlist").first).to_contain_text(last)
    check_page(page, look)
    assert list_roles(acme) == {"mia": "manager", "sam": "support"}

    open_role_form(page, look, "sam", look.choose("manager", "管理员"))
    press_control(page, look, "Change role", "更改角色")
    assert list_roles(acme) == {"mia": "manager", "sam": "manager"}
    remove_from_list(page, look, "mia")
    page.locator(".messagelist").get_by_role("link").click()
    leave_tenant(page, look)
    expect(page.locator(".messagelist")).to_have_text(look.choose("You have left Acme.", "您已退出 Acme。"))
    expect(page.locator("#content")).to_contain_text(
        look.choose("You are not a member of any tenant yet.", "您还不是任何租户的成员。")
    )
    check_page(page, look)
    assert list_roles(acme) == {"sam": "manager"}


def invite_person(page: Page, look: Look, whom: str) -> tuple[str, str]:
    """Invite somebody as support; return the link, and what the page says without its link and name."""
    open_page(page, look, "Settings", "设置")
    press_control(page, look, "Invite a member", "邀请成员")
    fill_field(page, look, "For whom", "邀请对象", whom)
    fill_field(page, look, "Role", "角色", look.choose("support", "客服"))
    fill_field(page, look, "Reason", "原因", look.choose("joins the team", "加入团队"))
    check_page(page, look)
    press_control(page, look, "Create invitation link", "创建邀请链接")
    expect(page.locator("#content h1")).to_have_text(look.choose("Copy the link now", "请立即复制链接"))
    check_page(page, look)
    shown = re.sub(r"\d{2}:\d{2}", "", page.locator("#content").inner_text().replace(whom, "X"))
    return page.locator("textarea.secret").input_value(), shown


def decline_offer(page: Page, look: Look, link: str) -> None:
    """Open the link of an invitation with an account, which is asked first, and stay out."""
    page.goto(link)
    check_page(page, look)
    expect(page.get_by_role("button", name=look.choose("Accept as olga", "以 olga 接受"))).to_be_visible()
    page.get_by_role("link", name=look.choose("Not now", "暂不接受")).click()


def accept_offer(page: Page, look: Look, link: str) -> None:
    """Open the link of an invitation without an account, make one, and come in."""
    page.goto(link)
    expect(page.locator(".invitation")).to_contain_text(
        look.choose("You are invited to Acme. Your role: support.", "您受邀加入 Acme。您的角色：客服。")
    )
    check_page(page, look)
    fill_field(page, look, "User name", "用户名", "nia")
    for field in page.locator("input[type=password]").all():
        field.fill(PASSWORD)
    press_control(page, look, "Accept and log in", "接受并登录")
    expect(page.locator(".messagelist")).to_have_text(
        look.choose("Welcome to Acme. Your role is: support.", "欢迎加入 Acme。您的角色：客服。")
    )


def test_a_colleague_is_invited_and_a_stranger_is_neither_taken_nor_told_of(
    world: World, look: Look, sit_down: SitDown
) -> None:
    acme, globex = world.acme, world.globex
    create_staff("mia", acme.tenant, Role.MANAGER)
    create_staff("olga", globex.tenant)
    page, page_of_olga = sit_down("mia", **look.settings), sit_down("olga", **look.settings)
    page.goto("/console/")
    open_page(page, look, "Settings", "设置")
    check_page(page, look)
    expect(page.locator(".object-tools")).to_have_text(look.choose("Invite a member", "邀请成员"))
    link, shown = invite_person(page, look, "new.colleague")
    link_for_olga, shown_for_olga = invite_person(page, look, "olga")
    assert shown == shown_for_olga, "the form tells who has an account"
    assert list_roles(acme) == {"mia": "manager"}

    page_of_olga.goto("/console/")
    expect(page_of_olga.locator(".desk-tenant")).to_have_text("Globex")
    decline_offer(page_of_olga, look, link_for_olga)
    expect(page_of_olga.locator(".desk-tenant")).to_have_text("Globex")
    page_of_olga.context.clear_cookies()
    accept_offer(page_of_olga, look, link)
    assert list_roles(acme) == {"mia": "manager", "nia": "support"}
    assert list_roles(globex) == {"olga": "support"}
    with tenant_tx(acme.tenant.id):
        accepted = Invitation.objects.exclude(accepted_at=None)
        assert list(accepted.values_list("invitee", flat=True)) == ["new.colleague"]

"""A tenant is set up in at most eight clicks, and its invited manager comes in, in four looks. Rows: D2, D14, T7."""

import re
import subprocess

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from memory_platform.console.tenants.first_steps import FIRST_CONTEXT, FIRST_MESSAGE
from tenants.isolation import tenant_tx
from tenants.models import Member, Role, Tenant
from tests.browser.conftest import Look, SitDown
from tests.browser.roles.walk import Walk

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]
# From nothing to the first context of a new tenant.
MOST_CLICKS = 8
PASSWORD = "a-good-long-word-41"
WORDS_OF_CALLS = re.findall("[a-z]{3,}", f"{FIRST_MESSAGE} {FIRST_CONTEXT}".lower())


def copy_from(walk: Walk, english: str, chinese: str) -> str:
    """Press the button that copies in the part of the page with this title; return what it has copied."""
    walk.press("Copy", "复制", walk.page.get_by_role("region", name=walk.look.choose(english, chinese), exact=True))
    return str(walk.page.evaluate("navigator.clipboard.readText()"))


def run_copied_call(walk: Walk, step: str, waiting: str) -> None:
    """Copy the call of a step by its button, run it in a shell as it stands, and see that the step is done."""
    line = walk.page.locator(f'[data-step="{step}"]')
    expect(line.locator(".step-state")).to_contain_text(waiting)
    walk.press("Copy", "复制", line)
    copied = str(walk.page.evaluate("navigator.clipboard.readText()"))
    assert copied == walk.page.locator(f"#call-{step}").text_content()
    subprocess.run(["/bin/bash", "-ec", copied], check=True, capture_output=True, timeout=60)
    expect(line).to_have_class(re.compile("is-done"))
    expect(line.locator(".step-state")).to_have_text(re.compile(walk.look.choose("^done", "^已完成")))


def test_an_operator_sets_up_a_tenant_and_its_manager_comes_in(
    database: None, site: str, sit_down: SitDown, look: Look
) -> None:
    User.objects.create_superuser("olga")
    page = sit_down("olga", permissions=["clipboard-read", "clipboard-write"], **look.settings)
    name, mona = look.choose("Helio Robotics", "赫利俄斯机器人"), look.choose("Mona", "莫娜")
    # The calls to copy are those of the documentation.
    walk = Walk(page, look, names={"olga", "helio", "mona", "first", "http", *WORDS_OF_CALLS})
    walk.start()
    walk.look_at_page()
    walk.follow_to("New tenant", "新建租户")
    walk.write("Name", "名称", name)
    walk.write("Short name", "短名称", "helio")
    walk.write("Manager", "管理员", mona)
    walk.press("Create the tenant", "创建租户")
    walk.reach(f"{name} is ready", f"{name} 已就绪")
    link = copy_from(walk, "Invite the manager", "邀请管理员")
    assert re.fullmatch(rf"{site}/console/invitation/#helio\..+", link)
    token = copy_from(walk, "The first API key", "第一个 API 密钥")
    assert token.startswith("mk_live_")
    run_copied_call(walk, "message", look.choose("waiting for the first message", "等待第一条消息"))
    run_copied_call(walk, "context", look.choose("waiting for the first context", "正在等待第一个上下文"))
    assert walk.clicks <= MOST_CLICKS
    walk.start()
    expect(page.locator(".desk-role").first).to_have_text(look.choose("operator", "平台运营者"))
    expect(page.locator("#start-steps")).to_have_count(0)
    assert token not in page.content()
    page.context.clear_cookies()
    come_in(walk, link, name)


def come_in(walk: Walk, link: str, tenant: str) -> None:
    """The invited manager opens the link, chooses a password, and manages the tenant."""
    page, look = walk.page, walk.look
    page.goto(link)
    expect(page.locator(".invitation")).to_contain_text(
        look.choose(f"You are invited to {tenant}. Your role: manager.", f"您受邀加入 {tenant}。您的角色：管理员。")
    )
    walk.look_at_page()
    walk.write("User name", "用户名", "mona")
    walk.write("Password", "密码", PASSWORD)
    walk.write("The same password again", "再次输入相同的密码", PASSWORD)
    walk.press("Accept and log in", "接受并登录")
    walk.read_message(f"Welcome to {tenant}. Your role is: manager.", f"欢迎加入 {tenant}。您的角色：管理员。")
    expect(page.locator(".desk-role").first).to_have_text(look.choose("manager", "管理员"))
    with tenant_tx(Tenant.objects.get(slug="helio").id):
        assert [(one.user.username, one.role) for one in Member.objects.all()] == [("mona", Role.MANAGER)]
    walk.open_entry("Policies", "策略")
    walk.reach("Policies", "策略")

"""Managers tune the policy, trace a bad figure to its answers, and give access, in four looks. Rows: C3, D2, E9, T2."""

import re
from datetime import timedelta

import pytest
from playwright.sync_api import Locator, expect

from memory_platform.kernel.clock import utc_now
from snapshots.feedback.tallies.indicator_roll_up import roll_up_recent_indicators
from snapshots.models import Indicator, Receipt, ReceiptMemory
from snapshots.receipts.injected_memory_rows import write_memory_rows_of_subject
from tenants.isolation import tenant_tx
from tenants.models import Invitation, Role
from tests.browser.conftest import Look, SitDown
from tests.browser.roles.walk import Walk
from tests.browser.test_console import create_staff
from tests.browser.test_stories import TALKS, ask_for_context, tell_story
from tests.conftest import House, World

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]


@pytest.fixture
def walk(world: World, sit_down: SitDown, look: Look) -> Walk:
    """Mia, who manages acme, before the start page."""
    create_staff("mia", world.acme.tenant, Role.MANAGER)
    # A key of the test world, and what a prompt says of a memory.
    return Walk(sit_down("mia", **look.settings), look, names={"tests", "webhook", "high", "medium", "low"})


def test_a_policy_is_changed_compared_activated_and_rolled_back(world: World, walk: Walk) -> None:
    walk.start()
    walk.open_entry("Policies", "策略")
    walk.follow_to("New policy version", "新建策略版本")
    edit_policy(walk)
    walk.press("Compare", "比较")
    expect(walk.page.locator(".console-table tbody tr")).to_have_count(2)
    walk.look_at_page()
    walk.confirm("Save draft", "保存草稿")
    walk.read_message("Version 2 is saved as a draft; it is not active yet.", "版本 2 已保存为草稿，尚未启用。")
    walk.follow("Compare", "比较")
    walk.reach("Compare two versions", "比较两个版本")
    expect(walk.page.locator(".console-table")).to_contain_text(walk.look.choose("small_talk_2: 5", "small_talk_2：5"))
    walk.page.go_back()
    walk.follow("Activate this version", "启用此版本")
    walk.reach("Activate version 2", "启用版本 2")
    walk.confirm("Activate this version", "启用此版本")
    walk.read_message("Version 2 is now active.", "版本 2 现已启用。")
    walk.follow("Back to version 1", "恢复到版本 1")
    walk.reach("Roll back to version 1", "回滚到版本 1")
    walk.confirm("Roll back to this version", "回滚到此版本")
    walk.read_message("Version 3 restores version 1 and is now active.", "版本 3 恢复了版本 1 的设置，现已启用。")
    world.acme.tenant.refresh_from_db()
    assert world.acme.tenant.policy_version == 3


def edit_policy(walk: Walk) -> None:
    """Change two settings; a third one is changed and changed back."""
    page, changes = walk.page, walk.page.locator("[data-changed]")
    for english, chinese in (("Prompt budgets (tokens)", "提示词预算（词元）"), ("Answers", "回答")):
        page.locator("summary", has_text=re.compile(f"^{re.escape(walk.look.choose(english, chinese))}")).click()
    walk.look_at_page()
    walk.write("Memories in an answer", "每次回答的记忆数", "3")
    page.fill("[name=context__memory_by_intent__0__value]", "900")
    page.locator("#section-context [data-add-row]").first.click()
    page.locator("[name^=context__memory_by_intent__][name$=__name]").last.fill("small_talk_2")
    page.locator("[name^=context__memory_by_intent__][name$=__value]").last.fill("5")
    expect(changes).to_have_text(walk.look.choose("2 changes", "2 处更改"))
    walk.write("Whole context", "整个上下文", "100000000")
    walk.write("Whole context", "整个上下文", "6000")
    expect(changes).to_have_text(walk.look.choose("2 changes", "2 处更改"))


def receive_badly(house: House) -> None:
    """Let what the answers' prompts held be unused and badly received, and count it as the hourly job does."""
    with tenant_tx(house.tenant.id):
        write_memory_rows_of_subject(house.subject.pk)
        ReceiptMemory.objects.update(signal="negative", utilised=False)
        Receipt.objects.update(replied_at=utc_now())
    roll_up_recent_indicators(house.tenant.id)


def receive_well_a_week_ago(house: House) -> None:
    """Let the prompts of the week before be well received, and half of them be built while a part was unavailable."""
    with tenant_tx(house.tenant.id):
        day, counts = utc_now().date() - timedelta(days=7), {"contexts": 100, "injected": 500, "judged": 200}
        Indicator.objects.create(day=day, policy_version="1", positive=180, degraded=50, **counts)


def expect_change(walk: Walk, title: tuple[str, str], points: str, tone: str, chance: tuple[str, str]) -> Locator:
    """Expect how a figure changed against the week before; return the figure."""
    look = walk.look
    figure = walk.page.get_by_role("region", name=look.choose(*title), exact=True)
    change = figure.locator(".figure-change")
    told = look.choose(f"{points} points against the 7 days before", f"较此前 7 天 {points} 个百分点")
    expect(change).to_have_text(told + look.choose(*chance))
    expect(change).to_have_class(f"figure-change badge-{tone}")
    expect(change).to_be_visible()
    return figure


def test_a_bad_figure_tells_its_change_and_leads_to_its_answer(world: World, site: str, walk: Walk) -> None:
    talk = TALKS[walk.look.locale]
    tell_story(world.acme, talk)
    ask_for_context(world.acme, site, talk)
    receive_badly(world.acme)
    receive_well_a_week_ago(world.acme)
    walk.start()
    walk.open_entry("Quality", "质量")
    by_chance = (", within chance", "（属随机波动）")
    expect_change(walk, ("Degraded answers", "降级回答"), "-50.0", "quiet", by_chance)
    precision = ("Precision of included memories", "放入记忆的精确率")
    figure = expect_change(walk, precision, "-90.0", "bad", ("", ""))
    expect(figure).to_contain_text("0.0%")
    walk.look_at_page()
    walk.follow("Show these answers", "查看这些回答", figure)
    walk.reach("Answers", "回答")
    walk.follow(talk.question, talk.question)
    walk.reach(talk.question, talk.question)


def test_a_key_is_rotated_and_a_colleague_invited(world: World, site: str, walk: Walk) -> None:
    page, look = walk.page, walk.look
    walk.start()
    walk.open_entry("Settings", "设置")
    walk.open_entry("API keys", "API 密钥")
    walk.reach("API keys", "API 密钥")
    walk.follow("Rotate", "轮换")
    walk.reach("Rotate the key", "轮换密钥")
    walk.confirm("Rotate the key", "轮换密钥")
    walk.reach("Copy the secret now", "请立即复制密钥")
    expect(page.locator("input.secret")).to_have_value(re.compile("mk_live_.{20}"))
    walk.follow("I have copied it", "我已复制")
    expect(page.locator("#result_list tbody tr")).to_have_count(2)
    assert "mk_live_" not in re.sub(r"mk_live_\w{12}…", "", page.content()), "a secret is shown once"
    walk.open_entry("Settings", "设置")
    walk.follow_to("Invite a member", "邀请成员")
    walk.write("For whom", "邀请对象", look.choose("Nia", "小尼"))
    walk.confirm("Create invitation link", "创建邀请链接")
    walk.reach("Copy the link now", "请立即复制链接")
    expect(page.locator("textarea.secret")).to_have_value(re.compile(rf"{site}/console/invitation/#acme\..+"))
    walk.follow("I have passed it on", "我已转交")
    walk.reach("Invitations", "邀请")
    expect(page.locator("#result_list tbody tr")).to_have_count(1)
    with tenant_tx(world.acme.tenant.id):
        assert [one.invitee for one in Invitation.objects.all()] == [look.choose("Nia", "小尼")]

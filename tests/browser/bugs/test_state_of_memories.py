"""What a memory is: believed, replaced or retired, by whom and why. Rows: D2, E8, T7.

B4: the list and the count of preferences had values in them that nobody believes any more. B5: the page of a retired
memory did not say so, and a correction did not lead to what it replaced. B6: what staff typed was called confirmed by
the user, on the page and in the prompt.
"""

import pytest
from playwright.sync_api import Page, expect

from profiles.models import Preference
from tenants.isolation import tenant_tx
from tests.browser.bugs.conftest import Look
from tests.browser.bugs.navigation import check_page, fill_field, find_row, open_page, press_control
from tests.browser.conftest import SitDown
from tests.browser.test_console import create_staff
from tests.browser.test_stories import CHINESE, ENGLISH, Talk, ask_for_context, tell_story
from tests.conftest import House, World

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]
REASON = "工单 4711"


@pytest.fixture
def talk(look: Look) -> Talk:
    return CHINESE if look.locale == "zh-CN" else ENGLISH


@pytest.fixture
def acme(world: World, talk: Talk) -> House:
    """Ada has asked for the wrong way; Sam is in support."""
    tell_story(world.acme, talk)
    create_staff("sam", world.acme.tenant)
    return world.acme


def open_wish(page: Page, look: Look, words: str) -> None:
    """Find Ada, and open her preference with these words."""
    page.goto("/console/")
    page.keyboard.type("ada")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    press_control(page, look, "route", "路线")
    expect(page.locator(".object-header h1")).to_contain_text(words)


def act_on_wish(page: Page, look: Look, act: tuple[str, str], button: tuple[str, str]) -> None:
    press_control(page, look, *act)
    check_page(page, look)
    fill_field(page, look, "Reason", "原因", REASON)
    press_control(page, look, *button)


def correct_wish(page: Page, look: Look, talk: Talk) -> None:
    press_control(page, look, "Correct", "更正")
    fill_field(page, look, "New value", "新的值", talk.right)
    fill_field(page, look, "Reason", "原因", REASON)
    check_page(page, look)
    press_control(page, look, "Save the correction", "保存更正")
    expect(page.locator(".messagelist")).to_contain_text(look.choose("Corrected.", "已更正，"))


def load_wishes(house: House) -> dict[str, Preference]:
    with tenant_tx(house.tenant.id):
        return {str(one.value): one for one in Preference.objects.filter(version_of=None)}


def choose_state(page: Page, look: Look, english: str, chinese: str) -> None:
    if look.size == "phone":
        page.locator("#changelist-filter").get_by_text(look.choose("Filters (0)", "筛选 (0)")).click()
    with page.expect_navigation():
        page.get_by_label(look.choose("Status", "状态")).select_option(label=look.choose(english, chinese))


def test_lists_and_counts_hold_what_is_believed(acme: House, talk: Talk, look: Look, sit_down: SitDown) -> None:
    page = sit_down("sam", **look.settings)
    open_wish(page, look, talk.wrong)
    correct_wish(page, look, talk)
    open_page(page, look, "Preferences", "偏好")
    expect(page.locator("#result_list tbody tr")).to_have_count(1)
    expect(find_row(page, talk.right)).to_contain_text("ada")
    check_page(page, look)
    choose_state(page, look, "All", "全部")
    expect(find_row(page, talk.right)).to_contain_text(look.choose("Current", "当前"))
    past = [look.choose("Superseded", "已被取代"), look.choose("Earlier version", "早期版本")]
    expect(find_row(page, talk.wrong).locator(".state-badge")).to_have_text(past)
    check_page(page, look)
    find_row(page, talk.right).get_by_role("link", name="ada").click()
    expect(page.get_by_role("link", name=look.choose("Preferences 1", "偏好 1"), exact=True)).to_be_visible()
    table = page.locator("#s-preferences ~ .console-scroll")
    expect(table).to_contain_text(talk.right)
    expect(table).not_to_contain_text(talk.wrong)
    check_page(page, look)


def test_a_page_tells_that_and_why_its_memory_is_retired_or_replaced(
    acme: House, talk: Talk, look: Look, sit_down: SitDown
) -> None:
    page = sit_down("sam", **look.settings)
    open_wish(page, look, talk.wrong)
    badge, story = page.locator(".object-header .badge"), page.locator(".memory-story")
    expect(badge).to_have_text(look.choose("Current", "当前"))
    act_on_wish(page, look, ("Retire", "停用"), ("Retire this memory", "停用这条记忆"))
    expect(badge).to_have_text(look.choose("Retired", "已停用"))
    expect(story).to_contain_text(look.choose(f"Retired by sam ({REASON})", f"sam 停用 （{REASON}）"))
    check_page(page, look)
    story.get_by_text(look.choose("Undo", "撤销"), exact=True).first.click()
    story.get_by_label(look.choose("Reason", "原因")).fill(REASON)
    check_page(page, look)
    story.get_by_role("button", name=look.choose("Undo", "撤销")).click()
    expect(badge).to_have_text(look.choose("Current", "当前"))

    correct_wish(page, look, talk)
    act = story.get_by_role("listitem").filter(has_text=look.choose("Corrected by sam:", "sam 更正："))
    expect(act).to_contain_text(f"{talk.wrong} → {talk.right}")
    expect(act).to_contain_text(REASON)
    check_page(page, look)
    act.get_by_role("link", name=talk.wrong).click()
    expect(badge).to_have_text(look.choose("Superseded", "已被取代"))
    expect(act).to_contain_text(f"{talk.wrong} → {talk.right}")
    expect(act).to_contain_text(REASON)
    check_page(page, look)
    act.get_by_role("link", name=talk.right).click()
    expect(badge).to_have_text(look.choose("Current", "当前"))
    wishes = load_wishes(acme)
    assert {value: one.invalid_at is None for value, one in wishes.items()} == {talk.wrong: False, talk.right: True}
    assert wishes[talk.wrong].superseded_by_id == wishes[talk.right].pk


def test_what_staff_typed_is_called_theirs_on_the_page_and_in_the_prompt(
    acme: House, site: str, talk: Talk, look: Look, sit_down: SitDown
) -> None:
    page = sit_down("sam", **look.settings)
    open_wish(page, look, talk.wrong)
    correct_wish(page, look, talk)
    expect(page.locator(".object-facts")).to_contain_text(look.choose("corrected by staff", "员工更正"))
    expect(page.locator("#content")).not_to_contain_text(look.choose("confirmed by user", "用户确认"))
    expect(page.locator(".field-confidence")).to_contain_text("0.90")
    ask_for_context(acme, site, talk)
    open_page(page, look, "Answers", "回答")
    page.locator("#result_list").get_by_role("link", name=talk.question).click()
    place = page.locator(".why-prompt .why-place", has_text=talk.right)
    expect(place).to_be_visible()
    tag = page.locator(".why-prompt pre").filter(has_text=talk.right).inner_text()
    opening = tag[: tag.index(talk.right)].rpartition("<user_memory")[2]
    assert 'source="staff"' in opening
    assert 'provenance="corrected_by_staff"' in opening
    check_page(page, look, names=page.locator(".why-prompt").inner_text())
    wish = load_wishes(acme)[talk.right]
    assert (wish.provenance, wish.confidence) == ("corrected_by_staff", 0.9)

"""Words that were retired and undone were shown as believed in between, and the first step back in time changed
nothing (B9).

Rows: D2, P4.
"""

import pytest
from playwright.sync_api import Page, expect

from memory_platform.console.shared.value_rendering import build_change_address
from profiles.models import Subject
from snapshots.models import Snapshot
from tenants.isolation import tenant_tx
from tests.browser.bugs.conftest import Look
from tests.browser.bugs.flaws import find_flaws, get_talk
from tests.browser.conftest import SitDown
from tests.browser.test_console import create_staff
from tests.browser.test_stories import tell_story
from tests.conftest import World
from tests.snapshots.understanding.making import preferences

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]


def test_between_a_retirement_and_its_undo_nothing_of_it_is_believed(
    world: World, sit_down: SitDown, look: Look
) -> None:
    acme, talk = world.acme, get_talk(look)
    tell_story(acme, talk)
    create_staff("sam", acme.tenant)
    said = talk.said[1].rstrip(".。")
    page = sit_down("sam", **look.settings)
    person = build_change_address(Subject, acme.subject.pk)
    page.goto(person)
    retire_and_undo(page, look)
    assert preferences(acme)["navigation"]["route"] == talk.wrong
    with tenant_tx(acme.tenant.id):
        assert not Snapshot.objects.filter(text__contains=said, retired_at__isnull=False).exists()
    page.goto(person)
    believed = page.locator(".subject")
    expect(believed).to_contain_text(said)
    page.get_by_text(look.choose("As of …", "查看历史时刻…")).click()
    back = page.get_by_role("link", name=look.choose("Previous change", "上一次变化"))
    back.click()
    shown = ("Showing what was believed at", "UTC 时的认知")
    expect(page.locator(".moment-shown")).to_contain_text(look.choose(*shown))
    expect(believed).not_to_contain_text(talk.wrong)
    assert find_flaws(page, look) == []
    back.click()
    expect(believed).to_contain_text(said)
    back.click()
    expect(believed).not_to_contain_text(talk.wrong)
    for _step in range(2):
        page.get_by_role("link", name=look.choose("Next change", "下一次变化")).click()
    expect(believed).not_to_contain_text(talk.wrong)
    page.get_by_role("link", name=look.choose("Back to now", "回到现在")).click()
    expect(believed).to_contain_text(said)


def retire_and_undo(page: Page, look: Look) -> None:
    """Retire the first preference of the person shown, with its statement and its note, and take that back."""
    page.locator("section[aria-labelledby=s-preferences] td a").first.click()
    page.get_by_role("link", name=look.choose("Retire", "停用"), exact=True).click()
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(2)
    page.get_by_label(look.choose("Reason", "原因")).fill("ticket 4711")
    page.get_by_role("button", name=look.choose("Retire this memory", "停用这条记忆")).click()
    expect(page.locator(".messagelist")).to_contain_text(look.choose("Retired.", "已停用，"))
    page.wait_for_timeout(1_600)  # a person's page shows full seconds, in which an act is over
    page.locator(".acts-more summary").click()
    page.get_by_role("link", name=look.choose("Undo", "撤销"), exact=True).click()
    page.get_by_label(look.choose("Reason", "原因")).fill("not her")
    page.get_by_role("button", name=look.choose("Undo the last action", "撤销上一次操作")).click()
    expect(page.locator(".messagelist")).to_contain_text(look.choose("Undone.", "已撤销。"))

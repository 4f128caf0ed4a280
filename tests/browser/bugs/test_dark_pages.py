"""In the dark main buttons lost their colour, and pager and search could hardly be read (B13); buttons of a list broke
in two at 1280 px (B14); the review queue had a main part within its main part (B14a).

Rows: D2.
"""

import re
from collections.abc import Sequence
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from memory_platform.console.shared.value_rendering import build_list_address
from profiles.models import Subject
from tenants.isolation import tenant_tx
from tenants.models import Role
from tenants.services.audit import COMMAND_LINE
from tenants.services.support_sessions import set_members_need_support_session
from tests.browser.bugs.conftest import Look
from tests.browser.bugs.flaws import find_flaws, follow_menu
from tests.browser.bugs.navigation import open_menu
from tests.browser.conftest import SitDown
from tests.browser.test_accessibility import AXE, LOOK_AT
from tests.browser.test_console import create_staff
from tests.conftest import House, World
from tests.snapshots.policies.test_effective_policies import make
from tests.snapshots.understanding.making import say, settle

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]
# Words in Latin letters on these pages that are names.
NAMES = ("ada", "test", "guest")
NARROW = {"width": 1280, "height": 900}
# The theme's colours of what a page is for, and of what destroys.
MAIN, GRAVE = "rgb(29, 78, 216)", "rgb(186, 33, 33)"
GROUND = "(one) => getComputedStyle(one).backgroundColor"
BORDERS = """(one) => ["top", "right", "bottom", "left"].map((side) => ["style", "color", "width"]
  .map((what) => getComputedStyle(one).getPropertyValue(`border-${side}-${what}`)).join(" "))"""


@pytest.fixture
def acme(world: World) -> House:
    """More people than a page has, each behind a support session; three versions of a policy; Mia manages."""
    acme = world.acme
    with tenant_tx(acme.tenant.id):
        Subject.objects.bulk_create(Subject(external_id=f"guest-{number}") for number in range(60))
    make(acme, {"recall": {"top_k": 3}})
    make(acme, {"context": {"total": 5_000}}, activate=True)
    create_staff("mia", acme.tenant, Role.MANAGER)
    with tenant_tx(acme.tenant.id):
        set_members_need_support_session(needed=True, by=COMMAND_LINE, reason="test")
    return acme


def test_main_buttons_pager_and_search_can_be_read_in_the_dark(acme: House, sit_down: SitDown, look: Look) -> None:
    # Without the policy, for axe-core itself writes style into the page that it looks at.
    page = sit_down("mia", **look.settings, color_scheme="dark", bypass_csp=True)
    person = acme.subject.pk
    for address, button, colour in (
        ("/console/tenants/supportsession/start/", ("Open the session", "开启会话"), MAIN),
        ("/console/tenants/apikey/add/", ("Create key", "创建密钥"), MAIN),
        (f"/console/snapshots/receipt/playground/{person}/", ("Show the prompt", "显示提示词"), MAIN),
        (f"/console/profiles/subject/{person}/export/", ("Export", "导出"), MAIN),
        (f"/console/profiles/subject/{person}/erase/", ("Erase for good", "永久抹除"), GRAVE),
    ):
        page.goto(address)
        main = page.get_by_role("main").get_by_role("button", name=look.choose(*button), exact=True)
        assert main.evaluate(GROUND) == colour, address
        assert find_flaws_in_both_sizes(page, look) == [], address
        if "supportsession" in address:
            page.get_by_label(look.choose("Reason", "原因")).fill("工单 4711")
            main.click()
            expect(page.locator(".support-banner")).to_contain_text("工单 4711")
    page.goto(build_list_address(Subject))
    assert find_flaws_in_both_sizes(page, look) == []
    for box in page.get_by_role("searchbox").all():
        (border,) = set(box.evaluate(BORDERS))
        assert border.startswith("solid")
    page.locator(".paginator .showall").click()
    expect(page.locator("#result_list tbody tr")).to_have_count(61)


def find_flaws_in_both_sizes(page: Page, look: Look) -> list[str]:
    """Return what is wrong with the page at 1280 px and as the look has it; too pale colours are among it."""
    page.evaluate(AXE)
    found = []
    sizes: Sequence[Any] = (NARROW, look.settings["viewport"])
    for size in sizes:
        page.set_viewport_size(size)
        found += [*page.evaluate(LOOK_AT), *find_flaws(page, look, *NAMES)]
    return found


def test_buttons_of_policies_are_in_one_piece(acme: House, sit_down: SitDown, look: Look) -> None:
    page = sit_down("mia", **look.settings, bypass_csp=True)
    page.goto("/console/")
    follow_menu(page, look, ("Policies", "策略"))
    assert find_flaws_in_both_sizes(page, look) == []
    page.locator("#result_list").get_by_role("link", name=re.compile(look.choose(r"^Version 1\b", "^版本 1"))).click()
    back = page.get_by_role("link", name=look.choose("Roll back to this version", "回滚到此版本"))
    expect(back).to_be_visible()
    assert find_flaws_in_both_sizes(page, look) == []
    back.click()
    page.get_by_label(look.choose("Reason", "原因")).fill("工单 4711")
    page.get_by_role("button", name=look.choose("Roll back to this version", "回滚到此版本")).click()
    expect(page.locator(".messagelist")).to_have_text(
        look.choose("Version 4 restores version 1 and is now active.", "版本 4 恢复了版本 1 的设置，现已启用。")
    )
    acme.tenant.refresh_from_db()
    assert acme.tenant.policy_version == 4


def test_the_review_queue_has_one_main_part(world: World, sit_down: SitDown, look: Look) -> None:
    acme = world.acme
    say(acme, "空调好像22度最舒服。", "空调好像26度最舒服。")
    settle(acme)
    create_staff("sam", acme.tenant)
    page = sit_down("sam", **look.settings, bypass_csp=True)
    page.goto("/console/")
    open_menu(page, look)
    page.locator("#menu").get_by_role("link", name=look.choose("Review", "审核")).click()
    expect(page.locator("mark")).to_have_text("空调好像26度最舒服")
    expect(page.get_by_role("main")).to_have_count(1)
    expect(page.get_by_role("alert")).to_have_count(0)  # such as why a rejection needs a reason
    page.evaluate(AXE)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert [*page.evaluate(LOOK_AT), *find_flaws(page, look, *NAMES)] == [], scheme

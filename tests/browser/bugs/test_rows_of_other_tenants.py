"""B7: looking for another tenant's rows left a record for people only, and had two looks. Rows: T1, T3, T7, D2."""

import pytest
from playwright.sync_api import expect

from memory_platform.console.memory_actions.action_page import build_action_address
from memory_platform.console.shared.value_rendering import build_change_address
from profiles.models import Preference, Subject
from snapshots.models import Receipt
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, Role
from tests.browser.bugs.conftest import Look
from tests.browser.bugs.navigation import check_page, open_page
from tests.browser.conftest import SitDown
from tests.browser.test_console import create_staff
from tests.browser.test_stories import CHINESE, ENGLISH, ask_for_context, load_newest, tell_story
from tests.conftest import House, World

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]
NOT_FOUND = 404


def list_refusals(house: House) -> list[tuple[str, str, str]]:
    """Return user, page and row of each refused page, the earliest first."""
    with tenant_tx(house.tenant.id):
        rows = AuditRecord.objects.filter(refused=True).order_by("at", "id")
        return list(rows.values_list("action", "object_kind", "object_id"))


def test_every_row_of_another_tenant_looks_missing_and_every_look_is_recorded(
    world: World, site: str, look: Look, sit_down: SitDown
) -> None:
    acme, globex = world.acme, world.globex
    talk = CHINESE if look.locale == "zh-CN" else ENGLISH
    tell_story(acme, talk)
    ask_for_context(acme, site, talk)
    wish, receipt = load_newest(acme, Preference), load_newest(acme, Receipt)
    create_staff("olga", globex.tenant)
    create_staff("gus", globex.tenant, Role.MANAGER)
    page = sit_down("olga", **look.settings)
    for address in (
        build_change_address(Subject, acme.subject.pk),
        build_change_address(Receipt, receipt.pk),
        build_change_address(Preference, wish.pk),
        build_action_address(wish, "correct"),
    ):
        answer = page.goto(address)
        assert answer is not None
        assert answer.status == NOT_FOUND, address
        expect(page.locator("#content h1")).to_have_text(look.choose("Not found", "未找到"))
        expect(page.get_by_role("alert")).to_have_text(
            look.choose(
                "Nothing was found at this address in the tenant you work in.",
                "此地址没有内容，或者内容不在您当前所在的租户中。",
            )
        )
        expect(page.locator("body")).not_to_contain_text(talk.wrong)
        check_page(page, look)
    page.get_by_role("link", name=look.choose("Back to the console", "返回控制台")).click()
    expect(page.locator(".desk-tenant")).to_have_text("Globex")

    page = sit_down("gus", **look.settings)
    page.goto("/console/")
    open_page(page, look, "Audit", "审计")
    rows = page.locator("#result_list tbody tr").filter(has_text=look.choose("asked for a page", "请求了一个页面"))
    expect(rows).to_have_count(4)
    for row in rows.all():
        expect(row).to_contain_text("olga")
        expect(row).to_contain_text(look.choose("refused", "被拒绝"))
    check_page(page, look)
    assert list_refusals(globex) == [
        ("console.page", "profiles_subject_change", str(acme.subject.pk)),
        ("console.page", "snapshots_receipt_change", str(receipt.pk)),
        ("console.page", "profiles_preference_change", str(wish.pk)),
        ("console.page", "profiles_preference_act", str(wish.pk)),
    ]
    assert list_refusals(acme) == []

"""An act that was sent without a reason lost the chosen rows and the act itself (B10).

Rows: D2, T7.
"""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from profiles.selectors import current_preferences
from tenants.isolation import tenant_tx
from tenants.models import ApiKey, AuditRecord, Experiment, Member, Role, Scope
from tenants.policies.arms import Arm
from tenants.services.audit import COMMAND_LINE
from tenants.services.experiments import create_experiment
from tenants.services.keys import create_key
from tests.browser.bugs.conftest import Look
from tests.browser.bugs.flaws import find_flaws, follow_menu
from tests.browser.conftest import SitDown
from tests.browser.test_console import create_staff
from tests.conftest import House, World
from tests.snapshots.held import prefer
from tests.snapshots.policies.test_effective_policies import make

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]


@pytest.fixture
def acme(world: World) -> House:
    """Two keys, two preferences, a draft of a policy and of an experiment, two members; Mia manages."""
    acme = world.acme
    prefer(acme, "navigation", "route", "highway 高速")
    prefer(acme, "food", "dish", "面条 noodles")
    make(acme, {"recall": {"top_k": 3}})
    create_staff("mia", acme.tenant, Role.MANAGER)
    create_staff("sam", acme.tenant)
    with tenant_tx(acme.tenant.id):
        create_key(name="car 车", scopes=Scope.values, by=COMMAND_LINE)
        create_experiment("shorter 更短", [Arm("a", 1, 50), Arm("b", 2, 50)], by=COMMAND_LINE, reason="try")
    return acme


def list_reasons(house: House) -> Iterator[str]:
    with tenant_tx(house.tenant.id):
        yield from AuditRecord.objects.exclude(reason="").order_by("at", "id").values_list("reason", flat=True)


def test_a_list_keeps_the_chosen_rows_until_a_reason_is_given(acme: House, sit_down: SitDown, look: Look) -> None:
    page = sit_down("mia", **look.settings)
    for address, row, button, done in (
        ("tenants/apikey", "car 车", ("Revoke at once", "立即吊销"), ("Revoked", "已吊销")),
        ("profiles/preference", "noodles", ("Retire", "停用"), ("1 row", "1 行已完成")),
        ("tenants/member", "sam", ("Remove from this tenant", "从本租户移除"), ("Removed", "已移除")),
    ):
        page.goto(f"/console/{address}/")
        chosen = page.locator("#result_list tbody tr", has_text=row).locator(".action-select")
        chosen.check()
        act = page.locator("#changelist-form").get_by_role("button", name=look.choose(*button), exact=True)
        act.click()
        expect(page.locator(".messagelist .error")).to_have_text(
            look.choose(
                "Nothing was done: give a reason in the field “Reason”.",
                "未执行任何操作：请在“原因”一栏中说明原因。",
            )
        )
        expect(page.locator(".action-select:checked")).to_have_count(1)
        expect(chosen).to_be_checked()
        reason = page.get_by_label(look.choose("Reason", "原因"))
        expect(reason).to_be_visible()
        assert find_flaws(page, look, "car", "sam", "highway", "noodles", "dish", "food", "tests") == [], address
        reason.fill(f"ticket 工单 {address}")
        act.click()
        expect(page.locator(".messagelist .success")).to_contain_text(look.choose(*done))
    with tenant_tx(acme.tenant.id):
        assert ApiKey.objects.get(revoked_at__isnull=False).name == "car 车"
        assert [one.key for one in current_preferences(acme.subject)] == ["route"]
        assert list(Member.objects.values_list("user__username", flat=True)) == ["mia"]
    assert {reason for reason in list_reasons(acme) if reason.startswith("ticket")} == {
        f"ticket 工单 {one}" for one in ("tenants/apikey", "profiles/preference", "tenants/member")
    }


def test_a_policy_is_activated_and_an_experiment_started_once_a_reason_is_given(
    acme: House, sit_down: SitDown, look: Look
) -> None:
    page = sit_down("mia", **look.settings)
    page.goto("/console/")
    for entry, row, button, shown in (
        (("Policies", "策略"), (r"^Version 2\b", "^版本 2"), ("Activate this version", "启用此版本"), "3"),
        (("Experiments", "实验"), ("shorter", "shorter"), ("Start", "开始"), "50%"),
    ):
        follow_menu(page, look, entry)
        page.locator("#result_list").get_by_role("link", name=re.compile(look.choose(*row), re.IGNORECASE)).click()
        page.locator(".acts").get_by_role("link", name=look.choose(*button), exact=True).click()
        step = page.url
        send(page, look, button, "")
        assert page.url == step
        expect(page.get_by_label(look.choose("Reason", "原因"))).to_be_focused()
        expect(page.locator(".console-table")).to_contain_text(shown)
        assert find_flaws(page, look, "shorter") == []
        send(page, look, button, "ticket 工单 4711")
        page.wait_for_url("**/change/")
        expect(page.locator(".object-header .badge")).to_have_text(
            look.choose("Active", "生效中") if entry[0] == "Policies" else look.choose("Running", "进行中")
        )
    acme.tenant.refresh_from_db()
    assert acme.tenant.policy_version == 2
    with tenant_tx(acme.tenant.id):
        assert Experiment.objects.get().status == "running"
    assert list(list_reasons(acme)).count("ticket 工单 4711") == 2


def send(page: Page, look: Look, button: tuple[str, str], reason: str) -> None:
    page.get_by_label(look.choose("Reason", "原因")).fill(reason)
    page.locator(".act-submit").get_by_role("button", name=look.choose(*button), exact=True).click()

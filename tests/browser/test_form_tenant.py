"""Two tabs, two tenants: what stands in one tab is never written into the tenant of the other. Rows: T3, D2."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from memory_platform.console.shared.tenant_switch_guard import TENANT_FIELD, TENANT_HEADER
from tenants.isolation import tenant_tx
from tenants.models import Invitation, Role
from tenants.services.audit import COMMAND_LINE
from tenants.services.tenants import set_member
from tests.browser.conftest import SitDown
from tests.browser.test_console import create_staff
from tests.conftest import House, World

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]
ADD = "/console/tenants/invitation/add/"
POSTED = """([address, header, tenant]) => fetch(address, {
    method: "POST",
    headers: {
        "X-CSRFToken": document.querySelector("[name=csrfmiddlewaretoken]").value,
        ...(tenant ? {[header]: tenant} : {}),
    },
    body: new URLSearchParams({invitee: "sam", role: "viewer", reason: "new"}),
}).then((answer) => answer.status)"""


@pytest.fixture
def tabs(world: World, sit_down: SitDown) -> tuple[Page, Page]:
    """Two tabs of mia, who manages acme and globex; the first shows a form of acme, filled in."""
    create_staff("mia", world.acme.tenant, Role.MANAGER)
    with tenant_tx(world.globex.tenant.id):
        set_member(User.objects.get(username="mia").pk, Role.MANAGER, by=COMMAND_LINE)
    first = sit_down("mia")
    second = first.context.new_page()
    choose_tenant(first, "Acme")
    first.goto(ADD)
    fill_form(first)
    return first, second


def choose_tenant(page: Page, tenant: str) -> None:
    page.goto("/console/switch/")
    page.get_by_role("button", name=tenant).click()
    expect(page.locator("#desk-tenant option:checked")).to_have_text(tenant)


def fill_form(page: Page) -> None:
    page.fill("#id_invitee", "sam")
    page.select_option("#id_role", "viewer")
    page.fill("#id_reason", "new")


def list_invitees(house: House) -> set[str]:
    with tenant_tx(house.tenant.id):
        return set(Invitation.objects.values_list("invitee", flat=True))


def save_form(page: Page) -> None:
    page.click("input[name=_save]")


def test_what_was_written_is_sent_again_after_switching_back_elsewhere(world: World, tabs: tuple[Page, Page]) -> None:
    first, second = tabs
    choose_tenant(second, "Globex")
    save_form(first)
    expect(first.get_by_role("alert")).to_contain_text("Nothing was saved.")
    choose_tenant(second, "Acme")
    first.reload()
    expect(first.locator("h1")).to_have_text("Copy the link now")
    assert list_invitees(world.acme) == {"sam"}
    assert list_invitees(world.globex) == set()


def test_a_page_that_one_goes_back_to_tells_its_tenant_and_holds_nothing_of_the_other(
    world: World, tabs: tuple[Page, Page]
) -> None:
    first, _second = tabs
    choose_tenant(first, "Globex")
    first.go_back()
    first.go_back()
    expect(first.locator("#desk-tenant option:checked")).to_have_text("Globex")
    expect(first.locator("#id_invitee")).to_have_value("")
    save_form(first)
    expect(first.locator(".errornote")).to_be_visible()
    assert list_invitees(world.acme) | list_invitees(world.globex) == set()


def test_what_was_typed_is_kept_on_the_way_back_within_a_tenant(world: World, tabs: tuple[Page, Page]) -> None:
    first, _second = tabs
    first.goto("/console/")
    first.go_back()
    expect(first.locator("#id_invitee")).to_have_value("sam")
    first.fill("#id_reason", "new")  # a reason is kept nowhere
    save_form(first)
    expect(first.locator("h1")).to_have_text("Copy the link now")
    assert list_invitees(world.acme) == {"sam"}


def test_a_script_sends_the_tenant_of_its_page_in_a_header(world: World, tabs: tuple[Page, Page]) -> None:
    first, second = tabs
    own = first.locator(f"[name={TENANT_FIELD}]").first.input_value()
    assert own == str(world.acme.tenant.id)
    choose_tenant(second, "Globex")
    assert [first.evaluate(POSTED, [ADD, TENANT_HEADER, tenant]) for tenant in (own, "")] == [409, 409]
    choose_tenant(second, "Acme")
    assert first.evaluate(POSTED, [ADD, TENANT_HEADER, ""]) == 409
    assert list_invitees(world.acme) | list_invitees(world.globex) == set()
    assert first.evaluate(POSTED, [ADD, TENANT_HEADER, own]) == 200
    assert list_invitees(world.acme) == {"sam"}

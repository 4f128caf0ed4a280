"""Wide tables and long lists on a phone: nothing hides at the side, one note of thousands is found. Rows: D2, P9."""

import pytest
from playwright.sync_api import expect

from memory_platform.console.shared.value_rendering import build_change_address
from profiles.models import Subject
from profiles.services.preferences import record_preference
from profiles.services.subjects import ensure_subject
from profiles.services.value_claims import make_stated_claim
from snapshots.models import WebhookDelivery
from snapshots.policies.policy_sections import SECTIONS
from tenants.isolation import tenant_tx
from tenants.models import PolicyVersion, Role
from tenants.services.audit import COMMAND_LINE
from tenants.services.policies import create_version, propose
from tests.browser.conftest import SitDown
from tests.browser.shape.test_shape import PHONE
from tests.browser.test_accessibility import AXE, LOOK_AT
from tests.browser.test_console import create_staff
from tests.browser.test_console_pages import find_hidden_parts
from tests.browser.test_stories import load_newest
from tests.conftest import House, World
from tests.memory_platform.console.rows import make_one_of_each
from tests.memory_platform.console.tenants.webhooks.test_webhook_screens import TRIES
from tests.snapshots.held import prefer, remember
from tests.snapshots.notes_held import fill_with_notes, note_down

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]
OPEN_ALL = "document.querySelectorAll('#content details').forEach((one) => { one.open = true; })"


@pytest.fixture
def acme(world: World) -> House:
    """Ada and a visitor differ in their seat, the policy has two versions, and a webhook failed; Mia manages."""
    prefer(world.acme, "travel", "seat", "aisle")
    remember(world.acme, "I like the aisle seat 靠过道的座位")
    with tenant_tx(world.acme.tenant.id):
        make_one_of_each("peanuts")
        create_version(propose({"context": {"total": 480}}, SECTIONS), by=COMMAND_LINE, reason="shorter")
        record_preference(ensure_subject("visitor-7"), "travel", "seat", make_stated_claim("window"))
        WebhookDelivery.objects.update(tries=TRIES)
    create_staff("mia", world.acme.tenant, Role.MANAGER)
    return world.acme


def test_tables_of_managers_are_cards_on_a_phone(acme: House, sit_down: SitDown) -> None:
    # Without the policy, for axe-core itself writes style into the page that it looks at.
    page = sit_down("mia", viewport=PHONE, locale="zh-CN", bypass_csp=True, reduced_motion="reduce")
    faults = {}
    for address, shown in (
        (build_change_address(PolicyVersion, load_newest(acme, PolicyVersion).pk), ".settings"),
        ("/console/tenants/usageday/", "#result_list"),
        ("/console/account/", ".known tbody th"),
        (f"/console/profiles/subject/{acme.subject.pk}/join/?other=visitor-7", "input[type=radio]"),
        (build_change_address(WebhookDelivery, load_newest(acme, WebhookDelivery).pk), ".field-answers td"),
        (f"/console/snapshots/receipt/playground/{acme.subject.pk}/", ".play-rows"),
    ):
        page.goto(address)
        if "playground" in address:
            page.fill("#id_query", "Which seat? 哪个座位？")
            page.select_option("#id_right", "1")
            page.click(".play-submit input")
        expect(page.locator(shown).first).to_be_visible()
        page.evaluate(AXE)
        found = page.evaluate(LOOK_AT)
        page.evaluate(OPEN_ALL)
        faults[address] = [*found, *find_hidden_parts(page)]
    assert {address: parts for address, parts in faults.items() if parts} == {}


def test_one_note_of_five_thousand_is_found_on_a_phone(world: World, sit_down: SitDown) -> None:
    acme = world.acme
    fill_with_notes(acme, 5_000)
    note_down(acme, "Is allergic to walnuts 核桃.", vital_class="allergy")
    create_staff("sam", acme.tenant)
    page = sit_down("sam", viewport=PHONE)
    page.goto(build_change_address(Subject, acme.subject.pk))
    expect(page.locator(".subject")).to_contain_text("walnuts")
    assert find_hidden_parts(page) == []
    page.goto(f"/console/snapshots/note/?subject={acme.subject.pk}")
    expect(page.locator("#result_list tbody tr")).not_to_have_count(0)
    assert find_hidden_parts(page) == []
    page.fill("#searchbar", "核桃")
    page.keyboard.press("Enter")
    expect(page.locator("#result_list tbody tr")).to_have_count(1)
    page.locator("#result_list tbody a").first.click()
    expect(page.locator(".object-header h1")).to_contain_text("walnuts")

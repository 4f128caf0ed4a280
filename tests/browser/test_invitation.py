"""A tenant is set up in at most eight clicks; an invitation's secret leaves the address bar. Rows: D2, D14, T7."""

import re
import subprocess

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from tenants.isolation import tenant_tx
from tenants.models import Member, Role
from tenants.services.audit import COMMAND_LINE
from tenants.services.invitations import create_invitation
from tests.browser.conftest import SitDown
from tests.browser.test_stories import Hand
from tests.conftest import World

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]
# From nothing to the first context of a new tenant.
MOST_CLICKS = 8


def test_the_secret_leaves_the_address_bar_and_the_invited_comes_in(world: World, page: Page, site: str) -> None:
    with tenant_tx(world.acme.tenant.id):
        token = create_invitation(role=Role.SUPPORT, invitee="Nia", slug="acme", by=COMMAND_LINE, reason="").token
    address = f"{site}{reverse('admin:invitation')}"
    sent: list[str] = []
    page.on("request", lambda request: sent.append(f"{request.url} {request.headers.get('referer', '')}"))
    page.goto(f"{address}#{token}")
    expect(page.locator(".invitation")).to_contain_text("You are invited to Acme")
    assert page.url == f"{address}accept/"
    page.fill("#id_username", "nia")
    page.fill("#id_password1", "a-good-long-word-41")
    page.fill("#id_password2", "a-good-long-word-41")
    page.get_by_role("button", name="Accept and log in").dblclick()
    expect(page.locator(".messagelist")).to_contain_text("Welcome to Acme")
    expect(page.locator(".desk-tenant")).to_have_text("Acme")
    with tenant_tx(world.acme.tenant.id):
        assert Member.objects.get().user.username == "nia"
    assert [line for line in sent[1:] if token in line] == []
    for _ in range(2):  # the second time from the page that the first one led to
        page.goto(f"{address}#{token}")
        expect(page.locator(".invitation")).to_contain_text("Ask the manager who invited you for a new link.")
    page.goto(address)
    page.goto(f"{address}#{token}")
    expect(page.locator(".invitation")).to_contain_text("Ask the manager who invited you for a new link.")
    assert [line for line in sent[1:] if token in line] == []


def run_copied_call(page: Page, hand: Hand, step: str) -> None:
    """Copy the call of a step by its button and run it in a shell, as it stands."""
    hand.click(page.locator(f'[data-step="{step}"] button.copy'))
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator(f"#call-{step}").text_content()
    subprocess.run(["/bin/bash", "-ec", copied], check=True, capture_output=True, timeout=60)


def test_an_operator_sets_up_a_tenant_until_its_first_context(database: None, site: str, sit_down: SitDown) -> None:
    User.objects.create_superuser("olga")
    page = sit_down("olga", permissions=["clipboard-read", "clipboard-write"])
    page.goto("/console/")
    hand = Hand(page)
    hand.click(page.get_by_role("link", name="New tenant"))
    page.fill("#id_name", "Helio Robotics")
    page.fill("#id_slug", "helio")
    page.fill("#id_manager", "Mona")
    hand.click(page.get_by_role("button", name="Create the tenant"))
    expect(page.locator("#content")).to_contain_text("Helio Robotics is ready")
    hand.click(page.locator("section[aria-labelledby=ready-manager] button.copy"))
    assert re.fullmatch(rf"{site}/console/invitation/#helio\..+", page.evaluate("navigator.clipboard.readText()"))
    hand.click(page.locator("section[aria-labelledby=ready-key] button.copy"))
    token = page.evaluate("navigator.clipboard.readText()")
    assert token.startswith("mk_live_")
    for step in ("message", "context"):
        line = page.locator(f'[data-step="{step}"]')
        expect(line).not_to_have_class(re.compile("is-done"))
        expect(line.locator(".step-state")).to_contain_text("waiting for the first")
        run_copied_call(page, hand, step)
        expect(line).to_have_class(re.compile("is-done"))
        expect(line.locator(".step-state")).to_have_text(re.compile("^done"))
    assert hand.clicks <= MOST_CLICKS
    page.goto("/console/")
    expect(page.locator(".desk-role").first).to_have_text("operator")
    expect(page.locator("#start-steps")).to_have_count(0)
    assert token not in page.content()

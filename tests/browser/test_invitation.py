"""An invitation's secret leaves the address bar. Rows: D2, D14, T7."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from tenants.isolation import tenant_tx
from tenants.models import Member, Role
from tenants.services.audit import COMMAND_LINE
from tenants.services.invitations import create_invitation
from tests.conftest import World

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]


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

"""Log-ins in a real browser, under the real policy: second factor, provider, sessions. Rows: D2, D14."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from tenants.isolation import tenant_tx
from tenants.models import Role
from tenants.services.audit import COMMAND_LINE
from tenants.services.tenants import set_member
from tests.conftest import World
from tests.memory_platform.console.log_in.conftest import forget_attempts  # noqa: F401 - a fixture
from tests.memory_platform.console.log_in.people import PASSWORD, make_code
from tests.oidc_server import CLIENT, SECRET, oidc_server

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def faults(page: Page) -> list[str]:
    """What the browser complains about, such as breaches of the policy."""
    found: list[str] = []
    page.on("console", lambda message: found.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: found.append(str(error)))
    return found


@pytest.fixture
def shoot(page: Page) -> Callable[[str], None]:
    """Keep a picture of the page, where somebody wants them."""
    folder = os.environ.get("LOG_IN_PICTURES")

    def take(name: str) -> None:
        if folder:
            page.screenshot(path=Path(folder) / f"{name}.png")

    return take


@pytest.fixture
def pam(world: World) -> User:
    user = User.objects.create_user("pam", password=PASSWORD, email="pam@example.com", is_staff=True)
    with tenant_tx(world.acme.tenant.id):
        set_member(user.pk, Role.MANAGER, by=COMMAND_LINE)
    return user


def log_in(page: Page, site: str) -> None:
    page.goto(f"{site}/console/")
    page.fill("#id_username", "pam")
    page.fill("#id_password", PASSWORD)
    page.click("#login-form input[type=submit]")


def test_somebody_sets_up_a_second_factor_and_logs_in_with_it(
    pam: User, site: str, page: Page, faults: list[str], shoot: Callable[[str], None]
) -> None:
    log_in(page, site)
    page.click("text=Account")
    shoot("account-off")
    page.click("text=Set it up")
    page.fill("#id_password", PASSWORD)
    shoot("password-again")
    page.click("text=Continue")
    assert page.evaluate("document.querySelector('.qr').naturalWidth") > 100, "the picture is drawn"
    shoot("set-up")
    secret = (page.text_content(".account-secret") or "").replace(" ", "")
    page.fill("#id_code", make_code(secret, -1))
    page.click("text=Switch on")
    expect(page.locator(".account-codes li")).to_have_count(10)
    shoot("recovery-codes")
    page.click("text=I have kept them")
    shoot("account-on")
    page.click("#logout-form button")
    log_in(page, site)
    expect(page.locator("#id_code")).to_be_focused()
    shoot("code")
    page.fill("#id_code", "000000")
    page.press("#id_code", "Enter")
    expect(page.locator(".errorlist")).to_contain_text("This code is wrong")
    shoot("code-wrong")
    page.fill("#id_code", make_code(secret))
    page.press("#id_code", "Enter")
    expect(page.locator("#user-tools")).to_contain_text("pam")
    assert faults == []


def test_the_button_leads_to_the_provider_and_back(
    world: World, site: str, page: Page, faults: list[str], settings: Any, shoot: Callable[[str], None]
) -> None:
    with oidc_server() as provider:
        settings.CONSOLE_OIDC_ISSUER = provider.issuer
        settings.CONSOLE_OIDC_CLIENT_ID, settings.CONSOLE_OIDC_CLIENT_SECRET = CLIENT, SECRET
        settings.CONSOLE_OIDC_GROUPS = {"agents": {"acme": "support"}}
        settings.EMAIL_URL = "memory://"
        page.goto(f"{site}/console/profiles/subject/")
        shoot("log-in")
        page.click("text=Log in with your organisation")
        expect(page.locator(".errornote, .messagelist")).to_contain_text("none of your groups gives access")
        shoot("log-in-refused")
        provider.claims["groups"] = ["agents"]
        page.goto(f"{site}/console/profiles/subject/")
        page.click("text=Log in with your organisation")
        expect(page.locator("#result_list")).to_contain_text("ada")
        assert page.url == f"{site}/console/profiles/subject/"
    assert faults == []


@pytest.mark.parametrize("locale", ["en", "zh-CN"])
def test_a_lost_session_is_explained_on_the_page_that_asks_again(
    pam: User, site: str, page: Page, faults: list[str], locale: str, shoot: Callable[[str], None]
) -> None:
    page.context.set_extra_http_headers({"Accept-Language": locale})
    log_in(page, site)
    pam.set_password("another-long-1")
    pam.save()
    page.goto(f"{site}/console/profiles/subject/")
    expect(page.locator(".messagelist")).to_contain_text("Log in again." if locale == "en" else "请重新登录。")
    shoot(f"lost-{locale}")
    assert faults == []

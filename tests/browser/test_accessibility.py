"""The main pages in the eyes of axe-core: names, labels, landmarks, contrast, in both looks. Rows: D2."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser

from profiles.models import Subject
from tenants.isolation import tenant_tx
from tenants.models import Role
from tenants.services.audit import COMMAND_LINE
from tenants.services.tenants import set_member
from tests.browser.test_console import PASSWORD, log_in
from tests.conftest import World
from tests.memory_platform.console.rows import make_one_of_each

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(300)]
AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
PAGES = ("", "dashboard/", "profiles/subject/", "tenants/apikey/", "tenants/apikey/add/")
FOUND = "axe.run(document, {resultTypes: ['violations']}).then((found) => found.violations)"


@pytest.mark.parametrize("look", ["dark", "light"])
def test_no_main_page_has_a_fault_that_axe_finds(world: World, site: str, chromium: Browser, look: Any) -> None:
    with tenant_tx(world.acme.tenant.id):
        rows = make_one_of_each("peanuts")
        set_member(User.objects.create_user("mia", password=PASSWORD, is_staff=True).pk, Role.MANAGER, by=COMMAND_LINE)
    # Without the policy, for axe-core itself writes style into the page that it looks at.
    context = chromium.new_context(color_scheme=look, bypass_csp=True)
    page = context.new_page()
    page.goto(f"{site}/console/")
    faults = {"login": faults_of(page)}
    log_in(page, site, "mia")
    for end in (*PAGES, f"profiles/subject/{rows[Subject].pk}/change/"):
        page.goto(f"{site}/console/{end}")
        faults[end] = faults_of(page)
    context.close()
    assert {end: found for end, found in faults.items() if found} == {}


def faults_of(page: Any) -> list[str]:
    """Return what axe finds on the page that is open: the rule, and the first place that breaks it."""
    page.evaluate(AXE)
    return [f"{one['id']}: {one['nodes'][0]['target']}" for one in page.evaluate(FOUND)]

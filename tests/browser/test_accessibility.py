"""Every page in the light and in the dark, on a desk and on a phone: axe-core finds nothing, nothing is wider than the
window, no button is in pieces, and there is one main button. Rows: D2."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django_celery_beat.models import PeriodicTask
from playwright.sync_api import Page, ViewportSize

from memory_platform.beat_scheduler import sync_schedule
from memory_platform.console.memory_actions.action_page import build_action_address
from memory_platform.console.shared.value_rendering import build_change_address
from profiles.models import Preference, Subject
from snapshots.models import Receipt
from tenants.isolation import tenant_tx
from tenants.models import ModelPrice, Role, Tenant
from tests.browser.conftest import SitDown
from tests.browser.test_console import create_staff
from tests.browser.test_stories import CHINESE, ask_for_context, tell_story
from tests.conftest import House, World
from tests.memory_platform.console.conftest import open_support_for
from tests.memory_platform.console.rows import make_one_of_each
from tests.memory_platform.console.test_every_page import Rows, pages_of
from tests.memory_platform.console.test_guards import name_of

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(600)]
VENDOR = Path(__file__).parent / "vendor"
AXE = (VENDOR / "axe.min.js").read_text(encoding="utf-8")
SIZES: Mapping[str, ViewportSize] = {
    "wide": {"width": 1280, "height": 900},
    "phone": {"width": 390, "height": 844},
}
# Names of addresses that show no page to anybody here: they take a form, send a file, lead on to another page, or would
# add or delete what nobody adds or deletes by hand.
NO_PAGES = re.compile(
    r"\w+_(add|delete|csv|certificate)|account_end_sessions|admin_password_reset|app_list|first_steps|jsi18n|theme|"
    r"(mfa|oidc|password_reset)_\w+|invitation_accept|tenants_supportsession_(end|members)"
)

# What is wrong with the page that is open, in words. The contrast of a field's placeholder is no matter of axe's.
LOOK_AT = """async () => {
  const {violations} = await axe.run(document, {resultTypes: ["violations"]});
  const faults = violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target).join(", ")}`);
  const all = (places) => [...document.querySelectorAll(places)].filter((one) => one.checkVisibility());
  const style = (one, part) => getComputedStyle(one, part);
  const light = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)
    .map((part) => part <= .04045 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4)
    .reduce((sum, part, index) => sum + part * [.2126, .7152, .0722][index], 0);
  const contrast = (one, two) => (Math.max(light(one), light(two)) + .05) / (Math.min(light(one), light(two)) + .05);
  const root = document.documentElement;
  const over = root.scrollWidth - root.clientWidth;
  if (over > 0) faults.push(`wider than the window by ${over}`);
  for (const one of all("[placeholder]")) {
    const told = contrast(style(one, "::placeholder").color, style(one).backgroundColor);
    if (told < 4.5) faults.push(`placeholder of ${one.name}: ${told}`);
  }
  for (const one of all(".button, .act, .act-second, .act-grave, [type=submit], .object-tools a")) {
    if (one.getClientRects().length > 1) faults.push(`a button in pieces: ${one.textContent}`);
  }
  const main = all("main :is(.default, .act-main, .object-tools .addlink)");
  if (main.length > 1) faults.push(`${main.length} main buttons`);
  const ground = style(document.body).backgroundColor;
  if (main.some((one) => contrast(style(one).backgroundColor, ground) < 2)) faults.push("a pale main button");
  return faults;
}"""


@pytest.fixture
def rows(world: World, site: str) -> Rows:
    """Ada told something and asked, then one row of everything; Sam supports, Mia manages, Olga operates."""
    tell_story(world.acme, CHINESE)
    ask_for_context(world.acme, site, CHINESE)
    with tenant_tx(world.acme.tenant.id):
        rows = make_one_of_each("peanuts")
    create_staff("sam", world.acme.tenant)
    create_staff("mia", world.acme.tenant, Role.MANAGER)
    User.objects.create_superuser("olga", password="x")
    open_support_for("olga", world.acme.tenant)
    sync_schedule()
    rows[Tenant] = world.acme.tenant
    return rows | {model: model._default_manager.order_by("pk").first() for model in (User, PeriodicTask, ModelPrice)}


def list_pages_of_story(house: House) -> Iterator[str]:
    """Yield what support sees of somebody who told something and asked."""
    with tenant_tx(house.tenant.id):
        subject, wish, answer = (model.objects.order_by("id")[0] for model in (Subject, Preference, Receipt))
    yield "/console/"
    yield f"/console/profiles/subject/find/?q={CHINESE.known_by}"
    yield from (build_change_address(type(row), row.pk) for row in (subject, answer, wish))
    yield build_action_address(wish, "correct")
    yield f"/console/snapshots/receipt/playground/{subject.pk}/?receipt={answer.pk}"
    yield reverse("admin:snapshots_receipt_again", args=[answer.pk])
    yield "/console/nowhere/"
    yield "/console/dashboard/"  # not for her


def take_turns(sit_down: SitDown, tenant: Tenant, **looks: Any) -> Iterator[tuple[str, Page]]:
    """Yield a manager, the operator in the tenant, and somebody who is not logged in, each with a page."""
    yield "mia", sit_down("mia", **looks)
    page = sit_down("olga", **looks)
    page.goto("/console/switch/")
    page.click(f".switch-tenant button[value='{tenant.id}']")
    yield "olga", page
    page.context.clear_cookies()
    yield "nobody", page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_reads_well(world: World, rows: Rows, sit_down: SitDown, scheme: str) -> None:
    # Without the policy, for axe-core itself writes style into the page that it looks at.
    looks: Mapping[str, Any] = {"bypass_csp": True, "reduced_motion": "reduce", "color_scheme": scheme}
    faults: dict[str, Sequence[str]] = {}
    sam = sit_down("sam", **looks)
    for address in list_pages_of_story(world.acme):
        sam.goto(address)
        faults |= look_at(sam, f"sam: {address}", SIZES)
    history = reverse("admin:profiles_subject_history", args=[rows[Subject].pk])  # that of any other row is the same
    # The colours of a phone are those of a desk: in the dark, it is what somebody told that is looked at in both sizes.
    sizes = SIZES if scheme == "light" else ("wide",)
    seen: set[str] = set()
    # Each page with the first of them who is shown it.
    left = [page for page in pages_of(rows) if not page.endswith("/history/") or page == history]
    for who, page in take_turns(sit_down, world.acme.tenant, **looks):
        for address in left.copy():
            if is_page(page, address):
                page.goto(address)
                left.remove(address)
                seen.add(name_of(address))
                faults |= look_at(page, f"{who}: {address}", sizes)
    told = [f"{place}: {fault}" for place, found in faults.items() for fault in found]
    assert not told, "\n".join(told)
    unseen = {name_of(page) for page in left} - seen
    assert {name for name in unseen if not NO_PAGES.fullmatch(name)} == set()


def is_page(page: Page, address: str) -> bool:
    """Return whether an address shows its page to this person: it refuses nothing, leads nowhere, and sends no file."""
    answer = page.request.get(address, max_redirects=0)
    return answer.status == HTTPStatus.OK and answer.headers["content-type"].startswith("text/html")


def look_at(page: Page, place: str, sizes: Collection[str]) -> dict[str, Sequence[str]]:
    """Return what is wrong with the page that is open, in these sizes of the window."""
    page.evaluate(AXE)
    found = {}
    for name in sizes:
        page.set_viewport_size(SIZES[name])
        found[f"{name}, {place}"] = page.evaluate(LOOK_AT)
    return found

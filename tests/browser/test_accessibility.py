"""The main pages in the light, in the dark and on a phone: axe-core finds nothing, nothing is wider than the window, no
button is in pieces, and there is one main button. Rows: D2."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django_celery_beat.models import PeriodicTask
from playwright.sync_api import Page

from memory_platform.console.memory_actions.action_page import build_action_address
from memory_platform.console.shared.value_rendering import build_change_address, build_list_address
from profiles.models import Candidate, Preference, Subject
from snapshots.models import Conversation, Document, Note, Receipt, Snapshot
from tenants.isolation import tenant_tx
from tenants.models import ApiKey, Experiment, Member, PolicyVersion, Role, Tenant
from tests.browser.conftest import SitDown
from tests.browser.test_console import create_staff
from tests.browser.test_stories import CHINESE, ask_for_context, tell_story
from tests.conftest import House, World
from tests.memory_platform.console.conftest import open_support_for
from tests.memory_platform.console.rows import make_one_of_each

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(600)]
VENDOR = Path(__file__).parent / "vendor"
AXE = (VENDOR / "axe.min.js").read_text(encoding="utf-8")
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
LOOKS = {"light": ("light", WIDE), "dark": ("dark", WIDE), "phone": ("light", PHONE)}
# What axe looks at again in the dark: the rest is the same as in the light.
RULES_IN_THE_DARK = ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "link-name", "button-name"]

# What is wrong with the page that is open, in words. The contrast of a field's placeholder is no matter of axe's.
LOOK_AT = """async (rules) => {
  const {violations} = await axe.run(document, {resultTypes: ["violations"], ...(rules && {runOnly: rules})});
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
def acme(world: World, site: str) -> House:
    """Ada told something and asked, then one row of everything; Sam supports, Mia manages, Olga operates."""
    tell_story(world.acme, CHINESE)
    ask_for_context(world.acme, site, CHINESE)
    with tenant_tx(world.acme.tenant.id):
        make_one_of_each("peanuts")
    create_staff("sam", world.acme.tenant)
    create_staff("mia", world.acme.tenant, Role.MANAGER)
    User.objects.create_superuser("olga", password="x")
    open_support_for("olga", world.acme.tenant)
    return world.acme


def list_support_pages(house: House) -> Iterator[str]:
    subject, wish, receipt = (load_oldest(house, model) for model in (Subject, Preference, Receipt))
    yield "/console/"
    yield f"/console/profiles/subject/find/?q={CHINESE.known_by}"
    yield from map(build_list_address, (Subject, Receipt, Preference, Note, Snapshot, Candidate))
    yield from (build_change_address(type(row), row.pk) for row in (subject, receipt, wish))
    yield from (build_oldest_address(house, model) for model in (Note, Snapshot, Conversation, Candidate, Document))
    yield from (build_action_address(wish, verb) for verb in ("correct", "retire"))
    yield "/console/profiles/candidate/review/"
    yield "/console/snapshots/work/dead/"
    yield "/console/playground/"
    yield f"/console/snapshots/receipt/playground/{subject.pk}/?receipt={receipt.pk}"
    yield "/console/nowhere/"
    yield "/console/dashboard/"  # not for her


def list_manager_pages(house: House) -> Iterator[str]:
    subject, policy = load_oldest(house, Subject), load_oldest(house, PolicyVersion)
    yield "/console/dashboard/"
    yield build_action_address(load_oldest(house, Preference), "forget")
    yield from map(build_list_address, (PolicyVersion, Experiment, Member, ApiKey))
    yield from (f"/console/tenants/{name}/" for name in ("invitation", "usagelimit", "supportsession", "auditrecord"))
    yield from (build_oldest_address(house, model) for model in (PolicyVersion, Experiment, ApiKey))
    yield from (f"/console/tenants/{name}/add/" for name in ("policyversion", "experiment", "invitation", "apikey"))
    yield reverse("admin:tenants_policyversion_roll_back", args=[policy.pk])
    yield reverse("admin:tenants_policyversion_compare")
    yield "/console/tenants/auditrecord/export/"
    yield from (f"/console/profiles/subject/{subject.pk}/{name}/" for name in ("erase", "export"))
    yield reverse("admin:mfa_index")
    yield reverse("admin:mfa_activate_totp")
    yield reverse("admin:password_change")


def list_operator_pages(house: House) -> Iterator[str]:
    yield "/console/"
    yield "/console/switch/"
    yield "/console/operation/"
    yield "/console/forecast/"
    yield "/console/preview/purge-expired/"
    yield from map(build_list_address, (Tenant, User, PeriodicTask))
    yield from (f"/console/tenants/{name}/" for name in ("jobrun", "modelprice", "tenant/add"))
    yield build_change_address(User, User.objects.order_by("id")[0].pk)


def build_oldest_address(house: House, model: type[Any]) -> str:
    return build_change_address(model, load_oldest(house, model).pk)


def load_oldest(house: House, model: type[Any]) -> Any:
    with tenant_tx(house.tenant.id):
        return model.objects.order_by("id").first()


WALKS = {"sam": list_support_pages, "mia": list_manager_pages, "olga": list_operator_pages}


def test_the_main_pages_read_well_in_both_looks_and_on_a_phone(acme: House, sit_down: SitDown) -> None:
    # Without the policy, for axe-core itself writes style into the page that it looks at.
    looks: Mapping[str, Any] = {"bypass_csp": True, "reduced_motion": "reduce"}
    faults: dict[str, Sequence[str]] = {}
    for who, list_pages in WALKS.items():
        page = sit_down(who, **looks)
        if who == "olga":
            page.goto("/console/switch/")
            page.click(f".switch-tenant button[value='{acme.tenant.id}']")
        faults |= look_at(page, who, list_pages(acme))
    page.context.clear_cookies()
    faults |= look_at(page, "nobody", ("/console/login/", "/console/invitation/"))
    told = [f"{place}: {fault}" for place, found in faults.items() for fault in found]
    assert not told, "\n".join(told)


def look_at(page: Page, who: str, addresses: Any) -> dict[str, Sequence[str]]:
    """Return what is wrong with each page in each look."""
    found = {}
    for address in addresses:
        page.goto(address)
        page.evaluate(AXE)
        for name, (scheme, size) in LOOKS.items():
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of two words
            page.set_viewport_size(size)  # type: ignore[arg-type]  # two lengths
            found[f"{who}, {name}: {address}"] = page.evaluate(LOOK_AT, RULES_IN_THE_DARK if scheme == "dark" else None)
    return found

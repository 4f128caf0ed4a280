"""The menu has a few entries by role, marks where one is, and agrees with headings and breadcrumbs. Rows: D2, T3."""

import re
from html import unescape

import pytest
from admin_interface.models import Theme
from django.contrib.admin import site
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from profiles.models import Candidate, Preference, Subject, Tag
from snapshots.models import Conversation, Note, Receipt
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff, log_in, open_support_for
from tests.memory_platform.console.rows import make_one_of_each
from tests.memory_platform.console.test_every_page import Rows

PEOPLE = ["People", "Answers", "Review", "Playground"]
TENANT = ["Quality", "Policies", "Experiments", "Settings", "Audit"]
# Lists of libraries that nobody needs to find.
HIDDEN = (Theme,)
REVIEW = "/console/profiles/candidate/review/"


@pytest.fixture
def rows(world: World) -> Rows:
    with tenant_tx(world.acme.tenant.id):
        return make_one_of_each("peanuts")


def read_menu(page: str) -> str:
    return page.partition('<nav id="menu"')[2].partition("</nav>")[0]


def read_links(html: str) -> dict[str, str]:
    """Return the address of each link by its text."""
    found = re.findall(r'<a href="([^"]+)"[^>]*>(.*?)</a>', html, re.DOTALL)
    return {" ".join(unescape(re.sub(r"<[^>]+>", "", text)).split()): address for address, text in found}


def list_entries(client: Client) -> list[str]:
    """Return the entries of the menu on the start page, without the lists of "All data"."""
    return list(read_links(read_menu(client.get("/console/").content.decode()).partition("<details")[0]))


def read_marked(page: str) -> list[str]:
    """Return the entries that say where the page is."""
    return re.findall(r'aria-current="page">\s*([^<]+?)\s*<', read_menu(page))


def read_crumbs(page: str) -> list[str]:
    crumbs = page.partition('<div class="breadcrumbs">')[2].partition("</div>")[0]
    return [" ".join(one.split()) for one in unescape(re.sub(r"<[^>]+>", "", crumbs)).split("›")]


def test_each_role_has_a_few_entries_and_none_that_it_may_not_use(world: World, staff: Staff) -> None:
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    assert list_entries(staff.vic) == [name for name in PEOPLE if name != "Playground"]
    assert list_entries(staff.sam) == PEOPLE
    assert list_entries(staff.mia) == [*PEOPLE, *TENANT]
    assert list_entries(staff.olga) == [*PEOPLE, *TENANT, "Platform", "Models"]
    support = read_menu(staff.sam.get("/console/").content.decode())
    assert {"Preferences", "Notes", "Messages"} <= read_links(support).keys()
    assert not {"Intervals", "Crontabs", "Model prices", "Policies", "Limits"} & read_links(support).keys()


@pytest.mark.slow
def test_every_entry_of_every_role_opens_a_page(world: World, staff: Staff) -> None:
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    for client in (staff.vic, staff.sam, staff.mia, staff.olga):
        for name, address in read_links(read_menu(client.get("/console/").content.decode())).items():
            assert client.get(address).status_code == 200, name


@pytest.mark.slow
def test_every_list_is_marked_in_the_menu_that_its_heading_and_breadcrumbs_repeat(world: World, staff: Staff) -> None:
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    for model in site._registry:
        address = f"/console/{model._meta.app_label}/{model._meta.model_name}/"
        page = staff.olga.get(address).content.decode()
        (marked,) = read_marked(page)
        if model in HIDDEN:
            assert (marked, address in read_menu(page)) == ("Platform", False)
            continue
        assert f'href="{address}" aria-current="page"' in read_menu(page), model
        assert f"<h1>{marked}</h1>" in page, model
        assert f"<title>\n{marked} |" in page or f"<title>{marked} |" in page, model
        assert read_crumbs(page)[0] == "Home", model
        assert read_crumbs(page)[-1] == marked, model


@pytest.mark.parametrize(
    ("page", "crumbs", "marked"),
    [
        ("profiles/subject/find/?q=zzz", ["Home", "People", "Find a person"], "People"),
        ("profiles/candidate/review/", ["Home", "Review"], "Review"),
        ("profiles/candidate/", ["Home", "Review", "Proposals"], "Proposals"),
        ("playground/", ["Home", "Playground"], "Playground"),
        ("snapshots/document/playground/", ["Home", "All data", "Documents", "Search documents"], "Documents"),
        ("dashboard/", ["Home", "Quality"], "Quality"),
        ("tenants/usageday/", ["Home", "Quality", "Usage and cost"], "Usage and cost"),
        ("tenants/apikey/", ["Home", "Settings", "API keys"], "API keys"),
        ("tenants/apikey/add/", ["Home", "Settings", "API keys", "New API key"], "API keys"),
        ("profiles/preference/", ["Home", "All data", "Preferences"], "Preferences"),
        ("operation/", ["Home", "Platform"], "Platform"),
        ("auth/user/", ["Home", "Platform", "Users"], "Users"),
    ],
)
def test_breadcrumbs_say_what_the_menu_says(
    world: World, staff: Staff, page: str, crumbs: list[str], marked: str
) -> None:
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    shown = staff.olga.get(f"/console/{page}").content.decode()
    assert read_crumbs(shown) == crumbs
    assert read_marked(shown) == [marked]


def is_all_data_open(page: str) -> bool:
    return " open" in read_menu(page).partition("<details")[2].partition(">")[0]


def test_the_pages_of_one_thing_stand_below_their_entry(staff: Staff, rows: Rows) -> None:
    person, receipt, tag = rows[Subject].pk, rows[Receipt].pk, rows[Tag].pk
    for page, marked in (
        (f"profiles/subject/{person}/change/", "People"),
        (f"snapshots/receipt/{receipt}/change/", "Answers"),
        (f"snapshots/receipt/playground/{person}/", "Playground"),
        (f"profiles/tag/{tag}/change/", "People"),
        (f"profiles/preference/{rows[Preference].pk}/history/", "People"),
        (f"profiles/preference/{rows[Preference].pk}/act/correct/", "People"),
        (f"snapshots/conversation/{rows[Conversation].pk}/change/", "People"),
    ):
        shown = staff.sam.get(f"/console/{page}").content.decode()
        assert read_marked(shown) == [marked], page
        assert not is_all_data_open(shown), page
    assert is_all_data_open(staff.sam.get("/console/profiles/preference/").content.decode())


def test_breadcrumbs_of_what_is_kept_of_a_person_lead_back_to_them(staff: Staff, rows: Rows) -> None:
    for page in (
        f"profiles/tag/{rows[Tag].pk}/change/",
        f"profiles/tag/{rows[Tag].pk}/history/",
        f"profiles/preference/{rows[Preference].pk}/act/correct/",
        f"snapshots/note/{rows[Note].pk}/change/",
        f"snapshots/conversation/{rows[Conversation].pk}/change/",
        f"snapshots/note/add-for/{rows[Subject].pk}/",
    ):
        shown = staff.sam.get(f"/console/{page}").content.decode()
        assert read_crumbs(shown)[:3] == ["Home", "People", rows[Subject].external_id], page
        assert len(read_crumbs(shown)) == (5 if "/history/" in page or "/act/" in page else 4), page
        assert f'href="/console/profiles/subject/{rows[Subject].pk}/change/"' in shown.partition('id="crumbs"')[2]


def test_what_only_machines_keep_is_folded_away(staff: Staff) -> None:
    rest = read_menu(staff.sam.get("/console/snapshots/work/").content.decode()).partition("<details")[2]
    room = rest.partition("<details")[2]
    assert {"Work items", "Cached prefixes", "Jobs"} <= read_links(room).keys()
    assert not {"Notes", "Messages"} & read_links(room).keys()
    assert " open" in room.partition(">")[0]
    elsewhere = read_menu(staff.sam.get("/console/snapshots/note/").content.decode()).partition("<details")[2]
    assert " open" not in elsewhere.partition("<details")[2].partition(">")[0]


def test_the_count_stands_on_pages_outside_the_tenant_too(world: World, staff: Staff) -> None:
    waiting = {"verdict": "pending", "kind": "tag", "provenance": "observation", "confidence": 0.4}
    with tenant_tx(world.acme.tenant.id):
        Candidate.objects.create(subject=world.acme.subject, proposal={"type": "tag"}, **waiting)
    counted = '<span class="menu-count">1</span>'
    assert counted in staff.sam.get(reverse("admin:mfa_index")).content.decode()
    assert "menu-count" not in staff.gus.get(reverse("admin:mfa_index")).content.decode()
    otto = log_in("otto")
    otto.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    assert "menu-count" not in otto.get("/console/").content.decode(), "a wall stands before the queue"
    open_support_for("otto", world.acme.tenant)
    assert counted in otto.get("/console/").content.decode()


def test_the_menu_counts_what_waits_in_the_own_tenant(world: World, staff: Staff) -> None:
    waiting = {"verdict": "pending", "kind": "tag", "provenance": "observation", "confidence": 0.4}
    with tenant_tx(world.acme.tenant.id):
        for _number in range(3):
            Candidate.objects.create(subject=world.acme.subject, proposal={"type": "tag"}, **waiting)
    counted = '<span class="menu-count">3</span>'
    assert counted in staff.sam.get("/console/profiles/subject/").content.decode()
    assert "menu-count" not in staff.gus.get("/console/profiles/subject/").content.decode()
    with tenant_tx(world.acme.tenant.id):
        for _number in range(97):
            Candidate.objects.create(subject=world.acme.subject, proposal={"type": "tag"}, **waiting)
    assert '<span class="menu-count">99+</span>' in staff.sam.get("/console/profiles/subject/").content.decode()


@pytest.mark.parametrize(
    ("app", "support", "manager", "operator"),
    [
        ("profiles", "profiles/subject/", "profiles/subject/", "profiles/subject/"),
        ("snapshots", "snapshots/receipt/", "snapshots/receipt/", "snapshots/receipt/"),
        ("tenants", "", "tenants/member/", "tenants/member/"),
        ("django_celery_beat", "", "", "operation/"),
        ("auth", "", "", "operation/"),
    ],
)
def test_old_addresses_of_apps_lead_to_what_has_taken_their_place(
    world: World, staff: Staff, app: str, support: str, manager: str, operator: str
) -> None:
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    for client, page in ((staff.sam, support), (staff.mia, manager), (staff.olga, operator)):
        assert client.get(f"/console/{app}/")["Location"] == f"/console/{page}"
    assert staff.olga.get("/console/sessions/").status_code == 404


def test_who_has_chosen_no_tenant_has_the_menu_of_the_platform_alone(staff: Staff) -> None:
    entries = read_links(read_menu(staff.olga.get("/console/switch/").content.decode())).keys()
    assert {"Platform", "Models"} <= entries
    assert not {*PEOPLE, *TENANT} & entries


def test_pages_of_libraries_stand_where_the_menu_has_them(world: World, staff: Staff) -> None:
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    user, theme = User.objects.get(username="mia").pk, Theme.objects.get_active().pk
    for page, begin in (
        (f"auth/user/{user}/change/", ["Home", "Platform", "Users"]),
        (f"auth/user/{user}/history/", ["Home", "Platform", "Users"]),
        (f"auth/user/{user}/password/", ["Home", "Platform", "Users"]),
        (f"admin_interface/theme/{theme}/change/", ["Home", "Platform", "Themes"]),
        (f"admin_interface/theme/{theme}/delete/", ["Home", "Platform", "Themes"]),
    ):
        shown = staff.olga.get(f"/console/{page}").content.decode()
        assert read_crumbs(shown)[:3] == begin, page

"""Sam looks a subject up in a real browser; Gus of another tenant finds nothing. Rows: D2, T3."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from profiles.models import Subject, Tag
from tenants.isolation import tenant_tx
from tenants.models import Role, Tenant
from tenants.services.audit import COMMAND_LINE
from tenants.services.tenants import set_member
from tests.conftest import World

pytestmark = pytest.mark.browser
PASSWORD = "a long demo password"


def create_staff(username: str, tenant: Tenant, role: Role = Role.SUPPORT) -> None:
    user = User.objects.create_user(username, password=PASSWORD, is_staff=True)
    with tenant_tx(tenant.id):
        set_member(user.pk, role, by=COMMAND_LINE)


def log_in(page: Page, site: str, username: str) -> None:
    page.goto(f"{site}/console/")
    page.fill("#id_username", username)
    page.fill("#id_password", PASSWORD)
    page.click("input[type=submit]")


def search_subject(page: Page, words: str) -> None:
    page.fill("input[name=q]", words)
    page.press("input[name=q]", "Enter")


@pytest.fixture
def ada_with_home(world: World) -> World:
    """Ada has a home, and the console can find her by it."""
    with tenant_tx(world.acme.tenant.id):
        Tag.objects.create(subject=world.acme.subject, label="家", kind="place", address="上海市浦东新区世纪大道100号")
        Subject.objects.filter(id=world.acme.subject.id).update(search_text="ada 家 世纪大道")
    create_staff("sam", world.acme.tenant)
    create_staff("gus", world.globex.tenant)
    return world


def test_support_finds_a_subject_by_a_chinese_tag_and_opens_it(ada_with_home: World, site: str, page: Page) -> None:
    log_in(page, site, "sam")
    page.goto(f"{site}/console/profiles/subject/")
    search_subject(page, "世纪大道")
    expect(page.locator(".object-header h1")).to_have_text("ada")
    page.goto(f"{site}/console/profiles/tag/")
    expect(page.locator("#result_list")).to_contain_text("上海市浦东新区世纪大道100号")


def test_support_of_another_tenant_finds_nobody(ada_with_home: World, site: str, page: Page) -> None:
    log_in(page, site, "gus")
    page.goto(f"{site}/console/profiles/subject/")
    search_subject(page, "世纪大道")
    expect(page.locator("body")).not_to_contain_text("ada")
    expect(page.locator("#result_list")).to_have_count(0)


@pytest.mark.slow
def test_a_wrong_password_does_not_open_the_console(ada_with_home: World, site: str, page: Page) -> None:
    page.goto(f"{site}/console/")
    page.fill("#id_username", "sam")
    page.fill("#id_password", "guess")
    page.click("input[type=submit]")
    expect(page.locator(".errornote")).to_be_visible()

"""The console in a real browser: in Chinese, on a phone, with hostile text, changed tenants. Rows: D2, T3."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page, expect

from profiles.models import Subject, Tag
from snapshots.models import Receipt
from tenants.isolation import tenant_tx
from tests.browser.test_console import PASSWORD, create_staff, log_in
from tests.conftest import World
from tests.memory_platform.console.conftest import open_support_for
from tests.memory_platform.console.rows import make_one_of_each
from tests.memory_platform.console.test_every_page import pages_of

METHOD_NOT_ALLOWED = 405
pytestmark = [pytest.mark.browser, pytest.mark.slow]

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
LISTS = ("profiles/subject", "profiles/preference", "snapshots/snapshot", "snapshots/receipt", "snapshots/work")


def find_overflow(page: Page) -> int:
    """Return by how many pixels the page is wider than the window."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def find_hidden_parts(page: Page) -> list[str]:
    """Return what of a page one has to scroll sideways to see: the page itself, and tables in it."""
    return list(
        page.evaluate(
            """() => [document.documentElement, ...document.querySelectorAll("#content *")].filter((one) =>
              one.scrollWidth > one.clientWidth + 1 && (one === document.documentElement ||
              (one.checkVisibility() && ["auto", "scroll"].includes(getComputedStyle(one).overflowX)))
            ).map((one) => `${one.tagName} ${one.className}: ${one.innerText.slice(0, 40)}`)"""
        )
    )


def test_the_console_speaks_chinese_when_chosen(world: World, site: str, page: Page) -> None:
    create_staff("sam", world.acme.tenant)
    log_in(page, site, "sam")
    expect(page.locator("#content-main")).to_contain_text("First steps")
    page.select_option(".language-chooser select", "zh-hans")
    expect(page.locator("#content-main")).to_contain_text("入门步骤")
    page.click("text=全部数据")
    page.click("#menu >> text=偏好")
    expect(page.locator("#menu")).to_contain_text("试验场")
    expect(page.locator("#content h1")).to_have_text("偏好")


@pytest.mark.slow
def test_nothing_is_wider_than_a_phone(world: World, site: str, page: Page) -> None:
    create_staff("sam", world.acme.tenant)
    with tenant_tx(world.acme.tenant.id):
        rows = make_one_of_each("a-long-word-without-a-single-place-to-break-it-" * 4)
    page.set_viewport_size({"width": 390, "height": 844})
    log_in(page, site, "sam")
    assert find_overflow(page) <= 0
    for name in LISTS:
        page.goto(f"{site}/console/{name}/")
        expect(page.locator("#result_list")).to_be_visible()
        assert find_overflow(page) <= 0, name
    for model in (Subject, Receipt, Tag):
        page.goto(f"{site}/console/{model._meta.app_label}/{model._meta.model_name}/{rows[model].pk}/change/")
        assert find_overflow(page) <= 0, model


@pytest.mark.slow
def test_stored_markup_does_not_run(world: World, site: str, page: Page) -> None:
    create_staff("sam", world.acme.tenant)
    with tenant_tx(world.acme.tenant.id):
        rows = make_one_of_each(HOSTILE)
    log_in(page, site, "sam")
    for model, row in rows.items():
        for end in ("", f"{row.pk}/change/"):
            page.goto(f"{site}/console/{model._meta.app_label}/{model._meta.model_name}/{end}")
            assert page.title() != "owned", (model, end)


def test_even_a_script_that_got_into_the_page_does_not_run(world: World, site: str, page: Page) -> None:
    page.goto(f"{site}/console/login/")
    page.evaluate("document.body.insertAdjacentHTML('beforeend', `<img src=x onerror=\"document.title='owned'\">`)")
    page.wait_for_timeout(300)
    assert "owned" not in page.title()


def test_the_operator_changes_the_tenant_in_the_header(world: World, site: str, page: Page) -> None:
    User.objects.create_superuser("olga", password=PASSWORD)
    open_support_for("olga", world.acme.tenant, world.globex.tenant)
    log_in(page, site, "olga")
    page.click("text=Acme")
    page.goto(f"{site}/console/profiles/subject/")
    expect(page.locator("#result_list")).to_contain_text("ada")
    page.select_option("#desk-tenant", label="Globex")
    page.click(".desk button")
    page.goto(f"{site}/console/profiles/subject/")
    expect(page.locator("#result_list")).to_contain_text("gil")
    expect(page.locator("#result_list")).not_to_contain_text("ada")


@pytest.mark.slow
@pytest.mark.timeout(400)  # some 200 pages in a browser
def test_no_page_has_a_fault_or_breaks_the_policy(world: World, site: str, chromium: Browser) -> None:
    User.objects.create_superuser("olga", password=PASSWORD)
    open_support_for("olga", world.acme.tenant)
    with tenant_tx(world.acme.tenant.id):
        rows = make_one_of_each("peanuts")
    context = chromium.new_context()
    page, faults = context.new_page(), []
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    log_in(page, site, "olga")
    page.click("text=Acme")
    for end in (
        end for end in pages_of(rows) if not end.endswith(("/history/", "/delete/", "/password/", "/csv/", ".json"))
    ):
        if page.request.head(f"{site}{end}", max_redirects=0).status == METHOD_NOT_ALLOWED:
            continue  # a form's address, no page
        page.goto(f"{site}{end}")
        assert [fault for fault in faults if "status of 40" not in fault] == [], end
    page.goto(f"{site}/v1/docs")
    expect(page.locator(".opblock").first).to_be_visible()
    context.close()
    assert [fault for fault in faults if "status of 40" not in fault] == []

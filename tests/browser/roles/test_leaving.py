"""A person's data is exported and erased, with a certificate as a letter, in four looks. Rows: D2, E8, T3, T7."""

import re
from unicodedata import normalize

import httpx
import pytest
from playwright.sync_api import expect
from pypdfium2 import PdfDocument

from memory_platform.console.shared.value_rendering import build_change_address
from profiles.models import Subject
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, Role
from tests.browser.conftest import Look, SitDown
from tests.browser.roles.walk import Walk
from tests.browser.test_console import create_staff
from tests.browser.test_stories import TALKS, ask_for_context, load_newest, tell_story
from tests.conftest import World

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]
RED = re.compile(r"rgb\((1[5-9]\d|2\d\d), \d{1,2}, \d{1,2}\)")


@pytest.fixture
def walk(world: World, site: str, sit_down: SitDown, look: Look) -> Walk:
    """Mia, who manages acme, on Ada's page: what she told, and one answer to her."""
    talk = TALKS[look.locale]
    tell_story(world.acme, talk)
    ask_for_context(world.acme, site, talk)
    create_staff("mia", world.acme.tenant, Role.MANAGER)
    walk = Walk(sit_down("mia", **look.settings), look)
    walk.find_person("ada")
    walk.reach("ada", "ada")
    walk.unfold_more()
    return walk


def test_what_is_stored_of_a_person_is_exported_to_read(world: World, walk: Walk) -> None:
    page, look, talk = walk.page, walk.look, TALKS[walk.look.locale]
    walk.follow_to("Export", "导出")
    expect(page.get_by_role("radio", name=look.choose("A page to read (HTML)", "供阅读的网页"))).to_be_checked()
    walk.give_reason()
    with page.expect_download() as sent:
        walk.press("Export", "导出")
    assert re.fullmatch(r"ada-\d{4}-\d\d-\d\d\.html", sent.value.suggested_filename)
    page_to_read = sent.value.path().read_text(encoding="utf-8")
    assert [words for words in (*talk.said, talk.question) if words not in page_to_read] == []
    expect(page.locator("[data-downloaded]")).to_have_text(
        look.choose("Downloaded, and recorded in the audit trail.", "已下载，并记入审计记录。")
    )
    walk.look_at_page()
    with tenant_tx(world.acme.tenant.id):
        assert AuditRecord.objects.filter(action="subject.exported", subject_ref=world.acme.subject.pk).count() == 1


def test_a_manager_erases_a_person_for_good(world: World, site: str, walk: Walk) -> None:
    acme, page, look, known_by = world.acme, walk.page, walk.look, TALKS[walk.look.locale].known_by
    walk.follow_to("Erase", "抹除")
    expect(page.locator("main")).to_contain_text(look.choose("2 messages", "2 条消息"))
    button = page.get_by_role("button", name=look.choose("Erase for good", "永久抹除"), exact=True)
    expect(button).to_have_css("background-color", RED)
    for typed in ("Ada", "ada"):
        walk.write("Id of the person, typed by hand", "手动输入用户 ID", typed)
        walk.confirm("Erase for good", "永久抹除")
        if typed == "Ada":
            expect(page.locator(".errorlist")).to_be_visible()
            assert load_newest(acme, Subject) is not None
    walk.read_message("Erased. This is the certificate.", "已抹除。这是证书。")
    read_certificate(walk)
    page.evaluate("history.go(-3)")  # past the form that was sent with the wrong id
    page.wait_for_url("**/erase/")
    expect(page.locator("#content-main")).not_to_contain_text(known_by)
    expect(page.locator("#id_typed")).to_have_count(0)
    page.goto(f"/console/profiles/subject/find/?q={known_by}")
    expect(page.locator(".found")).to_have_count(0)
    gone = page.goto(build_change_address(Subject, acme.subject.pk))
    assert gone is not None
    assert gone.status == 404
    for end in ("profile", "preferences", "tags"):
        answers = [
            httpx.get(f"{site}/v1/subjects/{one}/{end}", headers=acme.headers, timeout=60) for one in ("ada", "nobody")
        ]
        assert [answer.status_code for answer in answers] == [404, 404], end


def read_certificate(walk: Walk) -> None:
    """Read the certificate as a letter, which holds no id, and put the id on it."""
    page, look = walk.page, walk.look
    letter = page.get_by_role("article")
    expect(letter).to_contain_text(look.choose("2 messages", "2 条消息"))
    headings = (
        ("What was removed", "删除的内容"),
        ("What this does not cover, and until when", "不包括的内容及其保留期限"),
        ("How it was checked", "如何核实"),
    )
    expect(letter.get_by_role("heading")).to_have_text([look.choose(*words) for words in headings])
    expect(page.get_by_role("button", name=look.choose("Print", "打印"), exact=True)).to_be_visible()
    expect(page.locator("a[href$='certificate.json']")).to_have_count(1)
    expect(page.locator("#content")).not_to_contain_text(re.compile(r"\bada\b"))  # a signature may hold the letters
    expect_print_of_letter(walk)
    walk.write("Put the person’s id on the letter:", "在信上写明此人的 ID：", "ada")
    walk.press("Check and add", "核对并写入")
    expect(letter).to_contain_text(look.choose("The certificate is about “ada”", "这份证书说的是“ada”"))
    walk.look_at_page()
    expect_print_of_letter(walk)


def expect_print_of_letter(walk: Walk) -> None:
    """Expect that on paper the page is the letter alone, and one sheet of it."""
    page = walk.page
    page.emulate_media(media="print")
    told = page.get_by_role("article").inner_text()
    for paper in ("A4", "Letter"):
        with PdfDocument(page.pdf(format=paper)) as printed:
            texts = [sheet.get_textpage().get_text_range() for sheet in printed]
        assert len(texts) == 1, f"{paper}: {texts}"
        assert read_letters(texts[0]) == read_letters(told), paper
    page.emulate_media(media="screen")


def read_letters(text: str) -> str:
    """Return letters and digits of a text: how a printed line breaks or a list is marked says nothing."""
    return re.sub(r"[\W_]", "", normalize("NFKC", text))

"""Finding a person by whatever is remembered of them. Rows: D2, T1, T7, P6."""

import json
import re
from functools import partial
from html import unescape
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
from django.test import Client

from memory_platform.console.shared.config import SearchConfig
from memory_platform.console.subjects import subject_screen
from memory_platform.console.subjects.readable_export import render_readable_export
from memory_platform.console.subjects.subject_search import build_typo_patterns, find_subjects, parse_query
from memory_platform.kernel.clock import utc_now
from profiles.models import Erasure, Subject
from profiles.services.erasure_certificates import is_genuine
from profiles.services.profile import FactChange, FactName
from profiles.services.subjects import put_subject
from profiles.services.tags.tags import TagDraft, upsert_tag
from profiles.services.value_claims import make_stated_claim
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.rows import make_one_of_each

FIND = "/console/profiles/subject/find/"


def store_fact(subject_id: str, name: str, **attributes: str) -> Subject:
    """Make a subject with a name and attributes."""
    said = {FactName("name"): name} | {FactName(field, is_attribute=True): said for field, said in attributes.items()}
    return put_subject(
        subject_id, changes=[FactChange(field, make_stated_claim(text)) for field, text in said.items()]
    ).subject


@pytest.fixture
def people(world: World) -> World:
    """John, Jon and two Chinese people in acme; their namesake in globex."""
    with tenant_tx(world.acme.tenant.id):
        john = store_fact("user_123", "Jonathan Smith", plan="family")
        upsert_tag(john, TagDraft("home", {"address": "42 Baker Street", "phone": "+49 170 5551234"}))
        store_fact("user_124", "John Lee", seat="aisle")
        store_fact("user_200", "张伟", city="北京市海淀区")
        store_fact("user_201", "王小明", city="上海")
        store_fact("smith", "Ann Brown")
    with tenant_tx(world.globex.tenant.id):
        store_fact("user_900", "Jonathan Smith")
    return world


def find_ids(client: Client, query: str) -> list[str]:
    """Return the ids that the page shows for a query, or that of the page it led to."""
    answer = client.get(FIND, {"q": query}, follow=True)
    page = answer.content.decode()
    if answer.redirect_chain:
        return re.findall(r'data-copy="([^"]+)"', page)[:1]
    return [b or a for a, b in re.findall(r'<b><bdi>([^<]+)</bdi></b>(?: <bdi class="faint">([^<]+)</bdi>)?', page)]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("jonathan smith", "user_123"),
        ("smith jonathan", "user_123"),
        ("JONATHAN", "user_123"),
        ("jonathansmith", "user_123"),
        ("jonatan smith", "user_123"),
        ("Jonahtan", "user_123"),
        ("jonatahn smiht", "user_123"),
        ("baker street", "user_123"),
        ("bakerstreet", "user_123"),
        ("5551234", "user_123"),
        ("Ｊｏｎａｔｈａｎ", "user_123"),
        ("Jhon", "user_124"),
        ("aisle", "user_124"),
        ("张伟", "user_200"),
        ("張偉", "user_200"),
        ("张 伟", "user_200"),
        ("张伟北京", "user_200"),
        ("海淀", "user_200"),
        ("王晓明", "user_201"),
        ("user_20", "user_201"),
        ("user-201", "user_201"),
        ("smith family", "user_123"),
    ],
)
def test_the_person_meant_comes_first(people: World, staff: Staff, query: str, best: str) -> None:
    assert find_ids(staff.sam, query)[:1] == [best]


def test_an_exact_id_leads_straight_to_the_page_before_any_name(people: World, staff: Staff) -> None:
    with tenant_tx(people.acme.tenant.id):
        wanted = Subject.objects.get(external_id="smith")
    page = f"/console/profiles/subject/{wanted.pk}/change/"
    for query in ("smith", " smith ", str(wanted.pk)):
        assert staff.sam.get(FIND, {"q": query})["Location"] == page
    assert find_ids(staff.sam, "Smith")[0] == "smith"


def test_the_page_says_by_what_each_was_found(people: World, staff: Staff) -> None:
    with tenant_tx(people.acme.tenant.id):
        namesake = store_fact("user_125", "Jonathan Smith", plan="family")
        upsert_tag(namesake, TagDraft("home", {"address": "42 Baker Street"}))
    for query, field, text in (
        ("jonathan", "name", "Jonathan Smith"),
        ("baker", "place or contact", "42 Baker Street"),
        ("user_12", "id", "user_123"),
        ("family", "plan", "family"),
    ):
        page = staff.sam.get(FIND, {"q": query}).content.decode()
        why = re.findall(r'<li><span class="faint"><bdi>([^<]*)</bdi></span> <bdi class="line">([^<]*)</bdi>', page)
        assert any(told == field and text in said for told, said in why), (query, why)


def test_nobody_of_another_tenant_is_found_by_name_or_id(people: World, staff: Staff) -> None:
    for query in ("user_900", "gil", str(people.globex.subject.pk)):
        answer = staff.sam.get(FIND, {"q": query})
        assert answer.status_code == 200
        assert not {"user_900", "gil"} & set(find_ids(staff.sam, query))
    assert find_ids(staff.gus, "jonathan smith") == ["user_900"]


def test_who_is_being_erased_is_found_by_nothing(people: World, staff: Staff) -> None:
    with tenant_tx(people.acme.tenant.id):
        Subject.objects.filter(external_id="user_124").update(erasing=True)
    assert "user_124" not in find_ids(staff.sam, "john lee")
    assert staff.sam.get(FIND, {"q": "user_124"}).status_code == 200


def test_some_of_the_words_are_better_than_nobody(people: World, staff: Staff) -> None:
    page = staff.sam.get(FIND, {"q": "jonathan zzzzzz"}).content.decode()
    assert "user_123" in page
    assert "Nobody matches all of these words" in page
    assert "Nobody in this tenant" in staff.sam.get(FIND, {"q": "zzzzzz"}).content.decode()


@pytest.mark.parametrize(
    "query", ["", " ", "%", "_", "\\", "((", "a\x00b", "<script>alert(1)</script>", "🙂", "x" * 9000]
)
def test_whatever_is_typed_is_answered(people: World, staff: Staff, query: str) -> None:
    answer = staff.sam.get(FIND, {"q": query})
    assert answer.status_code == 200
    assert "<script>alert" not in answer.content.decode()


def test_a_search_is_recorded_without_its_words(people: World, staff: Staff) -> None:
    staff.sam.get(FIND, {"q": "jonathan smith"})
    with tenant_tx(people.acme.tenant.id):
        record = AuditRecord.objects.get(action="subject.searched")
    assert "jonathan" not in str(vars(record)).lower()


def test_a_search_that_takes_too_long_is_ended_and_says_so(people: World) -> None:
    with tenant_tx(people.acme.tenant.id):
        Subject.objects.bulk_create(
            Subject(external_id=f"crowd{number}", search_text=f"crowd{number} " + "word " * 700)
            for number in range(400)
        )
        findings = find_subjects("jonatan smiht", SearchConfig(timeout_ms=1))
        assert findings.stopped
        assert Subject.objects.count() > 400  # the transaction goes on


@pytest.fixture
def crowd(people: World) -> World:
    """People who came after John, each with a name like his: half of it as it is, so that slips are looked for."""
    with tenant_tx(people.acme.tenant.id):
        Subject.objects.bulk_create(
            Subject(external_id=f"crowd{number}", search_text=f"crowd{number} jonamithan") for number in range(40)
        )
    return people


def test_slips_are_forgiven_in_the_newest_while_there_is_time(crowd: World) -> None:
    with tenant_tx(crowd.acme.tenant.id):
        newest = Subject.objects.get(external_id="crowd39").created_at
        hurried = find_subjects("jonatahn smiht", SearchConfig(slice_rows=10, typo_search_ms=0))
        assert (hurried.people, hurried.stopped) == ((), False)
        assert hurried.since
        assert hurried.since > newest
        patient = find_subjects("jonatahn smiht", SearchConfig(slice_rows=10, typo_search_ms=0), patiently=True)
    assert [found.subject.external_id for found in patient.people] == ["user_123"]
    assert patient.since is None


def test_a_search_that_hurried_leads_to_a_patient_one(
    crowd: World, staff: Staff, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        subject_screen, find_subjects.__name__, partial(find_subjects, config=SearchConfig(typo_search_ms=0))
    )
    page = staff.sam.get(FIND, {"q": "jonatahn smiht"}).content.decode()
    assert "user_123" not in page
    [patient] = re.findall(r'href="([^"]*)">Search everybody', page)
    page = staff.sam.get(FIND + unescape(patient)).content.decode()
    assert "user_123" in page
    assert "Search everybody" not in page


def test_enough_of_the_newest_end_a_search_with_slips(crowd: World) -> None:
    with tenant_tx(crowd.acme.tenant.id):
        findings = find_subjects("corwd", SearchConfig(slice_rows=10, max_rows=10, max_shown=5))
    assert {found.subject.external_id for found in findings.people} <= {f"crowd{number}" for number in range(30, 40)}
    assert findings.more
    assert findings.since is None


def test_of_those_with_some_of_the_words_who_has_most_comes_first(crowd: World, staff: Staff) -> None:
    with tenant_tx(crowd.acme.tenant.id):
        findings = find_subjects("zzzzzz jonathan smith crowd1", SearchConfig(max_rows=1))
    assert [found.subject.external_id for found in findings.people] == ["user_123"]


def test_the_box_stands_on_every_page_once(people: World, staff: Staff) -> None:
    for page in ("/console/", "/console/profiles/preference/", FIND):
        assert staff.sam.get(page).content.decode().count(f'action="{FIND}"') == 1


def test_a_slip_is_forgiven_where_the_word_stays_the_same() -> None:
    def matches(word: str, text: str) -> bool:
        slips = build_typo_patterns(word)
        if not slips:
            return word in text
        return bool(re.search("".join(slip.pattern for slip in slips), text)) and all(
            any(part in text for part in slip.required_parts) for slip in slips
        )

    for word in ("smith", "wong", "jonathan", "hernandez", "user_123"):
        assert matches(word, word)
        for at in range(len(word) - 1):
            swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
            for slip in (
                word[:at] + word[at + 1 :],
                word[:at] + "x" + word[at:],
                word[:at] + "x" + word[at + 1 :],
                swapped,
            ):
                assert matches(slip, word) or len(slip) < 4, (slip, word)
    assert not matches("ada", "ida")
    assert not matches("1234", "1235")
    assert not matches("smith", "smooch")


def test_a_query_is_read_as_its_words() -> None:
    assert parse_query("Ａda  LOVELACE").words == ("ada", "lovelace")
    assert parse_query("张伟北京").words == ("张伟", "北京")
    assert parse_query("new york").joined == "newyork"
    assert len(parse_query(" ".join("abcdefghij")).words) == SearchConfig().max_words


@pytest.fixture
def ann(world: World) -> Subject:
    with tenant_tx(world.acme.tenant.id):
        subject: Subject = make_one_of_each("花生 ann")[Subject]
    return subject


def page_of(subject: Subject, verb: str) -> str:
    return f"/console/profiles/subject/{subject.pk}/{verb}/"


def is_there(world: World, subject: Subject) -> bool:
    with tenant_tx(world.acme.tenant.id):
        return Subject.objects.filter(external_id=subject.external_id).exists()


def test_support_exports_all_of_it_with_a_reason_and_a_viewer_does_not(
    world: World, staff: Staff, ann: Subject
) -> None:
    page = page_of(ann, "export")
    assert staff.vic.post(page, {"form": "ndjson", "reason": "curious"}).status_code == 403
    for wrong in ({"form": "ndjson", "reason": ""}, {"form": "xls", "reason": "x"}):
        assert "attachment" not in staff.sam.post(page, wrong).headers.get("Content-Disposition", "")
    answer = staff.sam.post(page, {"form": "ndjson", "reason": "asked by the person"})
    name = quote(f"花生-ann-0-{utc_now():%Y-%m-%d}.ndjson")
    assert answer["Content-Disposition"] == f"attachment; filename*=utf-8''{name}"
    assert (answer.cookies["downloaded"].value, answer.cookies["downloaded"]["path"]) == ("1", page)
    lines = [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]  # type: ignore[attr-defined]
    assert lines[0]["type"] == "header"
    assert lines[1]["subject_id"] == ann.external_id
    assert lines[-1]["type"] == "end"
    with tenant_tx(world.acme.tenant.id):
        record = AuditRecord.objects.get(action="subject.exported")
    assert (record.subject_ref, record.reason) == (ann.pk, "asked by the person")
    assert "by sam: asked by the person" in staff.sam.get(page).content.decode()
    assert staff.gus.post(page, {"form": "html", "reason": "x"}).status_code == 404


def test_an_export_to_read_has_every_row_of_the_lines(staff: Staff, ann: Subject) -> None:
    def export(form: str) -> str:
        answer: Any = staff.sam.post(page_of(ann, "export"), {"form": form, "reason": "asked"})
        return b"".join(answer.streaming_content).decode()

    lines = [json.loads(line) for line in export("ndjson").splitlines()]
    page = export("html")
    assert page.startswith("<!doctype html>")
    assert page.count("<li>") == len(lines) - 3  # without header, subject and end
    for line in lines[2:-1]:
        assert line["id"] in page, line["type"]
    assert "<h2>Messages</h2>" in page
    assert "User: 花生 ann" in page
    assert "This is complete." in page
    cut = b"".join(piece.encode() for piece in render_readable_export(map(dump_line, lines[:-1]))).decode()
    assert "This is not complete" in cut
    hostile = [lines[0], {**lines[1], "subject_id": "<script>"}, {**lines[2], "value": "<script>"}]
    assert "<script>" not in "".join(render_readable_export(map(dump_line, hostile)))


def dump_line(line: dict[str, Any]) -> bytes:
    return json.dumps(line).encode() + b"\n"


def test_a_manager_erases_a_person_by_typing_the_id_and_gets_a_certificate(
    world: World, staff: Staff, ann: Subject
) -> None:
    page = page_of(ann, "erase")
    asked = staff.mia.get(page).content.decode()
    assert ann.external_id in asked
    for line in ("1 message", "1 answer", "1 preference, earlier ones included", "2 snapshots", "1 of them is a note"):
        assert f"<li>{line}</li>" in asked, line
    assert 'class="deletelink"' in asked  # red
    sent = {"typed": f" {ann.external_id}\t", "reason": "asked by the person"}
    shown = staff.mia.post(page, sent, follow=True).content.decode()
    assert "This is the certificate" in shown
    assert not is_there(world, ann)
    with tenant_tx(world.acme.tenant.id):
        erasure = Erasure.objects.get(scope="subject", reason="asked by the person")
    address = f"/console/profiles/erasure/{erasure.pk}/certificate.json"
    certificate = json.loads(staff.mia.get(address).content)
    assert is_genuine(certificate)
    assert not is_genuine(certificate | {"erased": {}})
    assert ann.external_id not in json.dumps(certificate, ensure_ascii=False)
    assert staff.gus.get(address).status_code == 404
    check_letter(shown, ann)
    check_named_letter(staff, f"/console/profiles/erasure/{erasure.pk}/letter/", ann)
    assert staff.mia.post(page, sent).status_code == 404  # sent twice


def check_letter(page: str, erased: Subject) -> None:
    """The letter says all in words; codes stand in the closed technical part alone."""
    letter = page.partition('<article class="letter">')[2].partition("</article>")[0]
    assert f"Erasure of a person, {utc_now():%Y-%m-%d}" in letter
    assert "<li>1 message</li>" in letter
    assert "found nothing left" in letter
    assert "the signature is genuine" in letter
    assert "Backups made before: until they are deleted." in letter
    assert erased.external_id not in letter
    words = re.sub(r"<[^>]+>", "", letter).replace("asked by the person", "")
    assert not re.findall(r"\w+_\w+|[{}]", words)
    assert '<fieldset class="module aligned collapse' in page


def check_named_letter(staff: Staff, address: str, erased: Subject) -> None:
    """Who knows the id may have it on the letter; nobody else learns anything."""
    named = staff.mia.post(address, {"typed": erased.external_id}).content.decode()
    assert f"Erasure of a person: {erased.external_id}, {utc_now():%Y-%m-%d}" in named
    wrong = staff.mia.post(address, {"typed": "somebody"}).content.decode()
    assert "This certificate is about somebody else." in wrong
    assert staff.gus.post(address, {"typed": erased.external_id}).status_code == 404


@pytest.mark.parametrize("wrong", [{"typed": ""}, {"typed": "花生 ann"}, {"reason": ""}, {"reason": "  "}])
def test_a_slip_of_the_hand_erases_nobody(world: World, staff: Staff, ann: Subject, wrong: dict[str, str]) -> None:
    sent = {"typed": ann.external_id, "reason": "asked by the person"} | wrong
    assert staff.mia.post(page_of(ann, "erase"), sent).status_code == 200
    assert is_there(world, ann)


def test_nobody_else_erases_and_no_button_says_so(world: World, staff: Staff, ann: Subject) -> None:
    sent = {"typed": ann.external_id, "reason": "x"}
    for client, exports in ((staff.sam, True), (staff.vic, False)):
        assert client.post(page_of(ann, "erase"), sent).status_code == 403
        shown = client.get(page_of(ann, "change")).content.decode()
        assert page_of(ann, "erase") not in shown
        assert (page_of(ann, "export") in shown) is exports
    assert page_of(ann, "erase") in staff.mia.get(page_of(ann, "change")).content.decode()
    assert is_there(world, ann)
    with tenant_tx(world.acme.tenant.id):
        refused = AuditRecord.objects.filter(refused=True, object_kind="profiles_subject_erase")
        assert {record.object_id for record in refused} == {str(ann.pk)}


def test_what_is_another_tenants_is_not_found_like_what_nobody_has(world: World, staff: Staff, ann: Subject) -> None:
    for key in (ann.pk, uuid4()):
        sent = {"typed": ann.external_id, "form": "html", "reason": "x"}
        assert staff.gus.post(f"/console/profiles/subject/{key}/export/", sent).status_code == 404
    assert is_there(world, ann)

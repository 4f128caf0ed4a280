"""Notes in the console: the list, a note's page and its acts, the part of a subject's page. Rows: D2, P9, T3, T7."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from pytest_django import DjangoAssertNumQueries

from memory_platform.console.memories import newest_rows_search
from memory_platform.console.shared.config import SUBJECT_PAGE
from memory_platform.console.shared.lists import change_lists
from memory_platform.console.shared.note_and_state_labels import render_probability
from memory_platform.console.subjects import notes_section
from memory_platform.kernel.clock import utc_now
from snapshots.models import Snapshot
from snapshots.receipts.values import ReceiptCandidate, ReceiptDraft, RenderedPrompt
from snapshots.receipts.write import write_receipt
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import House, World
from tests.memory_platform.console.conftest import Staff, log_in
from tests.memory_platform.console.memories.notes import (
    HOSTILE,
    LIST,
    NoteIds,
    action_address,
    find_listed_notes,
    note_address,
    run_action,
)
from tests.snapshots.held import know, prefer, remember, say
from tests.snapshots.notes.world import ALLERGY, note, rows
from tests.snapshots.notes_held import fill_with_notes, note_down


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ({}, {"allergy", "tea", "sister"}),
        ({"standing": "ended"}, {"moved"}),
        ({"standing": "retired"}, {"wrong"}),
        ({"standing": "all"}, {"allergy", "tea", "sister", "moved", "wrong"}),
        ({"standing": "no such"}, {"allergy", "tea", "sister"}),
        ({"grade": "habit"}, {"tea"}),
        ({"grade": "limit", "standing": "all"}, {"wrong"}),
        ({"vital": "any"}, {"allergy"}),
        ({"vital": "allergy"}, {"allergy"}),
        ({"vital": "illness"}, set()),
        ({"vital": "none"}, {"tea", "sister"}),
        ({"about_kind__exact": "contact"}, {"sister"}),
        ({"q": "nurse"}, {"sister"}),
        ({"q": "喝茶"}, {"tea"}),
        ({"q": "ada"}, {"allergy", "tea", "sister"}),
    ],
)
def test_a_list_shows_current_notes_and_is_narrowed(
    acme: House, staff: Staff, note_ids: NoteIds, query: dict[str, str], shown: set[str]
) -> None:
    assert find_listed_notes(staff.vic, note_ids, acme, **query) == shown
    assert find_listed_notes(staff.vic, note_ids, acme, subject=acme.subject.pk, **query) == shown


def test_a_list_tells_what_each_note_is(acme: House, staff: Staff, note_ids: NoteIds) -> None:
    page = staff.vic.get(LIST, {"standing": "all"}).content.decode()
    for words in (
        "allergy or intolerance",
        "habit",
        "limitation",
        "琳 Lin",
        "a contact",
        "current",
        "ended",
        "retired",
    ):
        assert words in page, words
    assert find_listed_notes(staff.vic, note_ids, acme, q=str(note_ids.tea)) == {"tea"}, "by the id that the API gives"
    note_id = rows(acme, note_ids.tea)[1].id
    assert find_listed_notes(staff.vic, note_ids, acme, q=str(note_id)) == {"tea"}


def test_a_whole_tenant_s_list_counts_the_newest_and_searches_them(
    acme: House, staff: Staff, note_ids: NoteIds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_lists, "MAX_COUNTED_ROWS", 2)
    monkeypatch.setattr(newest_rows_search, "MAX_SEARCHED_ROWS", 1)
    page = staff.sam.get(LIST).content.decode()
    assert "the newest 2; choose a person or search to see others" in page
    assert "toplinks" not in page
    assert "Only the newest 1 " in staff.sam.get(LIST, {"q": "nurse"}).content.decode()
    assert find_listed_notes(staff.sam, note_ids, acme, q="nurse") == set()
    assert find_listed_notes(staff.sam, note_ids, acme, q="nurse", subject=acme.subject.pk) == {"sister"}
    answer = staff.sam.get(LIST, {"snapshot__said_at__year": "2026", "o": "1", "grade": "habit"})
    assert answer["Location"] == f"{LIST}?grade=habit"


def test_a_page_tells_the_words_with_their_message(staff: Staff, note_ids: NoteIds) -> None:
    page = staff.vic.get(note_address(note_ids.allergy)).content.decode()
    assert f"Hi &lt;script&gt;alert(1)&lt;/script&gt;. <mark>{ALLERGY.replace(chr(39), '&#x27;')}</mark>." in page
    assert HOSTILE not in page
    assert "Learned from <a" in page
    assert "fact · lasts with a probability of 93 %" in page
    assert "allergy or intolerance" in page
    for label in ("Valid at", "Recorded at", "Confidence"):
        assert label in page, label
    for label in ("Invalid at", "Retired at"):  # the note is current
        assert label not in page, label
    assert "Used in" not in page


def test_a_page_tells_whom_a_note_is_about_and_that_nobody_said_it(staff: Staff, note_ids: NoteIds) -> None:
    page = staff.vic.get(note_address(note_ids.sister)).content.decode()
    assert "琳 Lin" in page
    assert "<bdi>sister</bdi>" in page
    assert "fact about another · stated explicitly" in page
    assert "Learned from" not in page
    assert "Stored" in page.partition('class="memory-story"')[2]


def test_the_turn_that_is_kept_stands_where_no_message_comes_before(acme: House, staff: Staff) -> None:
    (said,) = say(acme, "Yes, every day")
    note_id = note(acme, "Yes, every day", [said], context=f"Do you swim? {HOSTILE}")
    page = staff.vic.get(note_address(note_id)).content.decode()
    assert "Do you swim? &lt;script&gt;" in page


def test_a_note_and_the_prompts_that_held_it_lead_to_each_other(acme: House, staff: Staff, note_ids: NoteIds) -> None:
    offered = [
        ReceiptCandidate(str(note_ids.tea), "snapshots", "note", 0.8, "kept", 12, context_position=1),
        ReceiptCandidate(str(note_ids.sister), "notes", "note", 0.7, "kept", 12, context_position=2),
    ]
    with tenant_tx(acme.tenant.id):
        drafted = ReceiptDraft(
            subject_id=acme.subject.pk,
            conversation_id=None,
            policy_version="1",
            rendered=RenderedPrompt("每天早上喝茶", [], ""),
            candidates=offered,
        )
        receipt = write_receipt(drafted)
    assert (
        f"/console/snapshots/receipt/{receipt.pk}/change/" in staff.vic.get(note_address(note_ids.tea)).content.decode()
    )
    why = staff.vic.get(f"/console/snapshots/receipt/{receipt.pk}/change/").content.decode()
    for one in (note_ids.tea, note_ids.sister):
        assert f"/console/snapshots/snapshot/{one}/change/" in why


@pytest.mark.parametrize(
    ("probability", "told"),
    [
        (1.0, "stated explicitly"),
        (0.93, "lasts with a probability of 93 %"),
        (0.999, "lasts with a probability of 99 %"),
    ],
)
def test_a_probability_is_told_in_words(probability: float, told: str) -> None:
    assert render_probability(probability) == told


def test_a_page_is_found_by_either_id_and_from_the_page_of_its_snapshot(
    acme: House, staff: Staff, note_ids: NoteIds
) -> None:
    snapshot, row = rows(acme, note_ids.tea)
    assert staff.vic.get(note_address(row.id)).status_code == 200
    assert staff.vic.get(note_address(snapshot.id)).status_code == 200
    answer = staff.vic.get(f"/console/snapshots/snapshot/{snapshot.id}/change/")
    assert answer["Location"] == note_address(snapshot.id)
    with tenant_tx(acme.tenant.id):
        seen = AuditRecord.objects.filter(action="note.viewed")
        assert {(one.object_kind, one.object_id, one.subject_ref) for one in seen} == {
            ("note", str(note_ids.tea), acme.subject.pk)
        }
        assert not AuditRecord.objects.filter(action="snapshot.viewed").exists()


def test_another_tenant_s_staff_gets_what_nobody_has(world: World, staff: Staff, note_ids: NoteIds) -> None:
    gil = note(world.globex, "Gil likes tea")
    page = staff.gus.get(LIST, {"standing": "all"}).content.decode()
    assert str(rows(world.globex, gil)[1].id) in page
    assert find_listed_notes(staff.gus, note_ids, world.acme, standing="all") == set()
    for address in (note_address, lambda one: action_address(one, "retire"), lambda one: f"{LIST}{one}/history/"):
        theirs, nobodys = (staff.gus.get(address(one)) for one in (note_ids.tea, uuid4()))
        assert theirs.status_code == nobodys.status_code != 200
    assert find_listed_notes(staff.gus, note_ids, world.acme, q=str(note_ids.tea)) == set()
    assert staff.gus.get(LIST, {"subject": str(world.acme.subject.pk)}).status_code == 200


def test_an_operator_needs_a_support_session(world: World, note_ids: NoteIds) -> None:
    otto = log_in("otto")
    otto.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    for page in (LIST, note_address(note_ids.tea), action_address(note_ids.tea, "vital")):
        assert "/supportsession/start/" in otto.get(page)["Location"], page


def read_notes_section(page: str, key: str = "notes") -> str:
    start = page.index(f'id="s-{key}"')
    return page[start : page.index("</section>", start)]


def test_a_subject_s_page_shows_vital_notes_first_then_the_newest(
    acme: House, staff: Staff, note_ids: NoteIds, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = note(acme, "I sing in a choir", said_at=utc_now())
    address = f"/console/profiles/subject/{acme.subject.pk}/change/"
    page = staff.vic.get(address).content.decode()
    vital, part = read_notes_section(page, "vital"), read_notes_section(page)
    assert f'href="{LIST}?subject={acme.subject.pk}"' in part
    places = [page.index(note_address(one)) for one in (note_ids.allergy, newest, note_ids.tea)]
    assert places == sorted(places)
    assert "Vital: allergy or intolerance" in vital
    assert note_address(note_ids.allergy) not in part
    assert note_address(note_ids.moved) not in page
    assert note_address(note_ids.wrong) not in page
    assert str(note_ids.tea) not in page.replace(part, ""), "notes have a part of their own"
    assert "See all" not in part
    monkeypatch.setattr(notes_section, "SUBJECT_PAGE", replace(SUBJECT_PAGE, max_notes=1))
    page = staff.vic.get(address).content.decode()
    part = read_notes_section(page)
    assert note_address(note_ids.tea) not in part
    assert note_address(note_ids.allergy) in read_notes_section(page, "vital")
    assert "See all" in part


def test_a_subject_s_page_shows_the_notes_of_a_past_moment(acme: House, staff: Staff, note_ids: NoteIds) -> None:
    with tenant_tx(acme.tenant.id):
        Snapshot.objects.filter(id=note_ids.tea).update(recorded_at=utc_now() - timedelta(days=3))
        Snapshot.objects.filter(id=note_ids.wrong).update(recorded_at=utc_now() - timedelta(days=3))
    moment = utc_now() - timedelta(days=2)
    run_action(staff.sam, acme, note_ids.tea, "correct", text="喝咖啡")
    run_action(staff.sam, acme, note_ids.tea, "vital", vital_class="illness")
    address = f"/console/profiles/subject/{acme.subject.pk}/change/"
    page = staff.vic.get(address, {"clock": "known_at", "at": f"{moment:%Y-%m-%dT%H:%M:%S}"}).content.decode()
    part = read_notes_section(page)
    assert "每天早上喝茶" in part
    assert "喝咖啡" not in part
    assert "Vital:" not in part
    assert note_address(note_ids.wrong) in part, "it was retired since"
    assert note_address(note_ids.allergy) not in part


@pytest.mark.slow
def test_pages_full_of_notes_ask_no_more_than_thirty_times(
    acme: House, staff: Staff, note_ids: NoteIds, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    know(acme, name="Ada")
    prefer(acme, "food", "likes", "tea")
    (said,) = say(acme, "I have a boat")
    remember(acme, "I have a boat", messages=[said])
    for number in range(30):
        note(acme, f"note {number} 笔记", vital_class="legal" if number % 2 else "")
    for verb in ("confirm", "retire", "undo"):
        run_action(staff.sam, acme, note_ids.allergy, verb)
    past = {"clock": "known_at", "at": f"{utc_now() - timedelta(seconds=1):%Y-%m-%dT%H:%M:%S}"}
    person = f"/console/profiles/subject/{acme.subject.pk}/change/"
    mia = staff.mia
    mia.get("/console/")  # the first page of a process reads what later ones have cached
    for address, query in (
        (LIST, {"standing": "all"}),
        (LIST, {"subject": str(acme.subject.pk)}),
        (LIST, {"q": "note"}),
        (note_address(note_ids.allergy), {}),
        (action_address(note_ids.allergy, "vital"), {}),
        (action_address(note_ids.allergy, "undo"), {}),
        (person, {}),
        (person, past),
    ):
        with django_assert_max_num_queries(30):
            answer = mia.get(address, query)
        assert answer.status_code == 200, address


@pytest.mark.slow
def test_a_person_with_five_thousand_notes_opens_in_as_few_queries_and_small_pages(
    acme: House, staff: Staff, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    fill_with_notes(acme, 5_000)
    (allergy,) = note_down(acme, "Is allergic to walnuts.", vital_class="allergy")
    mia = staff.mia
    mia.get("/console/")
    person = f"/console/profiles/subject/{acme.subject.pk}/change/"
    for address, query, shown in (
        (LIST, {}, "Is allergic to walnuts."),
        (LIST, {"subject": str(acme.subject.pk), "p": "40"}, "Walks dog number"),
        (LIST, {"q": "walnuts"}, "Is allergic to walnuts."),
        (note_address(allergy), {}, "Is allergic to walnuts."),
        (person, {}, "Is allergic to walnuts."),
    ):
        with django_assert_max_num_queries(30):
            answer = mia.get(address, query)
        assert answer.status_code == 200, address
        assert shown in answer.content.decode(), (address, query)
        assert len(answer.content) < 500_000, (address, query)


def test_notes_are_shown_in_chinese(acme: House, staff: Staff, note_ids: NoteIds) -> None:
    staff.sam.cookies["django_language"] = "zh-hans"
    page = staff.sam.get(LIST, {"standing": "all"}).content.decode()
    for words in ("笔记", "习惯", "限制", "过敏或不耐受", "当前", "已结束", "已停用"):
        assert words in page, words
    page = staff.sam.get(note_address(note_ids.allergy)).content.decode()
    for words in ("事实 · 长期有效的概率为 93 %", "历史", "得知"):
        assert words in page, words
    assert "用户明确说过" in staff.sam.get(note_address(note_ids.sister)).content.decode()
    assert "为何至关重要" in staff.sam.get(action_address(note_ids.tea, "vital")).content.decode()

"""The page of a subject: everything known, and what was known at any past moment. Rows: D2, P4, T1, T7."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from html import unescape
from uuid import uuid4

import pytest
from pytest_django import DjangoAssertNumQueries

from memory_platform.console.subjects.past_moment import RequestedMoment, SliderRange, parse_moment
from memory_platform.kernel.clock import utc_now
from profiles.models import Candidate, Preference, ProfileFact, Subject, Tag
from profiles.services.preferences import record_preference
from profiles.services.profile import FactChange, FactName
from profiles.services.subjects import put_subject
from profiles.services.value_claims import make_stated_claim
from snapshots.lifecycle.staff_actions.memory_actions import ActContext, retire_memory
from snapshots.lifecycle.staff_actions.undo_act import find_last_act, undo_act
from snapshots.models import Message, Note, Snapshot
from snapshots.policies.policy_sections import SECTIONS
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tenants.services.audit import COMMAND_LINE
from tenants.services.policies import activate_version, create_version, propose
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.rows import make_one_of_each
from tests.snapshots.held import know, prefer, remember
from tests.snapshots.notes.world import note

MARCH, APRIL, MAY = (datetime(2026, month, 1, 12, tzinfo=UTC) for month in (3, 4, 5))


def page_of(subject: Subject) -> str:
    return f"/console/profiles/subject/{subject.pk}/change/"


@dataclass(frozen=True, slots=True)
class AdaPage:
    """Ada, who said in April that jazz has been hers since March; the platform had believed in rock since March."""

    ada: Subject
    page: str


@pytest.fixture
def ada_page(world: World) -> AdaPage:
    ada = world.acme.subject
    with tenant_tx(world.acme.tenant.id):
        record_preference(ada, "music", "genre", make_stated_claim("rock", valid_at=MARCH), now=MARCH)
        record_preference(
            ada, "music", "genre", make_stated_claim("jazz", valid_at=MARCH + timedelta(days=7)), now=APRIL
        )
        record_preference(ada, "food", "dish", make_stated_claim("面条", valid_at=MAY), now=MAY)
    return AdaPage(ada, page_of(ada))


@pytest.mark.parametrize(
    ("clock", "at", "seen", "unseen"),
    [
        ("known_at", "2026-03-10T12:00", ["rock"], ["jazz", "面条"]),
        ("known_at", "2026-04-02T00:00:00", ["jazz"], ["rock", "面条"]),
        ("known_at", "", ["jazz", "面条"], ["rock"]),
        ("known_at", "2026-02-01T00:00", [], ["rock", "jazz", "面条"]),
        ("as_of", "2026-03-10T12:00", ["jazz"], ["rock", "面条"]),
        ("as_of", "2026-03-03T12:00:00Z", ["rock"], ["jazz", "面条"]),
        ("as_of", "2099-01-01T00:00", ["jazz", "面条"], ["rock"]),
    ],
)
def test_each_clock_shows_what_the_api_would_answer(
    ada_page: AdaPage, staff: Staff, clock: str, at: str, seen: list[str], unseen: list[str]
) -> None:
    page = staff.sam.get(ada_page.page, {"clock": clock, "at": at}).content.decode()
    for text in seen:
        assert f">{text}<" in page, text
    for text in unseen:
        assert f">{text}<" not in page, text


def test_the_changes_before_and_after_are_a_click_away(ada_page: AdaPage, staff: Staff) -> None:
    page = staff.sam.get(ada_page.page, {"at": "2026-04-02T00:00:00"}).content.decode()
    assert read_links(page, "prev") == ["?clock=known_at&at=2026-03-01T12:00:00"]
    assert read_links(page, "next") == ["?clock=known_at&at=2026-05-01T12:00:00"]
    assert ">rock<" in staff.sam.get(ada_page.page, {"at": "2026-03-01T12:00:00"}).content.decode()


def read_links(page: str, rel: str) -> list[str]:
    return [unescape(found) for found in re.findall(f'rel="{rel}" href="([^"]+)"', page)]


@pytest.mark.parametrize("clock", ["known_at", "as_of"])
def test_each_step_back_shows_something_else(ada_page: AdaPage, staff: Staff, clock: str) -> None:
    query, shown = f"?clock={clock}", []
    for _step in range(5):
        page = staff.sam.get(ada_page.page + query).content.decode()
        shown.append(tuple(word for word in ("rock", "jazz", "面条") if f">{word}<" in page))
        back = read_links(page, "prev")
        if not back:
            break
        query = back[0]
    assert shown == [("jazz", "面条"), ("jazz",), ("rock",), ()]


def test_a_change_of_this_second_is_one_step_back(world: World, ada_page: AdaPage, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        record_preference(ada_page.ada, "food", "drink", make_stated_claim("tea"))
    page = staff.sam.get(ada_page.page).content.decode()
    assert ">tea<" in page
    assert ">tea<" not in staff.sam.get(ada_page.page + read_links(page, "prev")[0]).content.decode()


def test_a_step_is_never_to_what_is_shown_already() -> None:
    early, late = APRIL.replace(microsecond=200_000), APRIL.replace(microsecond=600_000)
    span = SliderRange(MARCH, MAY, (early, late))
    # Both changes round up to one second, so that second has both and the moment before has neither.
    assert span.find_moment_before(MAY) == MARCH
    assert span.find_moment_before(APRIL.replace(microsecond=400_000)) == MARCH
    assert span.find_moment_before(APRIL) is None
    assert span.find_moment_after(APRIL) == APRIL + timedelta(seconds=1)
    assert span.find_moment_after(MAY) is None


@pytest.mark.parametrize("kind", ["statement", "note"])
def test_between_a_retirement_and_its_undo_neither_belief_nor_words_are_shown(
    world: World, staff: Staff, kind: str
) -> None:
    acme = world.acme
    doing = ActContext(COMMAND_LINE, "tests")
    prefer(acme, "navigation", "route", "highway")
    (words,) = remember(acme, "take the highway to work", kind="statement")
    if kind == "note":
        words = note(acme, "I take the highway to work", grade="habit")
    marks: list[datetime] = []
    with tenant_tx(acme.tenant.id):
        held = (Snapshot.objects.select_related("subject").get(pk=words), Preference.objects.get())
        for one in held:
            retire_memory(one, doing)
        marks.append(utc_now())
        for one in held:
            act = find_last_act(one)
            assert act is not None
            undo_act(acme.subject, act.pk, doing)
        marks.append(utc_now())
    page = page_of(acme.subject)
    shown = [staff.sam.get(page, {"at": at.isoformat()}).content.decode() for at in marks]
    now = staff.sam.get(page).content.decode()
    before = staff.sam.get(page, {"at": (marks[0] - timedelta(hours=2)).isoformat()}).content.decode()
    address = f"{words}/change/"
    assert [address in each for each in (before, *shown, now)] == [False, False, True, True]
    assert [">highway<" in each for each in (before, *shown, now)] == [False, False, True, True]


def test_counts_are_of_what_is_current(world: World, staff: Staff) -> None:
    acme = world.acme
    for value in ("highway", "no highways"):
        prefer(acme, "navigation", "route", value)
        know(acme, occupation=value)
    old, _new = remember(acme, "old words", "new words")
    ended, _lasts = note(acme, "I live in Boston", grade="fact"), note(acme, "I live in Graz", grade="fact")
    with tenant_tx(acme.tenant.id):
        Snapshot.objects.filter(pk=old).update(retired_at=utc_now())
        Snapshot.objects.filter(pk=ended).update(invalid_at=utc_now())
    page = staff.sam.get(page_of(acme.subject)).content.decode()
    for model, count in ((ProfileFact, 1), (Preference, 1), (Note, 1), (Snapshot, 2)):
        name = str(model._meta.verbose_name_plural).capitalize()
        address = f"/console/{model._meta.app_label}/{model._meta.model_name}/?subject={acme.subject.pk}"
        assert f'<a href="{address}">{name} <b>{count}</b></a>' in page, model
        listed = staff.sam.get(address).content.decode()
        assert listed.count('name="_selected_action"') == count, model


def read_sections(page: str) -> list[str]:
    return re.findall(r'<h2 id="s-(\w+)">', page)


def test_what_matters_most_comes_first_and_what_waits_above_all(world: World, staff: Staff) -> None:
    acme = world.acme
    empty = staff.sam.get(page_of(acme.subject)).content.decode()
    assert read_sections(empty) == []
    assert "Nothing is stored about this person yet." in empty
    (reply,) = remember(acme, "You could read Moby Dick", kind="reply")
    fields = {"pain_point": {"description": "What hurts in the way they work today.", "examples": []}}
    with tenant_tx(acme.tenant.id):
        rows = make_one_of_each("peanuts")
        Candidate.objects.filter(pk=rows[Candidate].pk).update(verdict="pending", proposal={"type": "tag"})
        Snapshot.objects.filter(pk=reply).update(subject=rows[Subject])
        version = create_version(propose({"fields": {"attributes": fields}}, SECTIONS), by=COMMAND_LINE, reason="t")
        activate_version(version.number, by=COMMAND_LINE, reason="t")
        for name, value in (("pain_point", "meetings"), ("city", "Portland")):
            put_subject(
                rows[Subject].external_id,
                changes=[FactChange(FactName(name, is_attribute=True), make_stated_claim(value))],
            )
    page = staff.sam.get(page_of(rows[Subject])).content.decode()
    assert read_sections(page) == [
        "vital",
        "tags",
        "answers",
        "profile",
        "preferences",
        "fields",
        "conversations",
        "tasks",
        "replies",
        "snapshots",
        "work",
        "held",
    ]
    assert "Moby Dick" in page.partition('id="s-replies"')[2].partition("</section>")[0]
    assert ">meetings<" in page.partition('id="s-fields"')[2].partition("</section>")[0]
    assert "<li>Portland</li>" in page  # beside the name
    waits, jumps = page.index("1 proposal about this person waits for a decision."), page.index('class="jumps"')
    assert waits < jumps < page.index('id="s-vital"')
    assert f'href="/console/profiles/candidate/review/?person={rows[Subject].pk}"' in page
    assert '<a href="#s-tags">Places and contacts <b>1</b></a>' in page
    assert '<details class="moment-box">' in page


def test_a_past_moment_marks_what_changed_since(ada_page: AdaPage, staff: Staff) -> None:
    page = staff.sam.get(ada_page.page, {"at": "2026-03-10T12:00"}).content.decode()
    assert '<details class="moment-box" open>' in page
    assert page.count("changed since then") == 1  # rock
    page = staff.sam.get(ada_page.page, {"at": "2026-05-02T12:00"}).content.decode()
    assert "changed since then" not in page
    assert ">music<" in page.partition('id="s-preferences"')[2].partition("</table>")[0]  # the category's column


def test_the_slider_counts_when_its_button_was_pressed(ada_page: AdaPage, staff: Staff) -> None:
    given = {"clock": "known_at", "at": "2026-04-02T00:00:00", "step": "0"}
    assert ">jazz<" not in staff.sam.get(ada_page.page, given | {"by": "slider"}).content.decode()
    assert ">jazz<" in staff.sam.get(ada_page.page, given | {"by": "date"}).content.decode()
    assert ">面条<" in staff.sam.get(ada_page.page, given | {"by": "slider", "step": "200"}).content.decode()


@pytest.mark.parametrize(
    "given",
    [
        {"at": "yesterday"},
        {"at": "2026-13-41T00:00"},
        {"by": "slider", "step": "x"},
        {"by": "slider"},
        {"at": "9" * 500},
    ],
)
def test_a_moment_that_cannot_be_read_shows_now_and_says_so(
    ada_page: AdaPage, staff: Staff, given: dict[str, str]
) -> None:
    page = staff.sam.get(ada_page.page, given).content.decode()
    assert "not a valid time" in page
    assert ">jazz<" in page


def test_the_steps_of_the_slider_lie_between_the_first_change_and_now() -> None:
    span = SliderRange(MARCH, MAY, (APRIL,))
    assert (span.find_moment(0), span.find_moment(200)) == (MARCH, MAY)
    assert [span.find_step(at) for at in (MARCH, MAY, MAY + timedelta(days=9))] == [0, 200, 200]
    assert parse_moment({"by": "slider", "step": "100"}, span).at == MARCH + (MAY - MARCH) / 2
    assert parse_moment({"at": "2026-06-01T00:00"}, span) == RequestedMoment()


def test_a_snapshot_is_shown_in_the_words_it_had_then(world: World, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        rows = make_one_of_each("花生")
        Snapshot.objects.filter(pk=rows[Snapshot].pk).update(recorded_at=MARCH)
    page = page_of(rows[Subject])
    assert "before: 花生" in staff.sam.get(page, {"at": "2026-03-20T00:00"}).content.decode()
    assert "before: 花生" not in staff.sam.get(page).content.decode()


def test_every_part_is_there_and_every_belief_leads_to_its_message(world: World, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        rows = make_one_of_each("peanuts")
    page = staff.sam.get(page_of(rows[Subject])).content.decode()
    for model, row in rows.items():
        if model.__name__ in {
            "ProfileFact",
            "Preference",
            "Tag",
            "Snapshot",
            "Conversation",
            "Receipt",
            "Work",
        }:
            assert f"{row.pk}/change/" in page, model
    assert page.count(f"#turn-{rows[Message].pk}") >= 4


def test_a_place_leads_to_a_map_without_asking_it(world: World, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        Tag.objects.create(subject=world.acme.subject, label="家", kind="place", lat=31.2304, lon=121.4737)
        Tag.objects.create(subject=world.acme.subject, label="work", kind="place", address="somewhere")
    page = staff.sam.get(page_of(world.acme.subject)).content.decode()
    assert page.count("openstreetmap.org") == 1
    assert (
        'href="https://www.openstreetmap.org/?mlat=31.230400&amp;mlon=121.473700#map=17/31.230400/121.473700"' in page
    )
    assert 'rel="noopener noreferrer"' in page


def test_another_tenants_subject_is_not_found_like_an_unknown_one_and_both_are_recorded(
    world: World, staff: Staff
) -> None:
    theirs, nobodys = keys = world.acme.subject.pk, uuid4()
    answers = [staff.gus.get(f"/console/profiles/subject/{key}/change/") for key in keys]
    assert [answer.status_code for answer in answers] == [404, 404]
    pages = [answer.content.decode().replace(str(key), "") for answer, key in zip(answers, keys, strict=True)]
    assert len({re.sub(r'(csrfmiddlewaretoken" value=")\w+', "", page) for page in pages}) == 1
    with tenant_tx(world.globex.tenant.id):
        refused = AuditRecord.objects.filter(refused=True, object_kind="profiles_subject_change")
        assert {record.object_id for record in refused} == {str(theirs), str(nobodys)}
    with tenant_tx(world.acme.tenant.id):
        assert not AuditRecord.objects.filter(refused=True).exists()


def test_a_page_full_of_beliefs_asks_no_more_than_thirty_times(
    world: World, staff: Staff, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with tenant_tx(world.acme.tenant.id):
        subject = make_one_of_each("full")[Subject]
        for number in range(40):
            record_preference(subject, f"category {number % 7}", f"key {number}", make_stated_claim(number))
            Tag.objects.create(subject=subject, label=f"tag {number}", kind="place")
    sam = staff.sam
    with django_assert_max_num_queries(30):
        page = sam.get(page_of(subject), {"clock": "known_at", "at": "2026-04-02T00:00:00"})
    assert page.status_code == 200
    with django_assert_max_num_queries(30):
        sam.get(page_of(subject))

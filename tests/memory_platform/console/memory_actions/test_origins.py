"""Who corrects or retires a preference sees the statements it came from, and takes them along. Rows: D2, P4, T7."""

import html
import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from profiles.models import Preference, ProfileFact, Tag
from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.lifecycle.staff_actions.memory_actions import ActContext, confirm_memory
from snapshots.models import NoteSlot, Snapshot, TagSource
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.memory_actions.test_memory_admin import (
    MOST_QUERIES,
    REASON,
    action_address,
    list_audit_actions,
    load_only_row,
    memory_address,
    run_action,
)
from tests.snapshots.understanding.making import preferences, say, settle

SAID = "From now on always take the highway, <b>when</b> you navigate."
# The statement and the note that were made of it.
TOLD_IN = {SAID, SAID.rstrip(".")}


@pytest.fixture
def acme(world: World) -> House:
    say(world.acme, "我妹妹在里昂的面包店工作。", SAID)
    settle(world.acme)
    return world.acme


def load_route_preference(house: House) -> Any:
    return load_only_row(house, Preference, key="route", invalid_at=None, retired_at=None, version_of=None)


def list_texts_in_use(house: House) -> set[str]:
    with tenant_tx(house.tenant.id):
        return set(Snapshot.objects.filter(build_current_snapshot_condition()).values_list("text", flat=True))


def offered_origins(page: str) -> list[str]:
    return re.findall(r'name="origins" value="([^"]+)"[^>]* checked', page)


@pytest.mark.parametrize(("verb", "fields"), [("correct", {"value": "side streets"}), ("retire", {})])
def test_the_statement_is_shown_ticked_goes_along_and_comes_back(
    acme: House, staff: Staff, verb: str, fields: dict[str, str]
) -> None:
    row, before = load_route_preference(acme), list_texts_in_use(acme)
    page = staff.sam.get(action_address(row, verb)).content.decode()
    assert "Also retire the 2 memories it was learned from" in page
    assert "take the highway, &lt;b&gt;when" in page
    assert "Also retire" not in staff.sam.get(action_address(row, "confirm")).content.decode()
    run_action(staff.sam, row, verb, origins=offered_origins(page), **fields)
    assert list_texts_in_use(acme) == before - TOLD_IN
    assert list_audit_actions(acme)[-1] == "snapshot.retired"
    held = load_route_preference(acme) if verb == "correct" else row
    page = staff.sam.get(action_address(held, "undo")).content.decode()
    assert "take the highway, &lt;b&gt;when" in page.split("brought back together with it")[1]
    assert "Undone." in run_action(staff.sam, held, "undo")
    assert list_texts_in_use(acme) == before
    assert load_route_preference(acme).id == row.id


@pytest.mark.parametrize(
    ("said", "city", "beside"),
    [
        ("Hi, I'm Ada. I'm a software engineer and I live in Portland.", "Portland", "I'm Ada"),
        ("你好，我叫艾达。我现在住在杭州。", "杭州", "我叫艾达"),
    ],
)
def test_only_what_tells_the_value_is_ticked(acme: House, staff: Staff, said: str, city: str, beside: str) -> None:
    say(acme, said)
    settle(acme)
    row = load_only_row(acme, ProfileFact, field="city", invalid_at=None, retired_at=None, version_of=None)
    for verb in ("correct", "retire"):
        page = html.unescape(staff.sam.get(action_address(row, verb)).content.decode())
        ticked, other = page.split(f"From the same message, but not about “{city}”")
        assert offered_origins(ticked) and not offered_origins(other)
        assert city in ticked.split("Also retire")[1] and beside in other.split("</fieldset>")[0]
    before = list_texts_in_use(acme)
    run_action(staff.sam, row, "correct", value="Seattle", origins=offered_origins(page))
    gone = before - list_texts_in_use(acme)
    assert gone and all(city in text for text in gone)


def test_a_measured_number_is_told_by_its_digits(acme: House, staff: Staff) -> None:
    say(acme, "My name is Ada. Always set the climate to 22 degrees.")
    settle(acme)
    row = load_only_row(acme, Preference, category="climate", invalid_at=None, retired_at=None, version_of=None)
    page = html.unescape(staff.sam.get(action_address(row, "correct")).content.decode())
    ticked, other = page.split("From the same message, but not about")
    assert len(offered_origins(ticked)) == 2, "the statement and the note"
    assert not offered_origins(other) and "My name is Ada" in other


HOME = "My home is at 12 Willow Lane, Portland."


@pytest.fixture
def home(acme: House) -> Any:
    say(acme, HOME, "My sister Ruth came to my home on Sunday with a cake.")
    settle(acme)
    return load_only_row(acme, Tag, label="home")


def test_a_retired_tag_takes_along_what_is_ticked_and_brings_it_back(acme: House, staff: Staff, home: Any) -> None:
    before = list_texts_in_use(acme)
    page = staff.sam.get(action_address(home, "retire")).content.decode()
    assert "An undo brings the ticked ones back." in page
    run_action(staff.sam, home, "retire", origins=offered_origins(page))
    assert before - list_texts_in_use(acme) == {HOME, HOME.rstrip(".")}
    with tenant_tx(acme.tenant.id):
        assert not Tag.objects.filter(id=home.id).exists()
    page = staff.vic.get(memory_address(home)).content.decode()
    assert 'badge-quiet">Retired<' in page
    assert "Retired by <bdi>sam</bdi>" in page
    assert staff.gus.get(memory_address(home)).status_code == 404
    assert "Undone." in run_action(staff.sam, home, "undo")
    assert list_texts_in_use(acme) == before
    with tenant_tx(acme.tenant.id):
        back = Tag.objects.get(id=home.id)
        assert (back.address, back.created_at) == (home.address, home.created_at)
        assert TagSource.objects.filter(memory=back).exists()
        assert NoteSlot.objects.filter(tag=back).exists()
    assert (
        "Nothing was undone"
        in staff.sam.post(action_address(home, "undo"), {"reason": "x"}, follow=True).content.decode()
    )


def test_a_corrected_address_takes_along_what_says_the_old_one(acme: House, staff: Staff, home: Any) -> None:
    before = list_texts_in_use(acme)
    columns = {"label": home.label, "kind": home.kind, "address": "3 Mill Road, Portland"}
    seen = offered_origins(staff.sam.get(action_address(home, "correct")).content.decode())
    run_action(staff.sam, home, "correct", origins=seen, **columns | {"address": home.address, "relation": "flat"})
    assert list_texts_in_use(acme) == before
    home = load_only_row(acme, Tag, label="home")
    run_action(staff.sam, home, "correct", origins=seen, **columns)
    assert before - list_texts_in_use(acme) == {HOME, HOME.rstrip(".")}
    run_action(staff.sam, load_only_row(acme, Tag, label="home"), "undo")
    assert list_texts_in_use(acme) == before


def test_what_is_not_ticked_stays(acme: House, staff: Staff) -> None:
    before = list_texts_in_use(acme)
    run_action(staff.sam, load_route_preference(acme), "correct", value="side streets")
    assert list_texts_in_use(acme) == before
    assert preferences(acme)["navigation"]["route"] == "side streets"


def test_a_statement_that_changed_meanwhile_stops_the_act_and_is_shown_anew(acme: House, staff: Staff) -> None:
    row, before = load_route_preference(acme), list_texts_in_use(acme)
    seen = offered_origins(staff.sam.get(action_address(row, "retire")).content.decode())
    with tenant_tx(acme.tenant.id):
        confirm_memory(Snapshot.objects.get(text=SAID), ActContext(COMMAND_LINE, "tests"))
    page = run_action(staff.sam, row, "retire", origins=seen)
    assert "has changed since you opened the page" in page
    assert len(offered_origins(page)) == 1  # the note, which nobody touched
    assert list_texts_in_use(acme) == before
    assert load_route_preference(acme).id == row.id


def test_the_same_form_sent_twice_retires_once(acme: House, staff: Staff) -> None:
    row = load_route_preference(acme)
    body: dict[str, Any] = {"version": f"{row.pk}.{row.version}", "reason": REASON, "value": "x"}
    body["origins"] = offered_origins(staff.sam.get(action_address(row, "correct")).content.decode())
    pages = [staff.sam.post(action_address(row, "correct"), body, follow=True).content.decode() for _ in range(2)]
    assert "this is already the case" in pages[1]
    assert list_audit_actions(acme) == ["memory.corrected", "snapshot.retired", "snapshot.retired"]


@pytest.mark.parametrize(
    "token", ["", "x", "'--.1", "\u0660.\u0661", f"{'a' * 36}.1", "%s", "%s.", "%s.9999999999999999999"]
)
def test_a_made_up_choice_is_left_out(acme: House, staff: Staff, token: str) -> None:
    row, before = load_route_preference(acme), list_texts_in_use(acme)
    with tenant_tx(acme.tenant.id):
        other = Snapshot.objects.exclude(text__in=TOLD_IN).earliest("position")
    page = run_action(staff.sam, row, "retire", origins=[token.replace("%s", str(other.pk))])
    assert "Retired." in page
    assert list_texts_in_use(acme) == before


def test_the_question_is_put_in_chinese_and_costs_few_queries(acme: House, staff: Staff) -> None:
    row, sam = load_route_preference(acme), staff.sam
    with CaptureQueriesContext(connection) as asked:
        page = sam.get(action_address(row, "retire"), headers={"Accept-Language": "zh-hans"}).content.decode()
    assert len(asked) <= MOST_QUERIES
    assert "同时停用它所依据的 2 条记忆" in page

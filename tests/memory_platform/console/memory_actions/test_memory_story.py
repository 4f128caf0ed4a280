"""A memory's page says whether it is believed, and tells what happened to it as one story. Rows: D2, T3, T7, P4."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory_platform.kernel.clock import utc_now
from profiles.models import Preference, ProfileFact, Tag
from snapshots.models import Snapshot
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import House
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.memory_actions.test_memory_admin import (
    MOST_QUERIES,
    REASON,
    action_address,
    load_only_row,
    memory_address,
    run_action,
)
from tests.memory_platform.console.transcript.asking import ask
from tests.snapshots.held import know, label, prefer, remember
from tests.snapshots.notes.world import note
from tests.snapshots.understanding.making import say, settle

PREFERENCES = "/console/profiles/preference/"


def read_story(client: Any, row: Any) -> str:
    """Return the badge, since when, and the story of a memory's page, without markup."""
    page = client.get(memory_address(row)).content.decode()
    header = page.partition('class="object-header"')[2].partition("</header>")[0]
    since = re.findall(r"<li>(since .*?)</li>", header)
    story = page.partition('class="memory-story"')[2].partition("</section>")[0].partition(">")[2]
    head = [*re.findall(r'class="badge badge-\w+">([^<]+)<', header), *since, story]
    return " ".join(re.sub(r"<[^>]+>", " ", " ".join(head)).split())


def read_badges(page: str) -> list[str]:
    return re.findall(r'state-badge state-\w+">([^<]+)<', page.partition('id="result_list"')[2])


def read_labels(client: Any, row: Any) -> str:
    page = client.get(memory_address(row)).content.decode()
    return " ".join(re.findall(r"<label[^>]*>([^<]+)</label>", page))


@pytest.mark.parametrize("model", [Preference, ProfileFact, Snapshot])
def test_a_retired_memory_says_so_with_name_and_reason(acme: House, staff: Staff, model: Any) -> None:
    prefer(acme, "navigation", "route", "highway")
    know(acme, occupation="nurse")
    remember(acme, "take the highway")
    row = load_only_row(acme, model)
    assert read_story(staff.vic, row).startswith("Current since ")
    run_action(staff.sam, row, "retire")
    told = read_story(staff.vic, row)
    assert told.startswith("Retired since ")
    assert f"{utc_now():%Y-%m-%d}" in told
    assert told.endswith(f"Retired by sam ( {REASON} )")
    assert "story-undo" not in staff.vic.get(memory_address(row)).content.decode()
    page = staff.sam.get(memory_address(row)).content.decode()
    assert page.count('class="story-undo"') == 1
    assert f'action="{action_address(row, "undo")}"' in page
    assert (
        "Undone." in staff.sam.post(action_address(row, "undo"), {"reason": "in place"}, follow=True).content.decode()
    )
    told = read_story(staff.vic, row)
    assert told.startswith("Current since ")
    assert told.endswith("Retirement undone by sam ( in place )")


@pytest.mark.parametrize(
    ("model", "before", "after"), [(Preference, "高速", "no highways"), (ProfileFact, "Ada", "艾达")]
)
def test_a_correction_links_both_ways(acme: House, staff: Staff, model: Any, before: str, after: str) -> None:
    prefer(acme, "navigation", "route", "高速")
    know(acme, name="Ada")
    old = load_only_row(acme, model)
    run_action(staff.sam, old, "correct", value=after)
    new = load_only_row(acme, model, superseded_by=None, version_of=None)
    assert new.pk != old.pk
    for row in (old, new):
        told = read_story(staff.vic, row)
        assert f"Corrected by sam : {before} → {after} ( {REASON} )" in told
        assert told.count(before) == 1, "it is told once"
    assert memory_address(new) in staff.vic.get(memory_address(old)).content.decode()
    assert memory_address(old) in staff.vic.get(memory_address(new)).content.decode()
    image = load_only_row(acme, model, version_of=old)
    told = read_story(staff.vic, image)
    assert told.startswith("Earlier version")
    assert "This is an earlier version of" in told
    assert memory_address(old) in staff.vic.get(memory_address(image)).content.decode()
    run_action(staff.sam, new, "undo")
    assert read_story(staff.vic, new).startswith("Retired since ")
    for row in (old, new):
        assert "Correction undone by sam" in read_story(staff.vic, row)
    assert read_story(staff.vic, old).startswith("Current since ")


def test_what_the_user_ended_is_not_called_retired(acme: House, staff: Staff) -> None:
    prefer(acme, "food", "dish", "noodles")
    row = load_only_row(acme, Preference)
    run_action(staff.sam, row, "retire")
    run_action(staff.sam, row, "undo")
    with tenant_tx(acme.tenant.id):
        ended = Preference.objects.get(pk=row.pk)
        ended.invalid_at = ended.recorded_at = utc_now()
        ended.save()
    assert read_story(staff.vic, row).startswith("Ended since ")
    assert "Ended" in read_badges(staff.vic.get(PREFERENCES, {"standing": "ended"}).content.decode())


def test_a_merged_memory_leads_to_the_one_that_stays(acme: House, staff: Staff) -> None:
    prefer(acme, "food", "dish", "noodles")
    prefer(acme, "food", "meal", "面条")
    kept, ended = load_only_row(acme, Preference, key="dish"), load_only_row(acme, Preference, key="meal")
    run_action(staff.sam, kept, "merge", other=str(ended.pk))
    told = read_story(staff.vic, ended)
    for row in (ended, kept):
        told = read_story(staff.vic, row)
        assert f"Merged with another memory by sam : food, meal: 面条 → food, dish: noodles ( {REASON} )" in told


def test_corrected_words_and_tags_name_who_and_why(acme: House, staff: Staff) -> None:
    remember(acme, "She lives in Graz.")
    label(acme, "home", address="12 Elm Street")
    changes = (
        (Snapshot, {"text": "她住在维也纳"}, "She lives in Graz. → 她住在维也纳"),
        (Tag, {"label": "家", "kind": "place"}, "label: home → 家"),
    )
    for model, fields, change in changes:
        row = load_only_row(acme, model)
        run_action(staff.sam, row, "correct", **fields)
        told = read_story(staff.vic, row)
        assert told.startswith("Current")
        assert "Corrected by sam : " in told and change in told and REASON in told


def test_a_story_is_one_list_by_time_from_the_words_to_the_undo(acme: House, staff: Staff) -> None:
    say(acme, "From now on always take the highway when you navigate.")
    settle(acme)
    used = ask(acme, "Navigate home, please.").pk
    row = load_only_row(acme, Preference, key="route")
    run_action(staff.sam, row, "correct", value="no highways")
    page = staff.sam.get(memory_address(row)).content.decode()
    told = page.partition('class="memory-story"')[2].partition("</section>")[0]
    places = [told.index(one) for one in ("Learned from", "Used in 1 answer", "Corrected by")]
    assert places == sorted(places)
    assert "always take the highway" in told
    assert "/snapshots/conversation/" in told, "the quote leads to its turn"
    assert f"/snapshots/receipt/{used}/" in told
    assert "Used in answers" not in page and "inline-group" not in page, "no second list says the same"


def test_a_story_asks_little_of_the_database(acme: House, staff: Staff) -> None:
    prefer(acme, "navigation", "route", "highway")
    row = load_only_row(acme, Preference)
    run_action(staff.sam, row, "correct", value="no highways")
    sam = staff.sam
    with CaptureQueriesContext(connection) as asked:
        sam.get(memory_address(row))
    assert len(asked) <= MOST_QUERIES


def test_notes_tell_their_story_too(acme: House, staff: Staff) -> None:
    made = note(acme, "I never drive at night", grade="limit")
    address = f"/console/snapshots/note/{made}/"
    body = {"version": f"{made}.1", "reason": REASON}
    staff.sam.post(f"{address}act/retire/", body)
    page = staff.vic.get(f"{address}change/").content.decode()
    assert 'badge-quiet">Retired<' in page
    assert "Retired by <bdi>sam</bdi>" in page and REASON in page


def test_empty_fields_are_hidden(acme: House, staff: Staff) -> None:
    prefer(acme, "navigation", "route", "highway")
    row = load_only_row(acme, Preference)
    shown = read_labels(staff.sam, row)
    assert "Category" in shown and "Valid at" in shown
    for name in ("Invalid at", "Retired at", "Statement", "Superseded by", "Version of", "Notes it was read from"):
        assert f"{name}:" not in shown, name
    assert "Sources" not in staff.sam.get(memory_address(row)).content.decode()
    run_action(staff.sam, row, "retire")
    assert "Invalid at" in read_labels(staff.sam, row)


def test_lists_show_what_is_believed_unless_asked(acme: House, staff: Staff) -> None:
    prefer(acme, "navigation", "route", "highway")
    prefer(acme, "food", "dish", "noodles")
    run_action(staff.sam, load_only_row(acme, Preference, key="route"), "correct", value="no highways")
    run_action(staff.sam, load_only_row(acme, Preference, key="dish"), "retire")
    seen = {
        standing: sorted(read_badges(staff.vic.get(PREFERENCES, {"standing": standing}).content.decode()))
        for standing in ("", "superseded", "ended", "earlier", "all", "no such")
    }
    assert seen == {
        "": [],
        "superseded": ["Superseded"],
        "ended": ["Retired"],
        "earlier": ["Earlier version"] * 2,
        "all": ["Current", "Earlier version", "Earlier version", "Retired", "Superseded"],
        "no such": ["Current"],
    }
    for value in ("highway", "noodles"):
        assert f">{value}<" not in staff.vic.get(PREFERENCES).content.decode()
        assert f">{value}<" not in staff.gus.get(PREFERENCES, {"standing": "all"}).content.decode()


def test_an_action_on_all_rows_takes_only_those_that_the_list_shows(acme: House, staff: Staff) -> None:
    prefer(acme, "navigation", "route", "highway")
    prefer(acme, "navigation", "route", "no highways")
    chosen = load_only_row(acme, Preference, superseded_by=None, version_of=None)
    body = {"action": "retire", "reason": REASON, "index": "0", "_selected_action": [str(chosen.pk)]}
    page = staff.sam.post(PREFERENCES, {**body, "select_across": "1"}, follow=True).content.decode()
    assert "1 row: done." in page
    assert "not done" not in page


def test_a_status_is_told_where_not_all_have_the_same(acme: House, staff: Staff) -> None:
    know(acme, name="Ada")
    know(acme, name="艾达")
    facts = "/console/profiles/profilefact/"
    assert read_badges(staff.vic.get(facts).content.decode()) == []
    everything = staff.vic.get(facts, {"standing": "all"}).content.decode()
    assert {"Current", "Superseded"} <= set(read_badges(everything))
    assert 'column-invalid_at"' in everything


def test_another_tenants_acts_are_not_told(acme: House, staff: Staff) -> None:
    prefer(acme, "navigation", "route", "highway")
    row = load_only_row(acme, Preference)
    run_action(staff.sam, row, "retire")
    assert REASON not in staff.gus.get(memory_address(row), follow=True).content.decode()
    with tenant_tx(acme.tenant.id):
        assert not AuditRecord.objects.filter(refused=True).exists()

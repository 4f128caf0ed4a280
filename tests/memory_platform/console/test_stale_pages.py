"""Bad input of forms that act: hostile, long, twice, overtaken, without a session, too many. Rows: D2, T3, T7."""

import time
from typing import Any

import pytest
from django.test import Client

from memory_platform.console.memory_actions.actions import STAFF_ACTIONS, is_already_done
from profiles.models import Preference, Tag
from snapshots.models import MemoryAct, Snapshot
from tenants.isolation import tenant_tx
from tests.conftest import House
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.memory_actions.test_memory_admin import (
    REASON,
    action_address,
    list_audit_actions,
    load_only_row,
    memory_address,
    read_preferences,
    read_version_token,
    run_action,
)
from tests.memory_platform.console.test_safety import HOSTILE
from tests.snapshots.held import label, prefer, remember

PREFERENCES = "/console/profiles/preference/"
SNAPSHOTS = "/console/snapshots/snapshot/"


def submit_action(client: Client, row: Any, verb: str, version: str, **fields: Any) -> Any:
    return client.post(action_address(row, verb), {"version": version, "reason": REASON, **fields})


def run_bulk_action(client: Client, at: str, action: str, *rows: Any, **fields: Any) -> str:
    body = {"action": action, "_selected_action": [str(row.pk) for row in rows], "reason": REASON, **fields}
    return client.post(at, body, follow=True).content.decode()


def load_all_rows(house: House, model: type[Any]) -> list[Any]:
    with tenant_tx(house.tenant.id):
        return list(model.objects.order_by("id"))


def test_of_two_who_correct_one_wins_and_the_other_is_told_and_keeps_their_text(acme: House, staff: Staff) -> None:
    prefer(acme, "food", "likes", "tea")
    row = load_only_row(acme, Preference)
    seen = read_version_token(staff.sam, row, "correct")
    run_action(staff.mia, row, "correct", value="咖啡")
    told = submit_action(staff.sam, row, "correct", seen, value="hot <b>cocoa")
    page = told.content.decode()
    assert told.status_code == 409
    assert "Somebody else has changed this" in page
    told_there = page.partition("You saw")[2]
    assert told_there.index("tea") < told_there.index("咖啡") < told_there.index("hot &lt;b&gt;cocoa")
    assert read_preferences(acme) == {"food": {"likes": "咖啡"}}
    assert list_audit_actions(acme) == ["memory.corrected"]
    now = load_only_row(acme, Preference, value="咖啡")
    assert f'action="{action_address(now, "correct")}"' in page
    submit_action(staff.sam, now, "correct", f"{now.pk}.{now.version}", value="hot cocoa")
    assert read_preferences(acme) == {"food": {"likes": "hot cocoa"}}


def test_of_two_who_correct_a_snapshot_or_tag_one_wins(acme: House, staff: Staff) -> None:
    remember(acme, "She lives in Graz.")
    label(acme, "home", address="12 Elm Street")
    for model, mine, theirs in (
        (Snapshot, {"text": "in Linz"}, {"text": "in Wien"}),
        (Tag, {"label": "home", "kind": "place", "phone": "1"}, {"label": "home", "kind": "place", "phone": "2"}),
    ):
        row = load_only_row(acme, model)
        seen = read_version_token(staff.sam, row, "correct")
        run_action(staff.mia, row, "correct", **theirs)
        told = submit_action(staff.sam, row, "correct", seen, **mine)
        assert told.status_code == 409, model
        assert "Somebody else has changed this" in told.content.decode(), model
    assert load_only_row(acme, Snapshot).text == "in Wien"
    assert load_only_row(acme, Tag).phone == "2"


def test_what_was_retired_meanwhile_is_told(acme: House, staff: Staff) -> None:
    prefer(acme, "food", "likes", "tea")
    row = load_only_row(acme, Preference)
    seen = read_version_token(staff.sam, row, "correct")
    run_action(staff.mia, row, "retire")
    page = submit_action(staff.sam, row, "correct", seen, value="cocoa").content.decode()
    assert "retired or replaced this in the meantime" in page
    assert "cocoa" in page
    assert read_preferences(acme) == {}


def test_the_same_form_sent_twice_is_harmless(acme: House, staff: Staff) -> None:
    prefer(acme, "food", "e", "tea e")
    for key, verb, fields in (
        ("a", "correct", {"value": "cocoa"}),
        ("b", "retire", {}),
        ("c", "confirm", {}),
        ("d", "merge", {"other": str(load_only_row(acme, Preference, key="e").pk)}),
    ):
        prefer(acme, "food", key, f"tea {key}")
        row = load_only_row(acme, Preference, key=key)
        seen = read_version_token(staff.sam, row, verb)
        first, second = (submit_action(staff.sam, row, verb, seen, **fields) for _ in range(2))
        assert first.status_code == second.status_code == 302, verb
        assert "this is already the case" in staff.sam.get(second["Location"]).content.decode(), verb
    with tenant_tx(acme.tenant.id):
        assert MemoryAct.objects.count() == 4
    assert len(list_audit_actions(acme)) == 4


def test_a_second_click_that_began_before_the_first_was_done_sees_what_it_did(acme: House, staff: Staff) -> None:
    prefer(acme, "food", "likes", "tea")
    as_it_was = load_only_row(acme, Preference)
    run_action(staff.sam, as_it_was, "retire")
    with tenant_tx(acme.tenant.id):
        assert is_already_done(STAFF_ACTIONS["retire"], as_it_was, None)


def test_undoing_twice_undoes_once(acme: House, staff: Staff) -> None:
    prefer(acme, "food", "likes", "tea")
    row = load_only_row(acme, Preference)
    run_action(staff.sam, row, "retire")
    pages = [
        staff.sam.post(action_address(row, "undo"), {"reason": REASON}, follow=True).content.decode() for _ in range(2)
    ]
    assert "Undone." in pages[0]
    assert "Nothing was undone" in pages[1]
    assert read_preferences(acme) == {"food": {"likes": "tea"}}


@pytest.mark.parametrize("version", ["", "x", "\u0660.1", "%s.999999999999999999999999", "'--", "%s."])
def test_a_made_up_version_does_nothing(acme: House, staff: Staff, version: str) -> None:
    prefer(acme, "food", "likes", "tea")
    row = load_only_row(acme, Preference)
    for verb in ("correct", "retire", "confirm"):
        told = submit_action(staff.sam, row, verb, version.replace("%s", str(row.pk)), value="cocoa")
        assert told.status_code == 409
    assert read_preferences(acme) == {"food": {"likes": "tea"}}


@pytest.mark.parametrize("text", [HOSTILE, "家" * 21_845, "x" * 65_536, "x" * 65_537, "a\x00b", "🙂" * 65_536])
def test_hostile_and_long_text_is_stored_whole_or_refused_and_never_run(acme: House, staff: Staff, text: str) -> None:
    prefer(acme, "food", "likes", "tea")
    label(acme, "home", address="12 Elm Street")
    remember(acme, "She lives in Graz.")
    for model, fields in (
        (Preference, {"value": text, "statement": text}),
        (Tag, dict.fromkeys(("label", "kind", "address", "phone", "relation", "aliases", "lat", "lon"), text)),
        (Snapshot, {"text": text}),
    ):
        page = run_action(staff.sam, load_only_row(acme, model), "correct", **fields)
        assert "<script>alert" not in page, model
        assert "<img src=x" not in page, model
    whole = read_preferences(acme)["food"]["likes"]
    assert whole in {"tea", text.strip()}
    assert (whole == "tea") is (len(text.encode()) > 65_536 or "\x00" in text)
    assert load_only_row(acme, Snapshot).text in {"She lives in Graz.", text.strip()}
    assert load_only_row(acme, Tag).address == "12 Elm Street"


def test_cards_and_secrets_are_refused(acme: House, staff: Staff) -> None:
    prefer(acme, "home", "wifi_password", "unknown")
    prefer(acme, "food", "likes", "tea")
    for row, value in zip(load_all_rows(acme, Preference), ("x7k2-9pq", "4111 1111 1111 1111"), strict=True):
        assert "must not be stored" in run_action(staff.sam, row, "correct", value=value)
    assert read_preferences(acme)["food"]["likes"] == "tea"


def test_a_lost_session_comes_back_to_the_form_with_nothing_done(acme: House, staff: Staff) -> None:
    prefer(acme, "food", "likes", "tea")
    row = load_only_row(acme, Preference)
    seen = read_version_token(staff.sam, row, "correct")
    stranger = Client()
    answer = stranger.post(action_address(row, "correct"), {"version": seen, "reason": REASON, "value": "cocoa"})
    assert answer["Location"] == f"/console/login/?next={action_address(row, 'correct')}"
    assert read_preferences(acme) == {"food": {"likes": "tea"}}
    assert staff.sam.get(action_address(row, "correct")).status_code == 200


def test_a_form_of_a_thousand_parts_is_refused_quickly(acme: House, staff: Staff) -> None:
    prefer(acme, "food", "likes", "tea")
    row = load_only_row(acme, Preference)
    counts = {f"form-{part}": "999" for part in ("TOTAL_FORMS", "INITIAL_FORMS", "MAX_NUM_FORMS")}
    counts |= {f"preferencesource_set-{part}": "999" for part in ("TOTAL_FORMS", "INITIAL_FORMS")}
    began = time.thread_time()
    for at in (PREFERENCES, memory_address(row), action_address(row, "correct")):
        assert staff.mia.post(at, {**counts, "_save": "x", "reason": REASON}).status_code < 500
    assert time.thread_time() - began < 5
    assert read_preferences(acme) == {"food": {"likes": "tea"}}


def test_each_chosen_row_has_its_own_verdict(acme: House, staff: Staff) -> None:
    for key in ("a", "b", "c<b>"):
        prefer(acme, "food", key, key)
    rows = load_all_rows(acme, Preference)
    run_action(staff.sam, rows[2], "retire")
    page = run_bulk_action(staff.sam, PREFERENCES, "retire", *rows)
    assert "2 rows: done." in page
    assert "1 row: not done." in page
    assert "no longer in use" in page
    assert "c&lt;b&gt;" in page
    assert read_preferences(acme) == {}
    assert run_bulk_action(staff.sam, PREFERENCES, "confirm", *rows).count("no longer in use") == 3
    assert list_audit_actions(acme).count("preference.retracted") == 3


def test_snapshots_are_confirmed_retired_and_forgotten_in_bulk(acme: House, staff: Staff) -> None:
    remember(acme, "She lives in Graz.", "我喜欢喝咖啡", "The dog is called Rex.")
    rows = load_all_rows(acme, Snapshot)
    assert "3 rows: done." in run_bulk_action(staff.sam, SNAPSHOTS, "confirm", *rows)
    assert "1 row: done." in run_bulk_action(staff.sam, SNAPSHOTS, "retire", rows[0])
    run_bulk_action(staff.sam, SNAPSHOTS, "forget", rows[1])
    assert len(load_all_rows(acme, Snapshot)) == 3
    assert "1 row: done." in run_bulk_action(staff.mia, SNAPSHOTS, "forget", rows[1])
    assert [row.text for row in load_all_rows(acme, Snapshot)] == ["She lives in Graz.", "The dog is called Rex."]


def test_more_rows_than_a_person_can_have_looked_at_are_refused(acme: House, staff: Staff) -> None:
    with tenant_tx(acme.tenant.id):
        Tag.objects.bulk_create(Tag(subject=acme.subject, label=f"t{n}", kind="place") for n in range(201))
    rows = load_all_rows(acme, Tag)
    assert "at most 200 rows" in run_bulk_action(
        staff.sam, "/console/profiles/tag/", "retire", rows[0], select_across="1"
    )
    assert len(load_all_rows(acme, Tag)) == 201

"""Support confirms, corrects, merges, retires, forgets and undoes from a memory's page. Rows: D2, T3, T7, P4, E8."""

import re
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memory_platform.kernel.clock import utc_now
from profiles.models import Erasure, Preference, ProfileFact, Tag, TagDetail
from profiles.selectors import current_preferences, group_preference_values
from snapshots.models import MemoryAct, Snapshot
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import House
from tests.memory_platform.console.conftest import Staff
from tests.snapshots.held import know, label, prefer, remember

REASON = "she said so on the phone 电话"
VERBS = ("confirm", "correct", "merge", "retire", "forget", "undo")
MOST_QUERIES = 30


def load_only_row(house: House, model: type[Any], **filters: Any) -> Any:
    with tenant_tx(house.tenant.id):
        return model.objects.get(**filters)


def action_address(row: Any, verb: str) -> str:
    return f"/console/{row._meta.app_label}/{row._meta.model_name}/{row.pk}/act/{verb}/"


def memory_address(row: Any) -> str:
    return f"/console/{row._meta.app_label}/{row._meta.model_name}/{row.pk}/change/"


def read_version_token(client: Client, row: Any, verb: str) -> str:
    found = re.search(r'name="version" value="([^"]+)"', client.get(action_address(row, verb)).content.decode())
    assert found
    return found[1]


def run_action(client: Client, row: Any, verb: str, **fields: Any) -> str:
    """Fill in the form as its page shows it, and send it."""
    body = {"version": read_version_token(client, row, verb), "reason": REASON, **fields}
    return client.post(action_address(row, verb), body, follow=True).content.decode()


def read_preferences(house: House) -> dict[str, Any]:
    with tenant_tx(house.tenant.id):
        return group_preference_values(current_preferences(house.subject))


def list_audit_actions(house: House) -> list[str]:
    with tenant_tx(house.tenant.id):
        rows = AuditRecord.objects.filter(reason=REASON).order_by("at", "id")
        return list(rows.values_list("action", flat=True))


def test_a_wrong_preference_is_corrected_and_put_back(acme: House, staff: Staff) -> None:
    prefer(acme, "navigation", "route", "highway", statement="take the highway")
    row = load_only_row(acme, Preference)
    assert action_address(row, "correct") in staff.sam.get(memory_address(row)).content.decode()
    page = run_action(staff.sam, row, "correct", value="不走高速", statement="别走高速")
    assert "Corrected. It is believed from now on." in page
    made = load_only_row(acme, Preference, value="不走高速")
    assert (made.statement, made.provenance, made.confidence) == ("别走高速", "corrected_by_staff", 0.9)
    page = staff.sam.get(action_address(made, "undo")).content.decode()
    assert f"sam: <bdi>{REASON}</bdi>" in page
    assert "Undone." in run_action(staff.sam, made, "undo")
    assert read_preferences(acme) == {"navigation": {"route": "highway"}}
    assert list_audit_actions(acme) == ["memory.corrected", "memory.corrected_undone"]


@pytest.mark.parametrize(
    ("value", "typed", "stored"),
    [
        (True, "false", False),
        (22, "23.5", 23.5),
        (22, "22 degrees", "22 degrees"),
        (["tea", 7], "7\n 咖啡 \n\n咖啡", [7, "咖啡"]),
        ({"a": 1}, '{"a": [1, null]}', {"a": [1, None]}),
    ],
)
def test_a_value_keeps_its_kind(acme: House, staff: Staff, value: Any, typed: str, stored: Any) -> None:
    prefer(acme, "car", "setting", value)
    run_action(staff.sam, load_only_row(acme, Preference), "correct", value=typed)
    assert read_preferences(acme) == {"car": {"setting": stored}}


@pytest.mark.parametrize("typed", ["{", "NaN", '{"a": "\\u0000"}', "[" * 5000, "[" * 900 + "]" * 900 + "x"])
def test_what_is_no_json_is_refused(acme: House, staff: Staff, typed: str) -> None:
    prefer(acme, "car", "setting", {"a": 1})
    assert "This is not valid JSON" in run_action(staff.sam, load_only_row(acme, Preference), "correct", value=typed)
    assert read_preferences(acme) == {"car": {"setting": {"a": 1}}}


def test_every_kind_of_memory_is_confirmed_corrected_retired_and_undone(acme: House, staff: Staff) -> None:
    know(acme, name="Ada")
    label(acme, "home", address="12 Elm Street")
    remember(acme, "She lives in Graz.")
    new = {
        ProfileFact: {"value": "艾达"},
        Tag: {"label": "家", "kind": "place", "address": "世纪大道100号"},
        Snapshot: {"text": "她住在维也纳"},
    }
    for model, fields in new.items():
        row = load_only_row(acme, model)
        assert "Confirmed." in run_action(staff.sam, row, "confirm"), model
        assert "Corrected." in run_action(staff.sam, row, "correct", **fields), model
        told = "艾达" if model is ProfileFact else next(reversed(fields.values()))
        with tenant_tx(acme.tenant.id):
            rows = model._default_manager.order_by("id")
            newest = [row for row in rows if not getattr(row, "version_of_id", None)][-1]
        page = staff.sam.get(memory_address(newest)).content.decode()
        assert told in page, model
        assert "Retired." in run_action(staff.sam, newest, "retire"), model
        if model is not Tag:
            assert "Undone." in run_action(staff.sam, newest, "undo"), model
            assert "Undone." in run_action(staff.sam, newest, "undo"), model
    assert load_only_row(acme, Snapshot).text == "She lives in Graz."
    assert load_only_row(acme, ProfileFact, invalid_at=None, retired_at=None).value == "Ada"
    with tenant_tx(acme.tenant.id):
        assert not Tag.objects.exists()


@pytest.mark.parametrize(("old", "new"), [("12 Elm Street", "99 Oak Avenue"), ("枫林路203号", "世纪大道100号")])
def test_an_earlier_address_is_brought_back_and_that_taken_back(acme: House, staff: Staff, old: str, new: str) -> None:
    label(acme, "home", address=old)
    assert b"bring-back" not in staff.sam.get(memory_address(load_only_row(acme, Tag))).content
    assert staff.sam.get(action_address(load_only_row(acme, Tag), "bring-back")).status_code == 404
    label(acme, "home", address=new)
    earlier = load_only_row(acme, TagDetail, detail="address", invalid_at__isnull=False, retired_at=None)
    page = staff.sam.get(memory_address(load_only_row(acme, Tag))).content.decode()
    assert old in page and "bring-back" in page
    assert "Brought back." in run_action(staff.sam, load_only_row(acme, Tag), "bring-back", value=str(earlier.pk))
    assert load_only_row(acme, Tag).address == old
    assert "memory.corrected" in list_audit_actions(acme)
    assert "Undone." in run_action(staff.sam, load_only_row(acme, Tag), "undo")
    assert load_only_row(acme, Tag).address == new


def test_a_page_of_a_subject_shows_tags_as_they_were(acme: House, staff: Staff) -> None:
    label(acme, "home", address="12 Elm Street")
    before = utc_now()
    label(acme, "home", address="99 Oak Avenue")
    page = staff.sam.get(memory_address(acme.subject), {"clock": "known_at", "at": before.isoformat()}).content.decode()
    assert "12 Elm Street" in page
    assert "99 Oak Avenue" not in page


def test_two_preferences_become_one_and_come_apart(acme: House, staff: Staff) -> None:
    prefer(acme, "food", "likes", "peanuts")
    prefer(acme, "food", "snack", "花生")
    stays, goes = load_only_row(acme, Preference, key="likes"), load_only_row(acme, Preference, key="snack")
    assert "花生" in staff.sam.get(action_address(stays, "merge")).content.decode()
    assert "Merged." in run_action(staff.sam, stays, "merge", other=str(goes.pk))
    assert read_preferences(acme) == {"food": {"likes": "peanuts"}}
    assert "Undone." in run_action(staff.sam, stays, "undo")
    assert read_preferences(acme) == {"food": {"likes": "peanuts", "snack": "花生"}}


def find_offered_ids(staff: Staff, row: Any) -> set[str]:
    """Return the ids of the memories that are offered to be merged into ``row``."""
    page = staff.sam.get(action_address(row, "merge")).content.decode()
    return set(re.findall(r'name="other" value="([0-9a-f-]{36})"', page))


def test_only_what_may_mean_the_same_is_offered_to_be_merged(acme: House, staff: Staff) -> None:
    prefer(acme, "food", "likes", "peanuts")
    for category, key in (("food", "allergies"), ("food", "dislikes"), ("music", "likes"), ("food", "零食")):
        prefer(acme, category, key, "peanuts")
    for name in ("home", "office"):
        label(acme, name, address="12 Elm Street")
    label(acme, "Ruth", kind="contact", phone="+436601234567")
    know(acme, name="Ada", occupation="nurse")
    assert find_offered_ids(staff, load_only_row(acme, Preference, category="food", key="likes")) == {
        str(load_only_row(acme, Preference, key="零食").pk)
    }
    assert find_offered_ids(staff, load_only_row(acme, Tag, label="home")) == {
        str(load_only_row(acme, Tag, label="office").pk)
    }
    assert find_offered_ids(staff, load_only_row(acme, ProfileFact, field="name")) == set()


def test_what_is_alike_is_offered_before_the_rest(acme: House, staff: Staff) -> None:
    for name, address in (
        ("office", "88 Mill Avenue, Portland"),
        ("home", "12 Willow Lane, Portland"),
        ("flat", "12 Willow Lane"),
    ):
        label(acme, name, address=address)
    home, office = (load_only_row(acme, Tag, label=name) for name in ("home", "office"))
    first, rest = staff.sam.get(action_address(home, "merge")).content.decode().split("Others of this kind (1)")
    assert "flat 12 Willow Lane" in first and "office 88 Mill Avenue" in rest
    page = staff.sam.get(action_address(office, "merge")).content.decode()
    assert "No other memory of this kind is like this one." in page and "Others of this kind (2)" in page
    prefer(acme, "food", "diet", "vegan")
    page = staff.sam.get(action_address(load_only_row(acme, Preference), "merge")).content.decode()
    assert "There is no other memory of this kind." in page and 'type="submit" class="button default"' not in page


def test_a_page_says_nothing_twice_and_a_measured_value_in_words(acme: House, staff: Staff) -> None:
    prefer(acme, "climate", "temperature", {"value": 22, "unit": "°C"}, statement="I like 22 degrees")
    row = load_only_row(acme, Preference)
    page = staff.sam.get(memory_address(row)).content.decode()
    assert "temperature 22 °C" in page and "I like 22 degrees" in page
    assert "field-value" not in page and "0 changes" not in page and "&quot;unit&quot;" not in page
    assert "22 °C" in staff.sam.get(action_address(row, "retire")).content.decode()


def test_only_a_manager_forgets_and_nothing_is_left(acme: House, staff: Staff) -> None:
    prefer(acme, "food", "likes", "peanuts")
    remember(acme, "She lives in Graz.")
    counted = {Preference: "ada’s food preference: likes peanuts</bdi>", Snapshot: "She lives in Graz.</bdi>"}
    for model in (Preference, Snapshot):
        row = load_only_row(acme, model)
        assert counted[model] in staff.mia.get(action_address(row, "forget")).content.decode()
        assert "Forgotten." in run_action(staff.mia, row, "forget"), model
        assert staff.mia.get(action_address(row, "forget")).status_code == 404
    with tenant_tx(acme.tenant.id):
        assert Erasure.objects.count() == 2
        assert not Preference.objects.exists()
        assert not Snapshot.objects.exists()


def test_buttons_are_for_those_who_may_and_refusals_are_on_record(acme: House, staff: Staff) -> None:
    prefer(acme, "food", "likes", "tea")
    row = load_only_row(acme, Preference)
    assert "/act/" not in staff.vic.get(memory_address(row)).content.decode()
    assert "act/forget" not in staff.sam.get(memory_address(row)).content.decode()
    assert "act/forget" in staff.mia.get(memory_address(row)).content.decode()
    for verb in VERBS:
        body = {"version": f"{row.pk}.{row.version}", "reason": REASON, "value": "x", "other": str(row.pk)}
        assert staff.vic.post(action_address(row, verb), body).status_code == 403
    assert staff.sam.post(action_address(row, "forget"), {"reason": REASON}).status_code == 403
    assert read_preferences(acme) == {"food": {"likes": "tea"}}
    with tenant_tx(acme.tenant.id):
        refused = AuditRecord.objects.filter(refused=True, object_kind="profiles_preference_act")
        assert refused.count() == len(VERBS) + 1
        assert set(refused.values_list("object_id", flat=True)) == {str(row.pk)}


def test_another_tenants_memory_is_like_one_that_nobody_has(acme: House, staff: Staff) -> None:
    prefer(acme, "food", "likes", "CANARY")
    row = load_only_row(acme, Preference)
    for verb in ("confirm", "correct", "merge", "retire", "undo"):
        for method in (staff.gus.get, lambda at: staff.gus.post(at, {"reason": REASON}, follow=True)):
            theirs, nothing = (
                method(action_address(row, verb)),
                method(action_address(row, verb).replace(str(row.pk), str(uuid4()))),
            )
            assert theirs.status_code == nothing.status_code
            assert "CANARY" not in theirs.content.decode()
    assert read_preferences(acme) == {"food": {"likes": "CANARY"}}


@pytest.mark.parametrize("verb", ["nonsense", "save", "x" * 300])
def test_an_act_that_there_is_not_is_not_found(acme: House, staff: Staff, verb: str) -> None:
    prefer(acme, "food", "likes", "tea")
    assert staff.sam.get(action_address(load_only_row(acme, Preference), verb)).status_code == 404
    assert staff.sam.get(f"/console/profiles/preference/{uuid4()}/act/confirm/").status_code == 404


def test_nothing_is_done_without_a_reason(acme: House, staff: Staff) -> None:
    prefer(acme, "food", "likes", "tea")
    row = load_only_row(acme, Preference)
    for verb, fields in (("correct", {"value": "coffee"}), ("retire", {}), ("confirm", {})):
        assert "Nothing was done." in run_action(staff.sam, row, verb, reason=" \u202e ", **fields)
    assert read_preferences(acme) == {"food": {"likes": "tea"}}
    with tenant_tx(acme.tenant.id):
        assert not MemoryAct.objects.exists()


def test_the_forms_speak_chinese(acme: House, staff: Staff) -> None:
    prefer(acme, "food", "likes", "tea")
    page = staff.sam.get(
        action_address(load_only_row(acme, Preference), "correct"), headers={"Accept-Language": "zh-hans"}
    )
    assert "更正" in page.content.decode()
    assert "原因" in page.content.decode()


def test_a_page_of_an_act_asks_little_of_the_database(acme: House, staff: Staff) -> None:
    for number in range(60):
        prefer(acme, "food", f"likes{number}", f"tea {number}")
    row, mia = load_only_row(acme, Preference, key="likes7"), staff.mia
    for verb in ("correct", "merge", "undo"):
        with CaptureQueriesContext(connection) as asked:
            assert mia.get(action_address(row, verb)).status_code == 200
        assert len(asked) <= MOST_QUERIES, verb
    with CaptureQueriesContext(connection) as asked:
        mia.get(memory_address(row))
    assert len(asked) <= MOST_QUERIES

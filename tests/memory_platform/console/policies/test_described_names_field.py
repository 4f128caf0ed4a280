"""Managers describe fields in rows that need no script, and try words on them; nothing is kept. Rows: P11, T3, T4."""

import html
from typing import Any

from snapshots.models import Message, Snapshot
from snapshots.policies.policy_sections import SECTIONS
from tenants.isolation import tenant_tx
from tenants.policies.policy_documents import check_document
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.policies.test_policy_screen import (
    ADD,
    LIST,
    fill_form,
    list_documents,
    read_inputs,
    version_address,
)
from tests.snapshots.policies.test_effective_policies import make

WHERE_TO_SIT = "Where on the plane or train the traveller likes to sit: window, aisle, front, exit row."
EXAMPLES = ["Aisle seat please, I get up a lot", "我一般坐靠窗"]
SEAT = {"description": WHERE_TO_SIT, "examples": EXAMPLES}
FIELDS = {"fields": {"attributes": {"seat_preference": SEAT}}}
SAID = "I always sit by the window on long flights. What time is it?"


def row(
    number: int, name: str, description: str = "", *examples: str, of: str = "fields__attributes"
) -> dict[str, str]:
    """Return what a browser sends of one row."""
    key = f"{of}__{number}"
    return {f"{key}__name": name, f"{key}__description": description, f"{key}__examples": "\r\n".join(examples)}


def without_json(sent: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in sent.items() if name != "fields__attributes"}


def fields_page(world: World, number: int) -> str:
    return version_address(world, number).replace("/change/", "/fields/")


def test_rows_become_fields_and_empty_rows_ask_for_nothing(world: World, staff: Staff) -> None:
    page = staff.mia.get(ADD).content.decode()
    assert 'name="fields__attributes__0__name"' in page
    rows = row(0, "seat_preference", WHERE_TO_SIT, *EXAMPLES) | row(1, "")
    sent = without_json(fill_form(world)) | rows
    page = staff.mia.post(ADD, sent).content.decode()
    assert "seat_preference" in html.unescape(page)
    assert staff.mia.post(ADD, {**read_inputs(page), "reason": "ask", "_save": "1"}).status_code == 302
    assert list_documents(world)[-1] == (2, check_document(FIELDS, SECTIONS))


def test_further_rows_and_back_to_editing_keep_what_was_written(world: World, staff: Staff) -> None:
    rows = row(0, "seat_preference", WHERE_TO_SIT, "坐靠窗") | row(1, "pain_point", "What hurts in their work.")
    page = staff.mia.post(ADD, {**without_json(fill_form(world)), **rows, "_edit": "1"}).content.decode()
    for number, filled in enumerate((' value="seat_preference"', ' value="pain_point"', "")):
        assert f'name="fields__attributes__{number}__name"{filled} maxlength' in page
    assert "坐靠窗" in page
    difference = staff.mia.post(ADD, {**without_json(fill_form(world)), **rows}).content.decode()
    again = staff.mia.post(ADD, {**read_inputs(difference), "reason": "", "_edit": "1"}).content.decode()
    assert 'name="fields__attributes__1__name" value="pain_point"' in again


def test_what_is_wrong_is_told_where_it_is_and_a_name_that_stands_twice_swallows_nothing(
    world: World, staff: Staff
) -> None:
    rows = row(0, "occupation", "What they do.") | row(1, "twice", WHERE_TO_SIT) | row(2, "twice", "short")
    page = html.unescape(staff.mia.post(ADD, {**without_json(fill_form(world)), **rows}).content.decode())
    assert "occupation, twice 3" in page
    assert page.count('value="twice"') == 2
    assert len(list_documents(world)) == 1


def test_words_are_tried_on_the_fields_of_a_version_and_nothing_is_kept(world: World, staff: Staff) -> None:
    make(world.acme, FIELDS)
    address = fields_page(world, 2)
    assert f'href="{address}"' in staff.mia.get(version_address(world, 2)).content.decode()
    page = staff.mia.get(address).content.decode()
    assert 'name="attributes__0__name" value="seat_preference"' in page
    rows = row(0, "seat_preference", WHERE_TO_SIT, of="attributes")
    page = staff.mia.post(address, {"said": SAID, **rows}).content.decode()
    assert "<code>seat_preference</code>" in page
    assert "What time is it (" in page
    draft = row(0, "pain_point", "What hurts in the way they work today.", of="attributes")
    page = staff.mia.post(address, {"said": SAID, **draft}).content.decode()
    assert "no field is likely enough" in page
    with tenant_tx(world.acme.tenant.id):
        assert not Message.objects.exists()
        assert not Snapshot.objects.exists()
    assert len(list_documents(world)) == 2


def test_managers_alone_and_nobody_of_another_tenant_try_fields(world: World, staff: Staff) -> None:
    make(world.acme, FIELDS)
    make(world.globex, FIELDS)
    assert "/fields/" not in staff.sam.get(version_address(world, 2)).content.decode()
    assert staff.sam.get(fields_page(world, 2)).status_code == 403
    assert staff.sam.post(fields_page(world, 2), {"said": SAID}).status_code == 403
    other = fields_page(type(world)(world.globex, world.acme), 2)
    nobody = f"{LIST}0198f0d2-0000-7000-8000-000000000000/fields/"
    assert staff.mia.get(other).status_code == staff.mia.get(nobody).status_code == 404

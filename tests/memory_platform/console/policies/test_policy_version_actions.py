"""Managers compare, activate and restore versions, and see what changes before they do. Rows: T3, T4, T7, D2."""

import re

from django.db import connection
from django.test.utils import CaptureQueriesContext

from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.policies.test_policy_screen import (
    LIST,
    list_documents,
    read_active_version,
    read_inputs,
    step_page,
    take_step,
    version_address,
)
from tests.snapshots.policies.test_effective_policies import make

COMPARE = f"{LIST}compare/"


def read_values(page: str) -> list[str]:
    """Return the numbers before and after of the last change of a page."""
    return re.findall(r'<td class="number"><div[^>]*>(\d+)</div></td>', page)[-2:]


def read_records(world: World, **named: str) -> list[tuple[str, str, str, str]]:
    with tenant_tx(world.acme.tenant.id):
        records = AuditRecord.objects.filter(object_kind="policy_version", **named).order_by("at", "id")
        return list(records.values_list("action", "object_id", "reason", "actor_kind"))


def test_a_draft_is_activated_and_an_earlier_version_restored(world: World, staff: Staff) -> None:
    make(world.acme, {"recall": {"top_k": 3}})
    assert step_page(world, 2, "activate") in staff.mia.get(version_address(world, 2)).content.decode()
    with CaptureQueriesContext(connection) as queries:
        page = staff.mia.get(step_page(world, 2, "activate")).content.decode()
    assert len(queries) <= 30
    assert read_values(page) == ["8", "3"]
    assert "required" in take_step(world, staff.mia, 2, "activate", reason=" ").content.decode()
    assert read_active_version(world) == 1
    assert "Version 2 is now active." in take_step(world, staff.mia, 2, "activate").content.decode()
    again = staff.mia.post(step_page(world, 2, "activate"), {**read_inputs(page), "reason": "x"})
    assert (again.status_code, read_active_version(world)) == (409, 2)
    earlier = staff.mia.get(version_address(world, 1)).content.decode()
    assert step_page(world, 1, "roll-back") in earlier
    assert "/activate/" not in earlier
    assert "activated by mia" in staff.vic.get(version_address(world, 2)).content.decode()
    page = staff.mia.get(step_page(world, 1, "roll-back")).content.decode()
    assert read_values(page) == ["3", "8"]
    done = take_step(world, staff.mia, 1, "roll-back", reason="更差").content.decode()
    assert "Version 3 restores version 1 and is now active." in done
    assert all(words in done for words in ("Policy version 3", "更差"))
    assert (read_active_version(world), list_documents(world)[-1]) == (3, (3, {}))
    nothing = take_step(world, staff.mia, 1, "roll-back", reason="again").content.decode()
    assert "this version has the settings in force" in nothing
    assert (read_active_version(world), len(list_documents(world))) == (3, 3)
    assert read_records(world, object_id="3") == [
        ("policy.created", "3", "更差", "staff"),
        ("policy.activated", "3", "更差", "staff"),
    ]
    assert read_records(world, object_id="2", action="policy.activated") == [
        ("policy.activated", "2", "tried it", "staff")
    ]
    listed = staff.vic.get(LIST).content.decode()
    assert re.findall(r'badge-\w+">(\w+)', listed) == ["active", "earlier", "earlier"]
    assert len(re.findall(r"\d\d:\d\d – \d\d:\d\d", listed)) == 2


def test_a_page_that_is_overtaken_activates_nothing(world: World, staff: Staff) -> None:
    make(world.acme, {"recall": {"top_k": 3}})
    address = step_page(world, 2, "activate")
    seen = read_inputs(staff.mia.get(address).content.decode())
    make(world.acme, {"recall": {"top_k": 4}})
    told = staff.mia.post(address, {**seen, "reason": "kept 留着"})
    assert (told.status_code, read_active_version(world)) == (409, 1)
    page = told.content.decode()
    assert "since you opened the page" in page
    assert "kept 留着" in page
    staff.mia.post(address, {**read_inputs(page), "reason": "kept 留着"})
    assert read_active_version(world) == 2


def test_the_active_version_is_at_first_compared_with_what_came_before(world: World, staff: Staff) -> None:
    make(world.acme, {"recall": {"top_k": 3}})
    make(world.acme, {"recall": {"top_k": 4}})
    take_step(world, staff.mia, 2, "activate")
    page = staff.mia.get(COMPARE).content.decode()
    assert re.findall(r'<option value="(\d)" selected', page) == ["1", "2"]
    assert "before=2&amp;after=1" in page, "the other way round"


def test_two_versions_are_compared_by_everybody(world: World, staff: Staff) -> None:
    make(world.acme, {"recall": {"top_k": 3}})
    make(world.acme, {"recall": {"top_k": 4}, "ranking": {"use_recency": False}})
    vic = staff.vic
    with CaptureQueriesContext(connection) as queries:
        page = vic.get(COMPARE, {"before": "2", "after": "3"}).content.decode()
    assert len(queries) <= 30
    rows = re.findall(r'<tr><td>[^<]*</td><td title="([\w.]+)">', page)
    assert rows == ["recall.top_k", "ranking.use_recency"]
    assert "Active policy (v1)" in page
    first = vic.get(COMPARE).content.decode()
    assert re.findall(r'<option value="(\d)" selected', first) == ["1", "3"]
    assert "Nothing differs." in vic.get(COMPARE, {"before": "2", "after": "2"}).content.decode()
    unknown = vic.get(COMPARE, {"before": "2", "after": "9" * 20})
    assert (unknown.status_code, "There is no version with this number." in unknown.content.decode()) == (200, True)
    assert vic.post(COMPARE).status_code == 405

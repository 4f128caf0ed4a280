"""A manager sees what a version would have done with the last receipts before it steers. Rows: T4, D2, T3."""

from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.policies.test_policy_screen import read_active_version, version_address
from tests.snapshots.policies.test_effective_policies import make
from tests.snapshots.policies.test_policy_replay import QUESTIONS, ask, fill, replay

ROOM = {"context": {"memory": 420, "query": 0, "summary": 0, "task": 0}}
NEW = {"context": {"memory": 60}}


def replay_page(world: World, number: int) -> str:
    return version_address(world, number).replace("/change/", "/replay/")


def test_the_page_tells_what_the_replay_tells(world: World, staff: Staff) -> None:
    fill(world.acme)
    steering, other = make(world.acme, ROOM, activate=True), make(world.acme, NEW)
    receipts = [ask(world.acme, steering, query) for query in QUESTIONS]
    told = replay(world.acme, steering, other)
    assert told.leaving > 0, "a page of nothing proves nothing"
    page = staff.mia.get(replay_page(world, other)).content.decode()
    for value in (told.receipts, told.compared, told.entering, told.leaving, told.tokens_before, told.tokens_after):
        assert f'<td class="number nowrap">{value}</td>' in page
    assert f"{told.changed.value:.1%}" in page
    assert all(f"/receipt/{one.receipt_id}/change/" in page for one in told.examples)
    assert {one.receipt_id for one in told.examples} <= {one.id for one in receipts}
    assert read_active_version(world) == steering


def test_a_button_leads_there_from_versions_that_do_not_steer(world: World, staff: Staff) -> None:
    make(world.acme, NEW)
    address = replay_page(world, 2)
    assert f'href="{address}"' in staff.mia.get(version_address(world, 2)).content.decode()
    assert "/replay/" not in staff.mia.get(version_address(world, 1)).content.decode()


def test_where_a_replay_shows_nothing_the_button_leads_to_the_playground(world: World, staff: Staff) -> None:
    make(world.acme, {"context": {"total": 3_000}})
    for address in (version_address(world, 2), "/console/tenants/policyversion/compare/?before=1&after=2"):
        page = staff.mia.get(address).content.decode()
        assert "/replay/" not in page
        assert "Compare in the playground" in page
    make(world.acme, {**NEW, "context": {**NEW.get("context", {}), "total": 3_000}})
    assert "Replay, without some changes" in staff.mia.get(version_address(world, 3)).content.decode()


def test_managers_alone_and_nobody_of_another_tenant(world: World, staff: Staff) -> None:
    make(world.acme, NEW)
    make(world.globex, NEW)
    assert "/replay/" not in staff.sam.get(version_address(world, 2)).content.decode()
    assert staff.sam.get(replay_page(world, 2)).status_code == 403
    assert staff.mia.post(replay_page(world, 2)).status_code == 405
    other = version_address(type(world)(world.globex, world.acme), 2).replace("/change/", "/replay/")
    nobody = replay_page(world, 2).replace(replay_page(world, 2).split("/")[4], "0198f0d2-0000-7000-8000-000000000000")
    assert staff.mia.get(other).status_code == staff.mia.get(nobody).status_code == 404

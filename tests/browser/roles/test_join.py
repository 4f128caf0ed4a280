"""A visitor who logs in is joined with the person, and parted again, in four looks. Rows: D2, P13, T3, T7."""

from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import expect

from profiles.models import Subject
from profiles.selectors import current_preferences, find_subject, group_preference_values
from profiles.services.preferences import record_preference
from profiles.services.subjects import ensure_subject
from profiles.services.value_claims import make_stated_claim
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, Role
from tests.browser.conftest import Look, SitDown
from tests.browser.roles.walk import Walk
from tests.browser.test_console import create_staff
from tests.conftest import House, World
from tests.snapshots.held import prefer

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]
# From the start page over the preview and a choice to the record of the join, and from there to its undo.
MOST_CLICKS = 8


@dataclass(frozen=True, slots=True)
class Seats:
    """A visitor and the two seats: Ada's, and the one that the visitor asked for last."""

    visitor: str
    aisle: str
    window: str


@pytest.fixture
def seats(world: World, look: Look) -> Seats:
    """Ada and a visitor want other seats; Mia manages."""
    told = Seats(look.choose("visitor-7", "访客-7"), look.choose("aisle", "靠过道"), look.choose("window", "靠窗"))
    prefer(world.acme, "travel", "seat", told.aisle)
    with tenant_tx(world.acme.tenant.id):
        record_preference(ensure_subject(told.visitor), "travel", "seat", make_stated_claim(told.window))
    create_staff("mia", world.acme.tenant, Role.MANAGER)
    return told


def load_seats(house: House, external_id: str) -> tuple[Subject | None, Any]:
    """Return whom an id names, and the preferences of this person."""
    with tenant_tx(house.tenant.id):
        person = find_subject(external_id)
        return person, group_preference_values(current_preferences(person)) if person else None


def test_a_visitor_is_joined_after_a_preview_and_parted_again(
    world: World, sit_down: SitDown, look: Look, seats: Seats
) -> None:
    acme = world.acme
    walk = Walk(sit_down("mia", **look.settings), look, names={"travel", "seat", "visitor", "nobody"})
    walk.find_person("ada")
    walk.reach("ada", "ada")
    walk.unfold_more()
    walk.follow_to("Join with another person", "与另一个人合并")
    preview_join(walk, seats)
    walk.click(walk.page.get_by_role("radio", name=seats.aisle))
    walk.confirm("Join", "合并")
    walk.read_message("Joined. This is the record of it.", "已合并。这是合并记录。")
    assert load_seats(acme, seats.visitor) == (acme.subject, {"travel": {"seat": seats.aisle}})
    walk.follow("Undo", "撤销")
    walk.reach("Undo the join", "撤销合并")
    walk.confirm("Undo the join", "撤销合并")
    walk.read_message("Undone. Each row is with the person it came from.", "已撤销。每一行都已归还原来的人。")
    parted, wishes = load_seats(acme, seats.visitor)
    assert parted != acme.subject
    assert wishes == {"travel": {"seat": seats.window}}
    assert load_seats(acme, "ada") == (acme.subject, {"travel": {"seat": seats.aisle}})
    with tenant_tx(acme.tenant.id):
        reasons = AuditRecord.objects.filter(action__contains="join").exclude(reason="").values_list("reason")
        assert [*reasons] == [(look.choose("ticket 4711", "工单 4711"),)] * 2
    assert walk.clicks <= MOST_CLICKS


def preview_join(walk: Walk, seats: Seats) -> None:
    """Name nobody, then the visitor, and read what a join would move and which seat it would keep."""
    page, look = walk.page, walk.look
    walk.write("The other person", "另一个人", "nobody")
    page.keyboard.press("Enter")
    expect(page.locator(".errorlist")).to_have_text(
        look.choose("Nobody in this tenant has this id.", "本租户中没有人使用这个 ID。")
    )
    walk.write("The other person", "另一个人", seats.visitor)
    walk.press("Preview", "预览")
    moves = look.choose(f"What moves from “{seats.visitor}”", f"将从“{seats.visitor}”移来的内容")
    expect(page.get_by_role("heading", name=moves, exact=True).locator("+ ul")).to_contain_text(
        look.choose("1 preference, earlier ones included", "1 条偏好（包括过去的）")
    )
    expect(page.get_by_role("radio", name=seats.window)).to_be_checked()
    walk.look_at_page()

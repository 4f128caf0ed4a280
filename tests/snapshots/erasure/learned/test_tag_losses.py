"""What a tag was goes with the messages that alone said it; what that had replaced holds again. Rows: E8, D1, P10."""

from typing import Any

import pytest

from profiles.models import Tag, TagDetail
from profiles.selectors import detail_history, tags_at, tags_known_at
from snapshots.erasure.learned.forget_whole_belief import forget_tag
from snapshots.lifecycle.staff_actions.memory_actions import ActContext, correct_tag
from snapshots.lifecycle.staff_actions.merge_memories import merge_memories
from snapshots.lifecycle.staff_actions.undo_act import find_last_act, undo_act
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.memory_platform.api.conftest import Caller
from tests.snapshots.erasure.everywhere import tables_with
from tests.snapshots.erasure.learned.test_unlearn_messages import delete, teach
from tests.snapshots.held import label
from tests.snapshots.portability.exporting import export, sort_lines, take_back

MOVES = [
    ("My home address is 12 Elm Street.", "My home address is 99 Oak Avenue.", "12 Elm Street", "99 Oak Avenue"),
    ("我家住在南京西路1266号。", "我家住在世纪大道100号。", "南京西路1266号", "世纪大道100号"),
]
DOING = ActContext(COMMAND_LINE, "test")


def addresses(house: House) -> list[tuple[Any, bool]]:
    """Return the addresses that the tag has had, and whether each holds."""
    with tenant_tx(house.tenant.id):
        tag = Tag.objects.get()
        rows = detail_history(tag).filter(detail="address").order_by("valid_at", "recorded_at")
        held = [(row.value, row.invalid_at is None) for row in rows]
        assert [value for value, holds in held if holds] == ([tag.address] if tag.address else [])
        return held


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second", "old", "new"), MOVES)
def test_an_overwritten_address_holds_again_when_the_later_saying_goes(
    world: World, first: str, second: str, old: str, new: str
) -> None:
    teach(world.acme, "trip", first)
    teach(world.acme, "dinner", second)
    assert addresses(world.acme) == [(old, False), (new, True)]
    erasure = delete(world.acme, "dinner")
    assert addresses(world.acme) == [(old, True)]
    assert tables_with(new) == {}
    assert erasure.erased["tag_detail"] >= 1


@pytest.mark.parametrize(("first", "second", "old", "new"), MOVES)
def test_an_earlier_address_leaves_no_trace_in_the_past(
    world: World, first: str, second: str, old: str, new: str
) -> None:
    teach(world.acme, "trip", first)
    teach(world.acme, "dinner", second)
    delete(world.acme, "trip")
    assert addresses(world.acme) == [(new, True)]
    assert tables_with(old) == {}


def test_a_forgotten_tag_leaves_nothing_of_its_past(world: World) -> None:
    first, _, old, new = MOVES[0]
    teach(world.acme, "trip", first)
    with tenant_tx(world.acme.tenant.id):
        tag = correct_tag(Tag.objects.select_related("subject").get(), {"address": new}, DOING)
        erasure = forget_tag(tag.subject, tag, by=COMMAND_LINE)
        assert not TagDetail.objects.exists()
        assert erasure.erased["tag_detail"] >= 4
    assert "tag_detail" not in tables_with(old)


def test_a_merge_that_is_taken_back_gives_both_their_past_again(world: World) -> None:
    house = world.acme
    label(house, "mum", kind="contact", phone="555-0101")
    label(house, "mum", kind="contact", phone="555-0102")
    label(house, "mother", kind="contact", relation="mum")
    with tenant_tx(house.tenant.id):
        before = list(TagDetail.objects.order_by("id").values())
        mum, mother = (Tag.objects.select_related("subject").get(label=name) for name in ("mum", "mother"))
        merge_memories(mother, mum, DOING)
        assert Tag.objects.get().phone == "555-0102"
        act = find_last_act(mother)
        assert act is not None
        undo_act(mother.subject, act.id, DOING)
        assert list(TagDetail.objects.order_by("id").values()) == before


@pytest.mark.slow
def test_an_export_carries_the_past_of_tags_and_brings_it_back(acme: Caller, world: World) -> None:
    acme(
        "POST",
        "/v1/subjects/ada/tags",
        {"label": "home", "address": "12 Elm Street", "valid_at": "2026-05-01T00:00:00Z"},
    )
    acme(
        "POST",
        "/v1/subjects/ada/tags",
        {"label": "home", "address": "99 Oak Avenue", "valid_at": "2026-07-01T00:00:00Z"},
    )
    before = export(acme)
    assert sum(line["type"] == "tag_detail" and line["detail"] == "address" for line in before) >= 2
    acme("DELETE", "/v1/subjects/ada")
    assert take_back(acme, before)["status"] == "succeeded"
    assert addresses(world.acme) == [("12 Elm Street", False), ("99 Oak Avenue", True)]
    assert len(sort_lines(export(acme))) == len(sort_lines(before))


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2])
def test_an_export_from_before_tags_had_a_past_is_read(acme: Caller, world: World, number: int) -> None:
    acme("POST", "/v1/subjects/ada/tags", {"label": "家", "address": "枫林路203号"})
    lines = [line for line in export(acme) if line["type"] != "tag_detail"]
    lines[0]["format"] = number
    lines[-1]["counts"].pop("tag_detail")
    acme("DELETE", "/v1/subjects/ada")
    assert take_back(acme, lines)["status"] == "succeeded"
    with tenant_tx(world.acme.tenant.id):
        tag = Tag.objects.select_related("subject").get()
        then = {"as_of": tag.created_at}
        assert [one.address for one in tags_known_at(list(tags_at(tag.subject, **then)), **then)] == ["枫林路203号"]
    again = acme("PATCH", f"/v1/subjects/ada/tags/{tag.id}", {"address": "世纪大道100号"})
    assert again.status_code == 200
    assert addresses(world.acme) == [("枫林路203号", False), ("世纪大道100号", True)]

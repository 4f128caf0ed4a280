"""A question for what was before brings what ended, with the day until which it held; no other does. Rows: P4, X11."""

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from snapshots.context.pipeline import ContextCall, build_context
from snapshots.context.values import BudgetRequest, ContextRequest
from snapshots.lifecycle.product_snapshots import retire_snapshot
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import Snapshot, SnapshotKind
from snapshots.recall.filtering.filter_grammar import Condition
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.lifecycle.world import anything
from tests.snapshots.understanding.making import MONDAY, say, settle

LATER = MONDAY - timedelta(days=1)
EARLIER = MONDAY - timedelta(days=40)
Told = tuple[str, str, str, str]
EN = ("I live in York, near the river", "We moved, I live in Leeds now", "York", "Leeds")
ZH = ("我住在成都玉林路", "我搬家了，现在住在杭州", "成都", "杭州")
PAST = {EN: "Where did I live before?", ZH: "我以前住哪？"}
NOW = {EN: "Where do I live?", ZH: "我住哪？"}
SHAPES: list[dict[str, Any]] = [
    {},
    {"style": "compact"},
    {"style": "full"},
    {"format": "plain"},
    {"format": "text"},
]


def live(house: House, told: Sequence[str], change: str = "") -> None:
    """Have somebody tell where they live, and later that it has changed."""
    say(house, told[0], conversation="c1", at=EARLIER)
    say(house, change or told[1], conversation="c2", at=LATER)
    settle(house)


def lines_for(house: House, query: str, *, narrowed: Condition | None = None, **asked: Any) -> list[str]:
    """Return the lines of a context, without query and guide."""
    request = ContextRequest(query, guide=False, **{"at": MONDAY, "budget": BudgetRequest(2_000), **asked})
    built = build_context(house.tenant.id, house.subject.external_id, ContextCall(request, "3", filter=narrowed))
    said = built.context.text or "\n".join(one["content"] for one in built.context.messages[:-1])
    return said.splitlines()


@pytest.mark.parametrize("told", [EN, ZH])
@pytest.mark.parametrize("shape", SHAPES)
def test_what_was_before_stands_with_its_end_beside_what_holds_now(
    world: World, shape: dict[str, Any], told: Told
) -> None:
    live(world.acme, told)
    lines = lines_for(world.acme, PAST[told], **shape)
    (was,) = [line for line in lines if told[0] in line]
    assert re.search(r" \((until 15 Nov|至11月15日)\)(</user_memory>)?$", was)
    assert [line for line in lines if told[3] in line and "until" not in line and "至" not in line]


@pytest.mark.parametrize(
    ("old", "new", "query"),
    [
        ("I work as a nurse at St James hospital", "I quit the hospital, I am a gardener now", "What was my old job?"),
        ("I go to yoga on Tuesdays", "I no longer go to yoga, it's pilates now", "What did I use to do on Tuesdays?"),
        ("我女儿在实验小学上学", "我女儿转学了，现在在育才小学", "我女儿以前在哪个学校？"),
        ("我每天早上喝咖啡", "我不喝咖啡了，改喝绿茶", "我以前早上喝什么？"),
    ],
)
def test_whatever_has_changed_may_be_asked_for(world: World, old: str, new: str, query: str) -> None:
    live(world.acme, (old, new))
    (was,) = [line for line in lines_for(world.acme, query) if old in line]
    assert was.endswith((" (until 15 Nov)", " (至11月15日)"))


@pytest.mark.parametrize("told", [EN, ZH])
@pytest.mark.parametrize("total", [150, 300, 500, 2_000])
def test_no_other_question_brings_what_ended(world: World, total: int, told: Told) -> None:
    live(world.acme, told)
    for query in (NOW[told], "Why is the sky red?", "What do you know about me?", "你都知道我什么？"):
        assert not [line for line in lines_for(world.acme, query, budget=BudgetRequest(total)) if told[2] in line]


@pytest.mark.parametrize("told", [EN, ZH])
@pytest.mark.parametrize("total", [150, 300, 500])
def test_it_never_stands_without_its_end_however_small_the_total(world: World, total: int, told: Told) -> None:
    live(world.acme, told)
    was = [line for line in lines_for(world.acme, PAST[told], budget=BudgetRequest(total)) if told[0] in line]
    assert all(line.endswith(")") for line in was)


@pytest.mark.parametrize("told", [EN, ZH])
@pytest.mark.parametrize("forgotten", [0, 1])
def test_what_is_forgotten_does_not_come_back(world: World, forgotten: int, told: Told) -> None:
    house = world.acme
    live(house, told)
    with tenant_tx(house.tenant.id):
        ids = Snapshot.objects.filter(kind=SnapshotKind.NOTE, text__contains=told[2 + forgotten]).values_list("id")
        for (note_id,) in list(ids):
            retire_snapshot(SnapshotAddress(house.subject.external_id, note_id), accept=anything)
    assert not [line for line in lines_for(house, PAST[told]) if line.endswith(told[0])]
    if not forgotten:
        assert not [line for line in lines_for(house, PAST[told]) if told[2] in line]


@pytest.mark.parametrize(
    ("told", "change"),
    [(EN, "That was wrong, I live in Leeds, not in York"), (ZH, "说错了，我住在杭州，不是成都")],
)
def test_what_was_put_right_was_never_so(world: World, told: Told, change: str) -> None:
    live(world.acme, told, change)
    with tenant_tx(world.acme.tenant.id):
        assert Snapshot.objects.filter(text=told[0], invalid_at__isnull=False).exists()
    assert not [line for line in lines_for(world.acme, PAST[told]) if told[0] in line]


@pytest.mark.parametrize("told", [EN, ZH])
def test_what_is_so_again_and_what_a_filter_leaves_out_do_not_stand_as_over(world: World, told: Told) -> None:
    live(world.acme, told)
    narrowed = Condition("confidence", "gte", 0.1)
    assert not [line for line in lines_for(world.acme, PAST[told], narrowed=narrowed) if told[0] in line]
    say(world.acme, told[0], conversation="c3", at=MONDAY)
    settle(world.acme)
    (now,) = [line for line in lines_for(world.acme, PAST[told], at=MONDAY + timedelta(days=1)) if told[0] in line]
    assert now.endswith(told[0])

"""What somebody does again on other days becomes a habit, believed a little more each time. Row: P12."""

from datetime import timedelta, timezone
from typing import Any

import pytest

from memory_platform.kernel.clock import utc_now
from snapshots.jobs import drain_work_job
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller
from tests.memory_platform.api.v1.conversations.test_heard import notes_of
from tests.memory_platform.api.v1.memories.test_forget_orders import TALK


def say_days_ago(caller: Caller, world: World, text: str, *days: int) -> list[dict[str, Any]]:
    """Have a text said once on each of these days; return the notes."""
    for ago in days:
        said_at = (utc_now() - timedelta(days=ago)).isoformat()
        body = {"messages": [{"role": "user", "content": text, "said_at": said_at}]}
        assert caller("POST", TALK, body).status_code == 202
        drain_work_job(tenant_id=str(world.acme.tenant.id))
    return notes_of(caller)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["My third flat white today", "今天午饭吃拉面"])
def test_what_is_done_on_several_days_becomes_a_habit(acme: Caller, world: World, text: str) -> None:
    assert say_days_ago(acme, world, text, 9) == []
    assert say_days_ago(acme, world, text, 9) == [], "twice on one day is one occasion"
    (note,) = say_days_ago(acme, world, text, 8)
    assert (note["grade"], note["confidence"], note["provenance"]) == ("habit", 0.5, "observation")
    assert len(note["sources"]) == 2
    first_look = note["review_by"]
    assert first_look
    assert [say_days_ago(acme, world, text, day)[0]["confidence"] for day in (8, 7, 6, 5, 4)] == [
        0.5,
        0.6,
        0.7,
        0.8,
        0.8,
    ]
    (note,) = notes_of(acme)
    assert note["provenance"] == "analysis"
    assert note["review_by"] > first_look


@pytest.mark.parametrize(
    ("hedged", "outright"),
    [
        ("I think I usually go running on Sundays", "I usually go running on Sundays"),
        ("我好像每周都去游泳", "我每周都去游泳"),
    ],
)
def test_a_habit_that_is_only_guessed_starts_low_and_is_confirmed_by_an_outright_word(
    acme: Caller, world: World, hedged: str, outright: str
) -> None:
    (note,) = say_days_ago(acme, world, hedged, 9)
    assert (note["grade"], note["confidence"], note["provenance"]) == ("habit", 0.5, "observation")
    (note,) = say_days_ago(acme, world, hedged, 8)
    assert note["confidence"] == 0.6
    notes = say_days_ago(acme, world, outright, 7)
    assert max((one["confidence"], one["provenance"]) for one in notes) == (0.9, "confirmed_by_user")


@pytest.mark.parametrize(
    "text", ["I'm tired", "What time is it?", "Play some jazz", "Is it raining again?", "我好累", "放首歌"]
)
def test_moods_questions_orders_and_others_become_no_habit(acme: Caller, world: World, text: str) -> None:
    assert say_days_ago(acme, world, text, 9, 8, 7) == []


@pytest.mark.parametrize(
    ("zone", "offset", "held"),
    [(None, 0, 1), (None, 8, 0), ("Asia/Shanghai", 0, 0), ("Asia/Shanghai", -11, 1), ("Mars/Olympus", 0, 1)],
)
def test_days_are_counted_where_the_subject_is(
    acme: Caller, world: World, zone: str | None, offset: int, held: int
) -> None:
    if zone:
        assert acme("PATCH", "/v1/subjects/ada/profile", {"timezone": zone}).status_code == 200
    midnight = utc_now().replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=4)
    for hours in (-1, 1):  # two days in UTC or west of it, one morning in Shanghai
        moment = midnight + timedelta(hours=hours - min(offset, 0))
        said_at = moment.astimezone(timezone(timedelta(hours=offset))).isoformat()
        acme("POST", TALK, {"messages": [{"role": "user", "content": "My third flat white today", "said_at": said_at}]})
        drain_work_job(tenant_id=str(world.acme.tenant.id))
    assert len(notes_of(acme)) == held

"""A day is that of a clock on the wall: of the speaker for what was said, of the asker for today. Rows: X11, P9."""

from typing import Any

import pytest

from snapshots.models import Note, NoteGrade
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of
from tests.snapshots.held import know
from tests.snapshots.understanding.making import settle

EN = ("I have a heart scan at the hospital tomorrow", "When is my heart scan?")
ZH = ("我明天要去医院做心脏检查", "我什么时候做心脏检查？")
FORMS = {"en": ("{} Nov:", " (until {} Nov)"), "zh": ("11月{}日：", " (至11月{}日)")}


def hear(caller: Caller, world: World, text: str, said_at: str) -> None:
    """Say something, and have it learnt."""
    said = {"role": "user", "content": text, "said_at": said_at}
    body_of(caller("POST", "/v1/subjects/ada/conversations/talk/messages", {"messages": [said]}))
    settle(world.acme)


def plan(world: World, **columns: Any) -> None:
    """Have what was heard be a plan, whatever it was taken for."""
    with tenant_tx(world.acme.tenant.id):
        assert Note.objects.update(grade=NoteGrade.PLAN, **columns) == 1


def lines_of(caller: Caller, query: str, **asked: Any) -> list[str]:
    """Return the lines of the memories in a context, dates among them, and of today."""
    answer = body_of(caller("POST", "/v1/subjects/ada/context", {"query": query, "guide": False, **asked}))
    content = "\n".join(one["content"] for one in answer["messages"][:-1])
    return [line for line in content.splitlines() if line and not line.startswith(("<", "#"))]


@pytest.mark.parametrize(
    ("said_at", "day"),
    [
        ("2026-11-24T07:00:00+08:00", 24),
        ("2026-11-24T00:00:30+08:00", 24),
        ("2026-11-24T23:59:30+08:00", 24),
        ("2026-11-23T20:00:00-08:00", 23),
        ("2026-11-23T23:59:30-05:00", 23),
        ("2026-11-24T00:00:30-05:00", 24),
        ("2026-11-24T23:30:00Z", 24),
    ],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_tomorrow_is_the_day_after_the_speakers_and_stands_under_that(
    acme: Caller, world: World, language: str, said_at: str, day: int
) -> None:
    text, query = EN if language == "en" else ZH
    know(world.acme, locale="zh-CN" if language == "zh" else "en-GB")
    hear(acme, world, text, said_at)
    plan(world, vital_class="")
    heading, until = FORMS[language]
    for moment, last in ((f"{day + 1}T23:59:00", ""), (f"{day + 2}T00:01:00", until.format(day + 1))):
        lines = lines_of(acme, query, at=f"2026-11-{moment}{said_at[19:]}")
        assert lines[lines.index(f"- {text}{last}") - 1] == heading.format(day)


def test_a_vital_note_is_dated_alike_whichever_clock_asks(acme: Caller, world: World) -> None:
    hear(acme, world, EN[0], "2026-11-24T07:00:00+08:00")
    with tenant_tx(world.acme.tenant.id):
        Note.objects.update(vital_class="illness")
    for at in ("2026-11-24T08:00:00+08:00", "2026-11-23T19:00:00-05:00", "2026-11-24T00:00:00Z", None):
        day, line, today = lines_of(acme, "Why is the sky red?", **({"at": at} if at else {}))
        assert (day, line) == ("24 Nov 2026:", f"- {EN[0]}")
        assert today.startswith("Today is ")


@pytest.mark.parametrize(
    ("zone", "heard", "at", "days"),
    [
        (None, None, "2026-11-24T07:00:00+08:00", ("Tuesday, 24 Nov", "24 Nov:")),
        (None, None, "2026-11-23T15:00:00-08:00", ("Monday, 23 Nov", "23 Nov:")),
        (None, None, "2026-11-23T23:00:00Z", ("Monday, 23 Nov", "23 Nov:")),
        ("Asia/Shanghai", None, "2026-11-23T23:00:00Z", ("Tuesday, 24 Nov", "24 Nov:")),
        ("America/New_York", "+08:00", "2026-11-24T02:00:00Z", ("Monday, 23 Nov", "23 Nov:")),
        (None, "+08:00", "2026-11-23T23:00:00Z", ("Tuesday, 24 Nov", "24 Nov:")),
        ("Asia/Shanghai", None, "2026-11-23T18:00:00-05:00", ("Monday, 23 Nov", "24 Nov:")),
    ],
)
def test_who_tells_no_offset_is_dated_by_the_profile_or_by_what_was_last_heard(
    acme: Caller, world: World, zone: str | None, heard: str | None, at: str, days: tuple[str, str]
) -> None:
    today, day = days
    if zone:
        know(world.acme, timezone=zone)
    hear(acme, world, "I keep the piano in the cellar", "2026-11-23T22:00:00Z")
    if heard:
        hear(acme, world, "I keep the harp in the attic", f"2026-11-01T12:00:00{heard}")
    lines = lines_of(acme, "Where is the piano?", at=at)
    assert f"Today is {today} 2026." in lines
    assert day in lines[: lines.index("- I keep the piano in the cellar")]


@pytest.mark.parametrize(
    ("language", "old", "new", "mark"),
    [
        (
            "en",
            "I take lisinopril every morning for my blood pressure",
            "My doctor took me off the lisinopril, it's losartan now, one in the evening",
            "(until 20 Nov",
        ),
        ("zh", "我有糖尿病,二甲双胍一天两片", "医生给我换药了,二甲双胍不吃了,换成达格列净", "(至2026年11月20日"),
    ],
)
def test_a_medicine_that_was_changed_stays_in_front_with_the_day_and_the_new_one(
    acme: Caller, world: World, language: str, old: str, new: str, mark: str
) -> None:
    know(world.acme, locale="zh-CN" if language == "zh" else "en-GB")
    hear(acme, world, old, "2026-11-10T09:00:00Z")
    hear(acme, world, new, "2026-11-20T09:00:00Z")
    lines = lines_of(acme, "Which pills do I take?" if language == "en" else "我现在吃什么药？")
    named = "lisinopril" if language == "en" else "二甲双胍一天两片"
    before = [line for line in lines if named in line and new not in line]
    assert before, "the old one stands, too"
    assert all(mark in line for line in before)
    assert any("losartan" in line or "达格列净" in line for line in lines)

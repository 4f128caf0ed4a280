"""The stable prefix stays the same, byte for byte, through whatever does not touch the profile. Rows: X9."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from profiles.models import Tag
from profiles.services.tags.tags import record_tag_use
from snapshots.context.pipeline import ContextAnswer, ContextCall, build_context
from snapshots.context.values import BudgetRequest, ContextRequest
from snapshots.lifecycle.product_snapshots import retire_snapshot
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import Conversation, NoteGrade, Snapshot
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.context.writing.hostile import HOSTILE
from tests.snapshots.feedback.telling import tell
from tests.snapshots.held import know, label, prefer, remember, say
from tests.snapshots.lifecycle.world import anything, edit
from tests.snapshots.notes_held import note_down

SAID = (
    "Where shall we eat tonight?",
    "我想去爬山",
    "No, not that one",
    "今天天气不错",
    "👍",
    "I bought it yesterday",
    *(text for text in HOSTILE[::7] if len(text) < 500 and "\ud800" not in text and "\x00" not in text),
)
INTENTS = (None, "small_talk", "recommendation", "complaint", "knowledge", "navigation")
STEPS = 15


def talks(house: House, random: Random) -> None:
    say(house, random.choice(SAID), conversation=random.choice("abc"), role=random.choice(("user", "assistant")))


def remembers(house: House, random: Random) -> None:
    remember(house, f"{random.choice(SAID)} {random.random()}")


def edits(house: House, random: Random) -> None:
    if address := some_memory(house, random):
        edit(house, address, text=f"{random.choice(SAID)} {random.random()}")


def retires(house: House, random: Random) -> None:
    if address := some_memory(house, random):
        with tenant_tx(house.tenant.id):
            retire_snapshot(address, accept=anything)


def uses_a_tag(house: House, random: Random) -> None:
    with tenant_tx(house.tenant.id):
        record_tag_use(house.subject, Tag.objects.get().id)


def tells(house: House, random: Random) -> None:
    tell(house, ask_context(house, random).receipt, reply=random.choice(SAID))


def summarises(house: House, random: Random) -> None:
    with tenant_tx(house.tenant.id):
        Conversation.objects.update(summary=random.choice(SAID))


CHANGES: tuple[Callable[[House, Random], None], ...] = (talks, remembers, edits, retires, uses_a_tag, tells, summarises)


def some_memory(house: House, random: Random) -> SnapshotAddress | None:
    with tenant_tx(house.tenant.id):
        ids = list(Snapshot.objects.filter(retired_at=None).order_by("id").values_list("id", flat=True))
    return SnapshotAddress(house.subject.external_id, random.choice(ids)) if ids else None


def ask_context(house: House, random: Random, system_prompt: str = "You are a kind assistant.") -> ContextAnswer:
    """Assemble a context of anything, in any conversation, within any budget, for the same system prompt."""
    budget = BudgetRequest(total=random.choice((3_000, 6_000, 60_000)), memory=random.choice((None, 0, 900)))
    request = ContextRequest(
        random.choice(SAID),
        system_prompt,
        budget,
        intent=random.choice(INTENTS),
        phase=random.choice((None, "opening", "after_sales")),
        order=random.choice(("u_shape", "relevance_first")),
    )
    query = ContextCall(request, str(random.randrange(9)), random.choice((None, "a", "b", "unheard of")))
    return build_context(house.tenant.id, house.subject.external_id, query)


@pytest.mark.parametrize("locale", ["en-GB", "zh-CN"])
@pytest.mark.parametrize("seed", range(3))
def test_histories_that_leave_the_profile_alone_leave_the_prefix_alone(world: World, seed: int, locale: str) -> None:
    house, random = world.acme, Random(f"{seed} {locale}")  # noqa: S311 - a reproducible draw, no secret
    know(house, name="阿达 Ada", locale=locale, occupation="teacher")
    prefer(house, "food", "allergies", ["peanuts", "花生"])
    label(house, "家", address="世纪大道100号")
    first = ask_context(house, random).context
    for step in range(STEPS):
        change = random.choice(CHANGES)
        change(house, random)
        now = ask_context(house, random).context
        assert now.messages[0] == first.messages[0], (step, change.__name__)
        assert now.prefix == first.prefix
    prefer(house, "food", "diet", "vegetarian")
    changed = ask_context(house, random).context
    assert changed.prefix.hash != first.prefix.hash
    assert ask_context(house, random, "Another prompt.").context.prefix.hash != changed.prefix.hash


AT_ONCE = 48
STANDING: dict[str, dict[str, Any]] = {
    "Bees make me ill 蜜蜂": {"vital_class": "allergy"},
    "I use a wheelchair 轮椅": {"vital_class": "accessibility"},
    "Nothing above 80 euros 不超过八十欧元": {"grade": NoteGrade.LIMIT},
    "Never on a Sunday 周日不行": {"grade": NoteGrade.LIMIT},
    "I swim every Tuesday 每周二游泳": {"grade": NoteGrade.HABIT},
    "I get up at five 五点起床": {"grade": NoteGrade.HABIT},
}


def test_48_calls_at_once_with_different_questions_share_one_prefix_to_the_byte(world: World) -> None:
    house = world.acme
    know(house, name="阿达 Ada", occupation="teacher")
    for text, columns in STANDING.items():
        note_down(house, text, **columns)
    note_down(house, "The piano came from an aunt", "The cellar is dry 地下室很干燥")
    start = Barrier(AT_ONCE)

    def ask_with_others(number: int) -> ContextAnswer:
        query = f"{SAID[number % 6]} {number}? {list(STANDING)[number % 6]}"
        try:
            start.wait(timeout=60)
            return build_context(house.tenant.id, house.subject.external_id, ContextCall(ContextRequest(query), "1"))
        finally:
            connection.close()

    with ThreadPoolExecutor(AT_ONCE) as threads:
        answers = list(threads.map(ask_with_others, range(AT_ONCE)))
    prefix = answers[0].context.messages[0]
    assert [text for text in STANDING if text not in prefix["content"]] == []
    assert {str(one.context.messages[0]["content"]).encode() for one in answers} == {prefix["content"].encode()}
    assert len({one.context.prefix for one in answers}) == 1
    assert len({one.context.messages[-1]["content"] for one in answers}) == AT_ONCE

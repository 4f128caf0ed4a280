"""The moment of a question says what it means by "yesterday", and hides nothing. Rows: X11, R2."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from memory_platform.kernel.clock import utc_now
from snapshots.context.pipeline import ContextCall, draft_context
from snapshots.context.values import ContextRequest
from snapshots.recall.pipeline import recall
from snapshots.recall.values import RecallQuery
from tests.conftest import House, World
from tests.snapshots.held import know, remember

DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)
LUNCH = ["What did I cook for lunch yesterday?", "我昨天午饭煮了什么？"]
NOON = datetime(2026, 3, 11, 12, tzinfo=UTC)


def best_memory(house: House, query: str, at: datetime | None) -> str:
    asked = ContextCall(ContextRequest(query, at=at), "1")
    return draft_context(house.tenant.id, house.subject.external_id, asked).findings.recall_answer.memories[0].text


@pytest.mark.parametrize("query", LUNCH)
def test_yesterday_is_the_day_before_the_moment_of_the_question(world: World, query: str) -> None:
    remember(world.acme, *(f"Bus {n} was late {n} 路公交晚点" for n in range(20)), said_at=NOON + 30 * DAY)
    remember(world.acme, "I cooked soup for lunch 午饭煮了汤", said_at=NOON)
    remember(world.acme, "I cooked rice for lunch 午饭煮了饭", said_at=NOON + 5 * DAY)
    assert best_memory(world.acme, query, NOON + DAY) == "I cooked soup for lunch 午饭煮了汤"
    assert best_memory(world.acme, query, NOON + 6 * DAY) == "I cooked rice for lunch 午饭煮了饭"


@pytest.mark.parametrize("query", LUNCH)
@pytest.mark.parametrize("zone", ["", "Asia/Shanghai", "Pacific/Pitcairn"])
@pytest.mark.parametrize("east", [8, -8])
def test_yesterday_is_that_of_the_moments_offset_else_of_the_subjects_zone(
    world: World, query: str, zone: str, east: int
) -> None:
    midnight = NOON.replace(hour=12 - east) + timedelta(hours=12)  # where the clock is so far east
    house, local = world.acme, midnight.astimezone(timezone(timedelta(hours=east)))
    if zone:
        know(house, timezone=zone)
    remember(house, *(f"Bus {n} was late {n} 路公交晚点" for n in range(20)), said_at=NOON + 30 * DAY)
    remember(house, "I cooked soup for lunch 午饭煮了汤", said_at=midnight - MINUTE)
    remember(house, "I cooked rice for lunch 午饭煮了饭", said_at=midnight + MINUTE)
    soup, rice = "I cooked soup for lunch 午饭煮了汤", "I cooked rice for lunch 午饭煮了饭"
    assert best_memory(house, query, local + DAY - 2 * MINUTE) == soup
    assert best_memory(house, query, local + DAY + 2 * MINUTE) == rice
    if (zone, east) in {("Asia/Shanghai", 8), ("Pacific/Pitcairn", -8)}:
        assert best_memory(house, query, midnight + DAY - 2 * MINUTE) == soup
        assert best_memory(house, query, midnight + DAY + 2 * MINUTE) == rice
        asked = [RecallQuery(query, asked_at=utc_now(), clock=midnight + DAY + n * MINUTE) for n in (-2, 2)]
        found = [recall(house.tenant.id, "ada", one).memories[0].text for one in asked]
        assert found == [soup, rice]


@pytest.mark.parametrize("at", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, tzinfo=UTC)])
@pytest.mark.parametrize(
    "query", ["What of lunch yesterday?", "Lunch next week or 400 years ago?", "上周午饭吃了什么？"]
)
def test_the_first_and_last_moments_are_answered(world: World, query: str, at: datetime) -> None:
    remember(world.acme, "I cooked soup for lunch 午饭煮了汤")
    assert best_memory(world.acme, query, at) == "I cooked soup for lunch 午饭煮了汤"

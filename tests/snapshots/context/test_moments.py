"""The moment of a question says what it means by "yesterday", and hides nothing. Rows: X11, R2."""

from datetime import UTC, datetime, timedelta

import pytest

from snapshots.context.service import draft_context
from snapshots.context.stages import ContextQuery
from snapshots.context.values import ContextRequest
from tests.conftest import House, World
from tests.snapshots.held import remember

DAY = timedelta(days=1)
NOON = datetime(2026, 3, 11, 12, tzinfo=UTC)


def best_memory(house: House, query: str, at: datetime | None) -> str:
    asked = ContextQuery(ContextRequest(query, at=at), "1")
    return draft_context(house.tenant.id, house.subject.external_id, asked).findings.found.memories[0].text


@pytest.mark.parametrize("query", ["What did I cook for lunch yesterday?", "我昨天午饭煮了什么？"])
def test_yesterday_is_the_day_before_the_moment_of_the_question(world: World, query: str) -> None:
    remember(world.acme, *(f"Bus {n} was late {n} 路公交晚点" for n in range(20)), said_at=NOON + 30 * DAY)
    remember(world.acme, "I cooked soup for lunch 午饭煮了汤", said_at=NOON)
    remember(world.acme, "I cooked rice for lunch 午饭煮了饭", said_at=NOON + 5 * DAY)
    assert best_memory(world.acme, query, NOON + DAY) == "I cooked soup for lunch 午饭煮了汤"
    assert best_memory(world.acme, query, NOON + 6 * DAY) == "I cooked rice for lunch 午饭煮了饭"


@pytest.mark.parametrize("at", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, tzinfo=UTC)])
@pytest.mark.parametrize(
    "query", ["What of lunch yesterday?", "Lunch next week or 400 years ago?", "上周午饭吃了什么？"]
)
def test_the_first_and_last_moments_are_answered(world: World, query: str, at: datetime) -> None:
    remember(world.acme, "I cooked soup for lunch 午饭煮了汤")
    assert best_memory(world.acme, query, at) == "I cooked soup for lunch 午饭煮了汤"

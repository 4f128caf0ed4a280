"""Each job of care twice at once does what one run does, over people of two zones whose clocks change. Rows: E3, E4,
E5, E6, E7, E9.

Berlin's clock is put back on the 25th of October 2026, New York's on the 1st of November: both say half an hour twice.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date, datetime, timedelta
from threading import Barrier
from typing import TypeVar
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.db.models import Count, Sum

from lab.benchmarks.scheduled_jobs import ORDER
from memory_platform.kernel.clock import utc_now
from profiles.services.subjects import ensure_subject
from snapshots.feedback.tallies.indicator_roll_up import roll_up_indicators
from snapshots.lifecycle.config import ARCHIVE, REVIEW
from snapshots.lifecycle.memory_reviews import review_tenant
from snapshots.models import (
    Calibration,
    Consolidation,
    Conversation,
    ConversationStatus,
    Indicator,
    MemoryReview,
    Message,
    Receipt,
    ReceiptMemory,
    Snapshot,
    SnapshotCounter,
    Work,
    WorkState,
)
from snapshots.scheduled_job_registry import CARE
from tenants.isolation import tenant_tx
from tenants.models import UsageDay, UsageEvent
from tenants.services.job_runs import TenantTurn, run_by_hand
from tests.conftest import House, World
from tests.snapshots.feedback.telling import ask
from tests.snapshots.held import remember, say

BERLIN, NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")
PEOPLE = {
    "Berlin": [datetime(2026, 10, 25, 2, 30, fold=fold, tzinfo=BERLIN) for fold in (0, 1)],
    "New York": [datetime(2026, 11, 1, 1, 30, fold=fold, tzinfo=NEW_YORK) for fold in (0, 1)],
}
DAYS = [date(2026, month, day) for month, days in ((10, (24, 25, 26, 31)), (11, (1, 2))) for day in days]
AGAIN = {
    "Berlin": ("我坐飞机喜欢靠窗的座位", "坐飞机我喜欢靠窗座位", "我坐飞机都喜欢靠窗的座位"),
    "New York": ("I love spicy ramen noodles", "I really love spicy ramen noodles", "I love the spicy ramen noodles"),
}
RECEIVED = {
    "disliked": {"injected": 12, "judged": 12, "positive": 1},
    "corrected": {"injected": 12, "judged": 12, "positive": 6, "corrected": 2},
    "liked": {"injected": 12, "judged": 12, "positive": 12},
}

Result = TypeVar("Result")


@pytest.fixture
def houses(world: World) -> tuple[House, House]:
    """Two tenants that hold the same."""
    for house in (world.acme, world.globex):
        for name in PEOPLE:
            fill(house, name)
    return world.acme, world.globex


def fill(house: House, name: str) -> None:
    """Give somebody what every job has something to do with, said when the clock there showed a time twice."""
    with tenant_tx(house.tenant.id):
        own = replace(house, subject=ensure_subject(name))
    first, again = PEOPLE[name]
    remember(own, *AGAIN[name], said_at=first)
    long_ago = utc_now() - REVIEW.stale_after - timedelta(hours=2)
    (stale,) = remember(own, f"the parking place in {name} is number 12", said_at=again)
    remember(own, f"a parking ticket of {name}", said_at=first, expires_at=again)
    for rule, counts in RECEIVED.items():
        (memory,) = remember(own, f"{rule} in {name}", said_at=again, confidence=0.4)
        with tenant_tx(house.tenant.id):
            SnapshotCounter.objects.create(subject=own.subject, snapshot_id=memory, **counts)
    receipts = [ask(own, f"where do I park in {name}?") for _ in (first, again)]
    say(own, "My sister Ruth lives in Lyon", conversation="open")
    say(own, "I flew to Porto", conversation="aged")
    with tenant_tx(house.tenant.id):
        Snapshot.objects.filter(id=stale).update(last_validated_at=long_ago)
        for receipt, at in zip(receipts, (first, again), strict=True):
            Receipt.objects.filter(id=receipt.id).update(created_at=at)
            UsageEvent.objects.create(at=at, contexts=1, tokens_in_context=700)
        held = Conversation.objects.filter(subject=own.subject)
        Work.objects.filter(subject_id=own.subject.id).update(state=WorkState.DONE)
        held.filter(external_id="open").update(last_accepted_at=again)
        held.filter(external_id="aged").update(
            status=ConversationStatus.ENDED, last_accepted_at=utc_now() - ARCHIVE.after - timedelta(hours=2)
        )


def twice_at_once(work: Callable[[], Result]) -> list[Result]:
    """Do the same in two threads that begin together, each with a connection of its own."""
    together = Barrier(2)

    def one() -> Result:
        try:
            together.wait(10)
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        return [each.result() for each in [pool.submit(one) for _ in range(2)]]


def list_made(house: House) -> dict[str, list[object]]:
    """Return what all jobs together have made of a tenant, without ids."""
    with tenant_tx(house.tenant.id):
        return {name: list(rows) for name, rows in _rows()}


def _rows() -> Iterator[tuple[str, Iterable[object]]]:
    counted = SnapshotCounter.objects.values_list("snapshot__text", "injected", "calibrated_injected")
    yield "tallies", counted.order_by("snapshot__text")
    yield (
        "calibrations",
        Calibration.objects.order_by("subject__external_id", "rule").values_list("rule", "before", "after"),
    )
    yield "reviews", MemoryReview.objects.order_by("reason").values("reason", "decision").annotate(n=Count("id"))
    yield (
        "joined",
        Consolidation.objects.order_by("subject__external_id").values_list("subject__external_id", "undone_at"),
    )
    yield (
        "memories",
        Snapshot.objects.order_by("text")
        .values_list("text", "confidence")
        .annotate(n=Count("id"), over=Count("invalid_at")),
    )
    yield "words", Message.objects.order_by("archived").values_list("archived").annotate(n=Count("id"))
    yield "injected", ReceiptMemory.objects.order_by("lane").values_list("lane").annotate(n=Count("id"))
    yield "used", UsageDay.objects.order_by("day").values_list("day", "messages", "contexts", "tokens_in_context")
    yield "served", Indicator.objects.order_by("day").values_list("day").annotate(n=Sum("contexts"))
    yield "work", Work.objects.order_by("kind", "state").values_list("kind", "state").annotate(n=Count("id"))


@pytest.mark.slow
def test_each_job_twice_at_once_does_what_one_run_does(houses: tuple[House, House]) -> None:
    at_once, alone = houses
    for name in (name for name in ORDER if name in CARE):
        job = CARE[name]
        rows = run_by_hand(job.name, job.run, [alone.tenant.id]).rows
        each = twice_at_once(lambda: run_by_hand(job.name, job.run, [at_once.tenant.id]))  # noqa: B023 - done by then
        assert [tally.errors for tally in each] == [0, 0], name
        if name not in {"sweep-queue", "roll-up-indicators"}:  # these do the same again, and no harm
            assert sum(tally.rows for tally in each) == rows, name
    for day in DAYS:
        roll_up_indicators(alone.tenant.id, day)
        twice_at_once(lambda: roll_up_indicators(at_once.tenant.id, day))  # noqa: B023 - done by then
    made = list_made(at_once)
    assert made == list_made(alone)
    assert made["served"] == [(date(2026, 10, 25), 2), (date(2026, 11, 1), 2)], "each context once"
    assert len(made["calibrations"]) == len(PEOPLE) * len(RECEIVED)
    assert made["joined"] == [("New York", None)]
    assert made["words"] == [(False, len(PEOPLE)), (True, len(PEOPLE))]
    for name in (name for name in ORDER if name in CARE):
        twice_at_once(lambda: CARE[name].run(TenantTurn(at_once.tenant.id)))  # noqa: B023 - done by then
    assert list_made(at_once) == made, "and another two of each do nothing"


def test_two_who_ask_at_once_do_not_ask_more_than_there_is_room_for(world: World) -> None:
    house, few = world.acme, replace(REVIEW, open_most=20)
    long_ago = utc_now() - REVIEW.stale_after - timedelta(hours=2)
    remember(house, *(f"the parking place number {number}" for number in range(60)))
    with tenant_tx(house.tenant.id):
        Snapshot.objects.update(last_validated_at=long_ago)
    rows = twice_at_once(lambda: review_tenant(house.tenant.id, config=few))
    with tenant_tx(house.tenant.id):
        assert MemoryReview.objects.count() == sum(rows) == few.open_most

"""Every job of scheduled care, twice at once, while subjects are erased and spoken to. Rows: E3, E5, E6, E7, E8, E9."""

import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar
from uuid import UUID

import pytest
from django.db import connection

from memory_platform.kernel.clock import utc_now
from profiles.models import Subject
from profiles.services.subjects import ensure_subject
from snapshots.erasure.subject_tables import count_rows_left
from snapshots.erasure.subjects import erase_subject
from snapshots.jobs import ASKED, drain_work_job
from snapshots.models import Snapshot
from snapshots.queue.requested_jobs import run_due_jobs
from snapshots.scheduled_job_registry import CARE
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tenants.services.job_runs import RunTally, run_by_hand
from tests.conftest import House, World
from tests.snapshots.held import prefer, remember, say

pytestmark = pytest.mark.slow

NAMES = tuple(f"subject_{number}" for number in range(6))
RAMEN = ("I love spicy ramen noodles", "I really love spicy ramen noodles", "I love the spicy ramen noodles")
SEATS = ("我坐飞机喜欢靠窗的座位", "坐飞机我喜欢靠窗座位", "我坐飞机都喜欢靠窗的座位")
ROUNDS = 2

Result = TypeVar("Result")


def test_jobs_beside_each_other_and_beside_erasures_fail_at_nothing_and_bring_nothing_back(world: World) -> None:
    house, ids = world.acme, {}
    for name in NAMES:
        ids[name] = fill_subject(house, name)
    kept, erased = NAMES[:3], NAMES[3:]

    with ThreadPoolExecutor(4) as pool:
        rounds = [pool.submit(alone, lambda seed=seed: all_jobs(house, seed)) for seed in (1, 2)]
        leaving = pool.submit(alone, lambda: erase(house, erased))
        talking = pool.submit(alone, lambda: speak(house, kept))
        tallies = [tally for one in rounds for tally in one.result()]
        leaving.result()
        talking.result()
    drain_work_job(tenant_id=str(house.tenant.id))
    run_due_jobs(house.tenant.id, ASKED, may_go_on=lambda: True)
    all_jobs(house, 3)

    assert [tally.errors for tally in tallies] == [0] * (2 * ROUNDS * len(CARE))
    assert sum(tally.rows for tally in tallies) > 0
    with tenant_tx(house.tenant.id):
        assert {name: count_rows_left(ids[name]) for name in erased} == {name: {} for name in erased}
        assert set(Subject.objects.values_list("external_id", flat=True)) == {"ada", *kept}
        for name in kept:
            assert said_now(ids[name], "noodles") == 1, "what says the same three times is one memory, joined once"
            assert said_now(ids[name], "靠窗") in {1, len(SEATS)}, "joined whole or not at all"
            assert said_now(ids[name], "ticket") == 0
            told = Snapshot.objects.filter(subject_id=ids[name], text__contains="Porto", kind="statement")
            assert told.count() == ROUNDS


def fill_subject(house: House, name: str) -> UUID:
    """Give a subject what every job has something to do with: repeats, what is over, old talk, a belief."""
    with tenant_tx(house.tenant.id):
        subject = ensure_subject(name)
    own = replace(house, subject=subject)
    long_ago = utc_now() - timedelta(days=400)
    remember(own, *RAMEN, *SEATS)
    remember(own, "a parking ticket of long ago", said_at=long_ago, expires_at=long_ago + timedelta(days=1))
    prefer(own, "food", "drink", "green tea")
    say(own, "My sister Ruth lives in Lyon", conversation="old")
    return subject.id


def said_now(subject_id: UUID, word: str) -> int:
    """Return how many current memories hold the word."""
    return Snapshot.objects.filter(
        subject_id=subject_id, text__contains=word, invalid_at__isnull=True, retired_at__isnull=True
    ).count()


def all_jobs(house: House, seed: int) -> list[RunTally]:
    """Run every job of care over the tenant, in an order of its own."""
    order = random.Random(seed)  # noqa: S311 - an order, no secret
    tallies = []
    for _ in range(ROUNDS):
        for name in order.sample(sorted(CARE), len(CARE)):
            tallies.append(run_by_hand(name, CARE[name].run, [house.tenant.id]))
    return tallies


def erase(house: House, names: Sequence[str]) -> None:
    for name in names:
        erase_subject(house.tenant.id, name, by=COMMAND_LINE)


def speak(house: House, names: Sequence[str]) -> None:
    """Let each subject say something twice, worked at while the jobs run."""
    for name in names:
        with tenant_tx(house.tenant.id):
            own = replace(house, subject=Subject.objects.get(external_id=name))
        for number in range(ROUNDS):
            say(own, f"I flew to Porto for the {number + 1}. time", conversation="new")
            drain_work_job(tenant_id=str(house.tenant.id))


def alone(verb: Callable[[], Result]) -> Result:
    """Work in a thread with a connection of its own, closed when it is done."""
    try:
        return verb()
    finally:
        connection.close()

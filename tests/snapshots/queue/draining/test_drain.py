"""Work is done once, whatever the handlers do. Rows: C3. Matrix: 34, 35, 38."""

import random
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from uuid import UUID

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory_platform.kernel.errors import Unavailable
from profiles.models import Subject
from snapshots.models import Work, WorkKind
from snapshots.queue.config import QueueConfig
from snapshots.queue.draining.drain import drain_work
from snapshots.queue.draining.leases import claim_items, lock_leased
from snapshots.queue.metrics import count_work
from snapshots.queue.values import ClaimedWork, DrainReport, Handler
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.queue.world import (
    AT_ONCE,
    complete_only,
    expire_leases,
    handlers,
    leave_marks,
    make_due,
    marks,
    post_messages,
    raising,
    states,
)
from tests.time_limit import time_is_up_after

EXTRACT, STATEMENT = WorkKind.EXTRACT, WorkKind.STATEMENT


@pytest.fixture
def tenant_id(world: World) -> UUID:
    return world.acme.tenant.id


def test_everything_due_is_done_once(world: World, tenant_id: UUID) -> None:
    post_messages(tenant_id, world.acme.subject, 25)
    report = drain_work(tenant_id, handlers(leave_marks), config=QueueConfig(batch=10, subject_batch=10))
    assert report == DrainReport(done=50, failed=0, more=False)
    with tenant_tx(tenant_id):
        done = Work.objects.filter(state="done").values_list("pk", flat=True)
        assert sorted(marks().items()) == sorted((str(pk), 1) for pk in done)


def test_shuffled_and_doubled_wake_ups_change_nothing(world: World, tenant_id: UUID) -> None:
    wake_ups = []
    for house in (world.acme, world.globex):
        post_messages(house.tenant.id, house.subject, 120)
        wake_ups += [house.tenant.id] * 6
    random.Random(7).shuffle(wake_ups)  # noqa: S311 - a repeatable order
    policy = QueueConfig(batch=13, subject_batch=7)

    def wake(tenant_id: UUID) -> None:
        drain_work(tenant_id, handlers(leave_marks), config=policy)
        connection.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(wake, wake_ups))
    for house in (world.acme, world.globex):
        drain_work(house.tenant.id, handlers(leave_marks))
        with tenant_tx(house.tenant.id):
            assert states() == {"done": 240}
            assert set(marks().values()) == {1}
            assert len(marks()) == 240


def test_extractions_of_a_subject_happen_in_the_order_of_acceptance(world: World, tenant_id: UUID) -> None:
    messages = post_messages(tenant_id, world.acme.subject, 60)
    seen: list[UUID | None] = []

    def note_order(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
        leave_marks(tenant_id, items)
        seen.extend(item.message_id for item in items)

    def wake(_: int) -> None:
        drain_work(tenant_id, handlers(note_order, EXTRACT), config=QueueConfig(subject_batch=7))
        connection.close()

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(wake, range(6)))
    drain_work(tenant_id, handlers(note_order, EXTRACT))
    assert seen == [message.pk for message in messages]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "attempts"), [(STATEMENT, 8), (EXTRACT, 3)])
def test_among_a_thousand_only_the_poison_item_dies(
    world: World, tenant_id: UUID, kind: WorkKind, attempts: int
) -> None:
    poison = post_messages(tenant_id, world.acme.subject, 1_000)[500].pk
    handler = raising(lambda item: item.message_id == poison, ValueError("the user's own words"))
    for _ in range(attempts):
        drain_work(tenant_id, handlers(handler, kind), config=AT_ONCE)
    with tenant_tx(tenant_id):
        dead = Work.objects.get(kind=kind, state="dead")
        assert (dead.message_id, dead.attempts, dead.error_code) == (poison, attempts, "ValueError")
        assert states(kind) == {"done": 999, "dead": 1}
        assert set(marks().values()) == {1}
        assert set(Work.objects.filter(kind=kind, state="done").values_list("attempts", flat=True)) == {0}


def test_nothing_is_learned_past_a_failed_extraction_until_it_is_dead(world: World, tenant_id: UUID) -> None:
    messages = post_messages(tenant_id, world.acme.subject, 6)
    with tenant_tx(tenant_id):
        lin = Subject.objects.create(external_id="林")
    post_messages(tenant_id, lin, 2)
    poison = messages[2].pk
    handler = raising(lambda item: item.message_id == poison, KeyError("x"))
    for done in (4, 4, 7):  # two of Ada's before the poison and both of Lin's; at last the three after it
        drain_work(tenant_id, handlers(handler, EXTRACT))
        with tenant_tx(tenant_id):
            make_due()
            assert states(EXTRACT)["done"] == done
    with tenant_tx(tenant_id):
        assert states(EXTRACT) == {"done": 7, "dead": 1}


def test_an_outage_costs_no_attempts_and_pauses_its_kind(world: World, tenant_id: UUID) -> None:
    post_messages(tenant_id, world.acme.subject, 30)
    calls = []

    def down(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
        calls.append(len(items))
        raise Unavailable("embedding")

    report = drain_work(tenant_id, {STATEMENT: down, EXTRACT: leave_marks}, config=QueueConfig(batch=10))
    assert calls == [10]
    assert report.done == 30
    with tenant_tx(tenant_id):
        assert set(Work.objects.filter(kind=STATEMENT).values_list("state", "attempts")) == {("ready", 0)}
        assert set(Work.objects.filter(kind=STATEMENT).values_list("error_code", flat=True)) == {"", "unavailable"}
        make_due()
    assert drain_work(tenant_id, handlers(leave_marks)).done == 30


def test_an_outage_in_the_middle_of_a_poisoned_batch_puts_the_rest_back(world: World, tenant_id: UUID) -> None:
    messages = post_messages(tenant_id, world.acme.subject, 6)
    fourth = messages[3].pk

    def handler(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
        if len(items) > 1:
            raise RuntimeError
        if items[0].message_id == fourth:
            raise Unavailable
        leave_marks(tenant_id, items)

    report = drain_work(tenant_id, handlers(handler, EXTRACT))
    assert report == DrainReport(done=3, failed=0, more=False)
    with tenant_tx(tenant_id):
        assert states(EXTRACT) == {"done": 3, "ready": 3}
        assert set(Work.objects.filter(kind=EXTRACT).values_list("attempts", flat=True)) == {0}


def test_a_handler_that_forgets_items_does_not_look_done(world: World, tenant_id: UUID) -> None:
    post_messages(tenant_id, world.acme.subject, 4)
    report = drain_work(tenant_id, handlers(lambda tenant_id, items: leave_marks(tenant_id, items[1:]), STATEMENT))
    assert (report.done, report.failed) == (3, 1)
    with tenant_tx(tenant_id):
        assert Work.objects.get(state="ready", kind=STATEMENT).error_code == "not_completed"


def test_a_handler_that_lost_its_lease_writes_nothing_and_fails_nothing(world: World, tenant_id: UUID) -> None:
    post_messages(tenant_id, world.acme.subject, 4)
    late: list[int] = []

    def slow(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
        with tenant_tx(tenant_id):
            expire_leases()
        late.append(len(items))
        drain_work(tenant_id, handlers(leave_marks, STATEMENT))  # the other worker
        leave_marks(tenant_id, items)

    report = drain_work(tenant_id, handlers(slow, STATEMENT))
    assert report.failed == 0
    assert late == [4]
    with tenant_tx(tenant_id):
        assert states(STATEMENT) == {"done": 4}
        assert set(marks().values()) == {1}


def test_a_dead_workers_items_are_done_by_the_next(world: World, tenant_id: UUID) -> None:
    post_messages(tenant_id, world.acme.subject, 10)
    with tenant_tx(tenant_id):
        claim_items(STATEMENT)
        claim_items(EXTRACT)
    assert drain_work(tenant_id, handlers(leave_marks)).done == 0
    with tenant_tx(tenant_id):
        expire_leases()
    assert drain_work(tenant_id, handlers(leave_marks)).done == 20
    with tenant_tx(tenant_id):
        assert set(marks().values()) == {1}


def test_a_lease_is_kept_while_its_handler_computes(world: World, tenant_id: UUID) -> None:
    post_messages(tenant_id, world.acme.subject, 2)
    policy = QueueConfig(lease=timedelta(seconds=0.4), renew_every=timedelta(seconds=0.1))
    stolen = []

    def slow(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
        time.sleep(0.8)
        stolen.append(drain_work(tenant_id, handlers(leave_marks, STATEMENT), config=policy).done)
        leave_marks(tenant_id, items)

    assert drain_work(tenant_id, handlers(slow, STATEMENT), config=policy).done == 2
    assert stolen == [0]


def test_a_drain_ends_with_its_time_and_asks_for_more(world: World, tenant_id: UUID) -> None:
    post_messages(tenant_id, world.acme.subject, 10)
    policy = QueueConfig(batch=2, drain_budget=timedelta(0))
    report = drain_work(tenant_id, handlers(leave_marks, STATEMENT), config=policy)
    assert report == DrainReport(done=2, failed=0, more=True)


def test_nothing_accepted_is_unaccounted_for(world: World, tenant_id: UUID) -> None:
    messages = post_messages(tenant_id, world.acme.subject, 40)
    poison = {message.pk for message in messages[5:8]}
    handler = raising(lambda item: item.message_id in poison, ValueError())
    drain_work(tenant_id, handlers(handler, STATEMENT), config=QueueConfig(attempts=1))
    with tenant_tx(tenant_id):
        claim_items(EXTRACT, config=QueueConfig(subject_batch=11))
        counts = count_work()
    assert (counts.done, counts.dead, counts.leased, counts.ready, counts.removed) == (37, 3, 11, 29, 0)
    assert counts.accepted_total == 80


def test_the_queue_itself_costs_few_statements(world: World, tenant_id: UUID) -> None:
    post_messages(tenant_id, world.acme.subject, 1_000)
    with CaptureQueriesContext(connection) as asked:
        assert drain_work(tenant_id, handlers(complete_only)).done == 2_000
    assert len(asked) < 400, "items go in batches"


def test_a_database_that_ends_its_sessions_costs_no_attempt(world: World, tenant_id: UUID) -> None:
    post_messages(tenant_id, world.acme.subject, 4)
    sessions_ended = 0

    def handler(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
        nonlocal sessions_ended
        if sessions_ended < 5:
            sessions_ended += 1
            with tenant_tx(tenant_id), connection.cursor() as cursor:
                cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        leave_marks(tenant_id, items)

    for _ in range(5):
        drain_work(tenant_id, handlers(handler, EXTRACT), config=AT_ONCE)
        with tenant_tx(tenant_id):
            assert set(Work.objects.filter(kind=EXTRACT).values_list("state", "attempts")) == {("ready", 0)}
    drain_work(tenant_id, handlers(handler, EXTRACT), config=AT_ONCE)
    with tenant_tx(tenant_id):
        assert states(EXTRACT) == {"done": 4}
        assert set(marks().values()) == {1}


def test_a_worker_whose_time_is_up_gives_its_items_away_at_once(world: World, tenant_id: UUID) -> None:
    post_messages(tenant_id, world.acme.subject, 3)
    began: list[int] = []

    def slow(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
        began.append(len(items))
        time.sleep(20)

    with time_is_up_after(0.5), pytest.raises(SoftTimeLimitExceeded):
        drain_work(tenant_id, handlers(slow))
    assert began == [3], "neither one by one nor the next kind"
    with tenant_tx(tenant_id):
        assert states(STATEMENT) == {"leased": 3}
        assert set(Work.objects.values_list("attempts", "error_code")) == {(0, "")}
    assert drain_work(tenant_id, handlers(leave_marks)) == DrainReport(done=6, failed=0, more=False)
    with tenant_tx(tenant_id):
        assert set(marks().values()) == {1}
        assert set(Work.objects.filter(kind=STATEMENT).values_list("attempts", flat=True)) == {1}


@pytest.mark.slow
def test_a_statement_that_outlasts_the_workers_time_does_not_keep_it(world: World, tenant_id: UUID) -> None:
    """The server goes on with it for a while, and holds the items: then their lease runs out by itself."""
    post_messages(tenant_id, world.acme.subject, 1)

    def stuck(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
        with tenant_tx(tenant_id), connection.cursor() as cursor:
            lock_leased(items)
            cursor.execute("SELECT pg_sleep(3)")

    with time_is_up_after(0.5), pytest.raises(SoftTimeLimitExceeded):
        drain_work(tenant_id, handlers(stuck, STATEMENT))
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query = 'SELECT pg_sleep(3)'")
        assert cursor.fetchone() == (1,), "the worker waited for the statement"
    with tenant_tx(tenant_id):
        assert states(STATEMENT) == {"leased": 1}
        expire_leases()
    assert drain_work(tenant_id, handlers(leave_marks, STATEMENT)).done == 1


def test_an_item_that_never_ends_dies_at_last_and_nobody_with_it(world: World, tenant_id: UUID) -> None:
    poison = post_messages(tenant_id, world.acme.subject, 5)[2].id

    def handler(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
        if poison in {item.message_id for item in items}:
            raise SoftTimeLimitExceeded
        leave_marks(tenant_id, items)

    for _ in range(2 * AT_ONCE.attempts):
        with suppress(SoftTimeLimitExceeded):
            drain_work(tenant_id, handlers(handler, STATEMENT), config=AT_ONCE)
    with tenant_tx(tenant_id):
        assert states(STATEMENT) == {"done": 4, "dead": 1}
        assert Work.objects.get(kind=STATEMENT, state="dead").message_id == poison


class WorkerKilled(BaseException):
    """What a handler raises to leave its leases behind, as a dead process does."""


def drain_with_a_new_worker_for_each_killed_one(tenant_id: UUID, handler: Handler, config: QueueConfig) -> None:
    for _ in range(400):
        with suppress(WorkerKilled):
            drain_work(tenant_id, handlers(handler), config=config)
            return
        with tenant_tx(tenant_id):
            expire_leases()


@pytest.mark.parametrize("seed", range(4))
def test_items_that_kill_their_worker_die_and_nobody_with_them(world: World, tenant_id: UUID, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a repeatable order
    policy = QueueConfig(batch=9, subject_batch=6, backoff=timedelta(0))
    with tenant_tx(tenant_id):
        subjects = [Subject.objects.create(external_id=f"s{n}") for n in range(4)]
    for subject in subjects:
        post_messages(tenant_id, subject, 12)
    with tenant_tx(tenant_id):
        items = list(Work.objects.values_list("pk", "kind"))
        for work_id, kind in items:  # some have failed before, up to their last chance
            failures = chance.choice([0, 0, 0, policy.get_attempt_limit(WorkKind(kind)) - 1, chance.randint(0, 2)])
            Work.objects.filter(pk=work_id).update(attempts=failures, error_code="ValueError" if failures else "")
    deadly = {work_id for work_id, _ in chance.sample(items, 5)}
    kills: Counter[UUID] = Counter()

    def handler(tenant_id: UUID, batch: Sequence[ClaimedWork]) -> None:
        if killers := [item.id for item in batch if item.id in deadly]:
            kills.update(killers[:1])
            raise WorkerKilled
        if chance.random() < 0.1:
            raise WorkerKilled if len(batch) > 1 else ValueError  # others die, or fail, by chance
        leave_marks(tenant_id, batch)

    drain_with_a_new_worker_for_each_killed_one(tenant_id, handler, policy)
    with tenant_tx(tenant_id):
        dead = set(Work.objects.filter(state="dead", error_code="lease_expired").values_list("pk", flat=True))
        assert dead == deadly
        assert set(states()) == {"done", "dead"}
        assert set(marks().values()) == {1}
    assert max(kills.values()) <= policy.attempts + 1

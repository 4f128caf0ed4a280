"""The last step of a subject's erasure meets those who still write: nobody waits in a circle, all counts. Rows: E8, C3.

Work items are removed before the subject is locked, as a worker takes them, and once more after it: what was posted
between the two is no longer anybody's.
"""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from django.db import connection

from profiles.models import Erasure, Subject
from profiles.selectors import subject_by_external_id
from snapshots.erasure import subjects as erasing
from snapshots.erasure.config import ErasureConfig
from snapshots.erasure.subjects import erase_subject
from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from snapshots.jobs import ASKED
from snapshots.models import Conversation, Work
from snapshots.queue.metrics import count_work
from snapshots.queue.requested_jobs import run_due_jobs
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World

PATIENCE = 60.0
BY_A_JOB = ErasureConfig(at_once_rows=-1)


@pytest.fixture
def others() -> Iterator[ThreadPoolExecutor]:
    """Threads for those who write meanwhile, each with its own connection."""
    with ThreadPoolExecutor(2) as pool:
        yield pool


def elsewhere(pool: ThreadPoolExecutor, house: House, verb: Callable[[], None]) -> Future[None]:
    """Run ``verb`` in a transaction of its own, in another thread."""

    def work() -> None:
        try:
            with tenant_tx(house.tenant.id):
                verb()
        finally:
            connection.close()

    return pool.submit(work)


def until_one_waits_for_a_lock() -> None:
    ends = time.monotonic() + PATIENCE
    with connection.cursor() as cursor:
        while True:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
            )
            if cursor.fetchone()[0]:
                return
            assert time.monotonic() < ends, "nobody waits"
            time.sleep(0.02)


def before_the_last_step(monkeypatch: pytest.MonkeyPatch, verb: Callable[[], object]) -> None:
    """Have ``verb`` run when all batches of an erasure are deleted and the last transaction is about to begin."""
    real = erasing._delete_rest

    def after(*args: object) -> object:
        verb()
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(erasing, "_delete_rest", after)


def finish(house: House) -> None:
    run_due_jobs(house.tenant.id, ASKED, may_go_on=lambda: True)


def test_what_is_posted_before_the_subject_is_locked_is_counted_as_removed(
    world: World, others: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, written = world.acme, threading.Event()
    with tenant_tx(house.tenant.id):
        known = subject_by_external_id("ada")  # as a request that began before the erasure knows it

    def post() -> None:
        accept_messages(known, "late", [IncomingMessage(role="user", content="I moved to Porto too late")])
        written.set()
        until_one_waits_for_a_lock()  # the erasure, for the subject: it saw none of this when it removed the work

    late: list[Future[None]] = []

    def post_elsewhere() -> None:
        late.append(elsewhere(others, house, post))
        assert written.wait(PATIENCE)

    before_the_last_step(monkeypatch, post_elsewhere)
    erase_subject(house.tenant.id, "ada", by=COMMAND_LINE, config=BY_A_JOB)
    finish(house)

    assert late[0].exception(PATIENCE) is None
    with tenant_tx(house.tenant.id):
        counts, erasure = count_work(), Erasure.objects.get()
        assert not Work.objects.exists()
    assert counts.accepted_total == counts.removed == erasure.erased["work"] > 0
    assert (erasure.state, erasure.verified["rows_left"]) == ("done", {})


def test_a_worker_that_holds_an_item_and_then_needs_the_subject_is_waited_for(
    world: World, others: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, held = world.acme, threading.Event()
    with tenant_tx(house.tenant.id):
        known = subject_by_external_id("ada")

    def work_at_it() -> None:
        item = Work.objects.select_for_update().get()
        held.set()
        until_one_waits_for_a_lock()  # the erasure
        Conversation.objects.create(subject=known, external_id=f"made of {item.kind}")  # its key locks the subject

    worker: list[Future[None]] = []

    def hold_elsewhere() -> None:
        with tenant_tx(house.tenant.id):
            accept_messages(known, "late", [IncomingMessage(role="user", content="I moved to Porto too late")])
            Work.objects.exclude(id=Work.objects.order_by("position").values("id")[:1]).delete()
        worker.append(elsewhere(others, house, work_at_it))
        assert held.wait(PATIENCE)

    before_the_last_step(monkeypatch, hold_elsewhere)
    erase_subject(house.tenant.id, "ada", by=COMMAND_LINE, config=BY_A_JOB)
    finish(house)

    assert worker[0].exception(PATIENCE) is None  # a circle would have ended one of the two
    with tenant_tx(house.tenant.id):
        erasure = Erasure.objects.get()
        assert not Subject.objects.exists()
    assert (erasure.state, erasure.verified["rows_left"]) == ("done", {})

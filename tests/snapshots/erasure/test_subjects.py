"""Erasing a subject while others write to it, die at it, or hold it in memory. Rows: E8. Matrix: 57, 60."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count

import pytest
from django.db import DatabaseError, connection
from django.db.models.functions import Now

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import MemoryPlatformError
from memory_platform.providers.redis.client import redis_client
from profiles.models import Erasure, Subject
from profiles.selectors import subject_by_external_id
from profiles.services.erasure_certificates import build_certificate, is_genuine
from profiles.services.subjects import ensure_subject
from snapshots.erasure import subjects as erasing
from snapshots.erasure.config import ERASURE_CONFIG, ErasureConfig
from snapshots.erasure.subject_tables import count_rows_left, list_subject_tables
from snapshots.erasure.subjects import erase_subject, run_erasure
from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from snapshots.jobs import ASKED, drain_work_job
from snapshots.models import Conversation, Job, Message, Snapshot, Work
from snapshots.queue.metrics import count_work
from snapshots.queue.requested_jobs import claim_job, run_due_jobs
from snapshots.queue.values import LeaseLost
from snapshots.recall.pipeline import recall
from snapshots.recall.values import RecallQuery
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.memory_platform.api.wall import rows_of
from tests.snapshots.held import say

CANARY = "Kestrel4711"
SMALL = ErasureConfig(at_once_rows=3, batch=2)


def erase(house: House, config: ErasureConfig = ERASURE_CONFIG) -> tuple[Erasure, Job]:
    return erase_subject(house.tenant.id, "ada", by=COMMAND_LINE, config=config)


def finish(house: House) -> None:
    run_due_jobs(house.tenant.id, ASKED, may_go_on=lambda: True)


def elsewhere(pool: ThreadPoolExecutor, verb: Callable[[], object]) -> object:
    def work() -> object:
        try:
            return verb()
        finally:
            connection.close()

    return pool.submit(work)


def hits(house: House) -> list[str]:
    return [table for table, rows in rows_of(house.tenant.id).items() if any(CANARY in row for row in rows)]


def test_tables_leave_before_those_that_they_refer_to(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        order = [table.name for table in list_subject_tables()]
    assert order.index("snapshot_source") < order.index("message") < order.index("conversation")
    assert order.index("snapshot_words") < order.index("snapshot")
    assert {"work", "receipt", "forgotten", "idempotent_reply"} <= set(order)


def test_a_worker_that_dies_in_the_middle_is_followed_by_the_next(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(world.acme, *(f"{CANARY} number {number}" for number in range(9)))
    drain_work_job(tenant_id=str(world.acme.tenant.id))
    with tenant_tx(world.acme.tenant.id):
        before = {
            table.name: rows for table in list_subject_tables() if (rows := count_left(world.acme).get(table.name))
        }
        accepted = count_work().accepted_total
    erase(world.acme, SMALL)
    with tenant_tx(world.acme.tenant.id):
        taken = claim_job()
    assert taken is not None
    with monkeypatch.context() as patched:
        patched.setattr(erasing, "_delete_batch", dying_at_the_seventh())
        with pytest.raises(KeyboardInterrupt):
            run_erasure(world.acme.tenant.id, taken, SMALL)
    with tenant_tx(world.acme.tenant.id):
        assert Message.objects.exists()
        Job.objects.update(lease_until=datetime(2020, 1, 1, tzinfo=UTC))

    finish(world.acme)

    with pytest.raises(LeaseLost):
        run_erasure(world.acme.tenant.id, taken, SMALL)  # who comes back from the dead changes nothing
    with tenant_tx(world.acme.tenant.id):
        erasure = Erasure.objects.get()
        assert (erasure.state, erasure.verified["rows_left"]) == ("done", {})
        assert is_genuine(build_certificate(erasure))
        assert {table: erasure.erased[table] for table in before} == before
        assert erasure.erased["subject"] == 1
        counts = count_work()
    assert counts.accepted_total == counts.removed == accepted
    assert hits(world.acme) == []


def dying_at_the_seventh() -> Callable[..., int]:
    """Return the deletion of a batch by a worker that dies before its seventh."""
    real, calls = erasing._delete_batch, count(1)

    def delete(*args: object) -> int:
        if next(calls) == 7:
            raise KeyboardInterrupt
        return real(*args)  # type: ignore[arg-type]

    return delete


def count_left(house: House) -> dict[str, int]:
    return count_rows_left(Subject.objects.get(external_id="ada").id)


MOST_POSTED = 400
"""What is posted is worked on before the test ends, on a busy machine, too."""


@pytest.mark.slow
def test_writers_that_race_the_erasure_leave_nothing_behind(world: World) -> None:
    """Four writers post and two workers drain while the subject is erased again and again."""
    house, stop, posted = world.acme, threading.Event(), count()

    def write() -> None:
        while not stop.is_set():
            number = next(posted)
            stop.wait(0.04)  # so that all erasures meet posts, and there is little to work on when they have
            if number > MOST_POSTED:
                continue
            with suppress(DatabaseError, MemoryPlatformError), tenant_tx(house.tenant.id):
                subject = ensure_subject("ada")
                incoming = [IncomingMessage(role="user", content=f"{CANARY} I like tea number {number}")]
                accept_messages(subject, f"c{number % 5}", incoming)

    def work() -> None:
        while not stop.is_set():
            drain_work_job(tenant_id=str(house.tenant.id))
            time.sleep(0.01)

    with ThreadPoolExecutor(8) as pool:
        running = [elsewhere(pool, write) for _ in range(4)] + [elsewhere(pool, work) for _ in range(2)]
        for _ in range(4):
            time.sleep(0.4)
            with suppress(MemoryPlatformError):
                erase(house, SMALL if next(posted) % 2 else ERASURE_CONFIG)
        stop.set()
    assert all(one.exception() is None for one in running)  # type: ignore[attr-defined]
    finish(house)
    with suppress(MemoryPlatformError):
        erase(house)
    finish(house)

    assert hits(house) == []
    assert_all_is_proven(house)


def assert_all_is_proven(house: House) -> None:
    with tenant_tx(house.tenant.id):
        assert not Subject.objects.exists()
        assert {row.state for row in Erasure.objects.all()} == {"done"}
        assert all(row.verified["rows_left"] == {} for row in Erasure.objects.all())
        assert not Work.objects.exists()
        assert count_work().removed > 0


def test_a_post_that_began_before_is_erased_with_the_rest(world: World) -> None:
    house = world.acme
    read, go_on = threading.Event(), threading.Event()

    def post() -> None:
        with tenant_tx(house.tenant.id):
            subject = subject_by_external_id("ada")
            read.set()
            go_on.wait(20)
            accept_messages(subject, "late", [IncomingMessage(role="user", content=f"{CANARY} too late")])

    with ThreadPoolExecutor(1) as pool:
        late = elsewhere(pool, post)
        assert read.wait(20)
        erase(house, ErasureConfig(at_once_rows=-1))
        go_on.set()
        assert late.exception(20) is None  # type: ignore[attr-defined]
    assert "message" in hits(house)  # accepted, for a subject that nobody can name any more
    with tenant_tx(house.tenant.id):
        conversation = Conversation.objects.get()

    finish(house)

    assert hits(house) == []
    held = redis_client().call("tests", lambda client: client.hget(f"w:{house.tenant.id}:{conversation.id}", "turns"))
    assert not held
    with tenant_tx(house.tenant.id):
        counts = count_work()
    assert counts.accepted_total == counts.removed == 2


@pytest.mark.slow
def test_work_that_comes_in_while_rows_leave_is_counted(world: World) -> None:
    house = world.acme
    read, go_on, written, commit = (threading.Event() for _ in range(4))

    def post() -> None:
        with tenant_tx(house.tenant.id):
            subject = subject_by_external_id("ada")
            read.set()
            go_on.wait(20)
            accept_messages(subject, "late", [IncomingMessage(role="user", content=f"{CANARY} too late")])
            written.set()
            commit.wait(20)

    with ThreadPoolExecutor(2) as pool:
        late = elsewhere(pool, post)
        assert read.wait(20)
        erase(house, ErasureConfig(at_once_rows=-1))
        go_on.set()
        assert written.wait(20)
        eraser = elsewhere(pool, lambda: finish(house))
        time.sleep(1.0)  # it waits for the post, which holds the subject's key
        assert not eraser.done()  # type: ignore[attr-defined]
        commit.set()
        assert (late.exception(20), eraser.exception(20)) == (None, None)  # type: ignore[attr-defined]

    with tenant_tx(house.tenant.id):
        counts, erasure = count_work(), Erasure.objects.get()
    assert counts.accepted_total == counts.removed == 2
    assert (erasure.erased["work"], erasure.erased["message"]) == (2, 1)


def test_an_image_in_memory_answers_nothing_once_the_erasure_is_accepted(world: World) -> None:
    say(world.acme, f"{CANARY} is the name of my falcon")
    drain_work_job(tenant_id=str(world.acme.tenant.id))
    query = RecallQuery(text="What is my falcon called?", asked_at=utc_now())
    for _ in "12":
        assert recall(world.acme.tenant.id, "ada", query).memories

    erase(world.acme, SMALL)

    assert recall(world.acme.tenant.id, "ada", query).memories == ()
    with tenant_tx(world.acme.tenant.id):
        assert Snapshot.objects.exists()


@pytest.mark.slow
def test_sixty_thousand_rows_leave_by_a_job(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        subject = subject_by_external_id("ada")
        conversation = Conversation.objects.create(subject=subject, external_id="long")
        connection.cursor().execute(
            "INSERT INTO message (tenant_id, id, subject_id, conversation_id, external_id, seq, role, content,"
            " tool_call_id, metadata, remember, content_hash, tokens, said_at, accepted_at)"
            " SELECT %s, gen_random_uuid(), %s, %s, 'm' || n, n, 'user', %s || n, '', '{}', true, '', 1, now(), now()"
            " FROM generate_series(1, 60000) n",
            [world.acme.tenant.id, subject.id, conversation.id, f"{CANARY} "],
        )

    erasure, job = erase(world.acme)
    assert (erasure.state, job.status) == ("running", "queued")
    with tenant_tx(world.acme.tenant.id):
        assert Message.objects.count() == 60_000, "whoever asks waits for none of them"
        assert not Subject.objects.filter(external_id="ada").exists()
    finish(world.acme)

    with tenant_tx(world.acme.tenant.id):
        done, ended = Erasure.objects.get(), Job.objects.get()
        assert (done.erased["message"], done.verified["rows_left"]) == (60_000, {})
        assert (ended.status, ended.done, ended.total) == ("succeeded", 50_001, 50_001)
        assert Job.objects.filter(ended_at__lte=Now()).exists()
    assert hits(world.acme) == []

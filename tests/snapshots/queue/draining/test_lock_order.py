"""Workers and deletions meet at the same items and never wait for each other in a circle. Rows: C3."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from typing import TypeVar
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Now

from snapshots.models import Conversation, Message, Work, WorkKind
from snapshots.queue.draining.leases import claim_items, fail_items, lock_leased, release_items, renew_leases
from snapshots.queue.metrics import (
    count_work,
    remove_work,
    remove_work_of_conversation,
    remove_work_of_messages,
)
from snapshots.queue.values import ClaimedWork
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.queue.world import complete_only, post_messages

EXTRACT, STATEMENT = WorkKind.EXTRACT, WorkKind.STATEMENT
SECONDS = 20.0

T = TypeVar("T")


@pytest.fixture
def tenant_id(world: World) -> UUID:
    return world.acme.tenant.id


@pytest.fixture
def others() -> Iterator[ThreadPoolExecutor]:
    """Threads for what must happen meanwhile, each with its own connection."""
    with ThreadPoolExecutor(4) as pool:
        yield pool


def elsewhere(others: ThreadPoolExecutor, tenant_id: UUID, verb: Callable[[], T]) -> Future[T]:
    """Run ``verb`` in a transaction of its own, in another thread."""

    def work() -> T:
        try:
            with tenant_tx(tenant_id):
                return verb()
        finally:
            connection.close()

    return others.submit(work)


def until(condition: Callable[[], bool]) -> None:
    ends = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < ends, "it did not come to pass"
        time.sleep(0.02)


def waiting() -> int:
    """Return how many sessions wait for another's lock."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE wait_event_type = 'Lock' AND usename = current_user AND datname = current_database()"
        )
        return int(cursor.fetchone()[0])


def lock(kind: WorkKind, message: Message) -> None:
    Work.objects.select_for_update().get(kind=kind, message_id=message.pk)


def is_locked(kind: WorkKind, message: Message) -> bool:
    with transaction.atomic():
        free = Work.objects.select_for_update(skip_locked=True).filter(kind=kind, message_id=message.pk)
        found = bool(free.values_list("pk"))
        transaction.set_rollback(True)
    return not found


def stored_backwards(tenant_id: UUID, kind: WorkKind, messages: list[Message]) -> None:
    """Let the items lie in the table in the other order than that of their positions."""
    for message in reversed(messages):
        with tenant_tx(tenant_id):
            Work.objects.filter(kind=kind, message_id=message.pk).update(
                due_at=Now(), lease_until=F("lease_until") + timedelta(seconds=1)
            )


def assert_locks_by_position(
    tenant_id: UUID, others: ThreadPoolExecutor, kind: WorkKind, messages: list[Message], verb: Callable[[], object]
) -> None:
    """Run ``verb`` while the second of three items is locked: it must hold the first meanwhile, and not the third."""

    def through_the_table() -> object:
        """Meet the rows as they lie, which a plan is free to do."""
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off")
        return verb()

    with tenant_tx(tenant_id):
        lock(kind, messages[1])
        result = elsewhere(others, tenant_id, through_the_table)
        until(lambda: waiting() == 1)
        locked = elsewhere(others, tenant_id, lambda: [is_locked(kind, message) for message in messages])
        assert locked.result(SECONDS) == [True, True, False]
    result.result(SECONDS)


def removals(messages: list[Message]) -> dict[str, Callable[[], object]]:
    ids = [message.pk for message in messages]
    return {
        "conversation": lambda: remove_work_of_conversation(Conversation.objects.get(external_id="trip")),
        "messages": lambda: remove_work_of_messages(ids),
        "items": lambda: remove_work(list(Work.objects.filter(message_id__in=ids).values_list("pk", flat=True))),
    }


@pytest.mark.parametrize("removal", ["conversation", "messages", "items"])
def test_what_removes_items_locks_them_by_position(
    world: World, tenant_id: UUID, others: ThreadPoolExecutor, removal: str
) -> None:
    messages = post_messages(tenant_id, world.acme.subject, 3)
    stored_backwards(tenant_id, EXTRACT, messages)
    assert_locks_by_position(tenant_id, others, EXTRACT, messages, removals(messages)[removal])
    with tenant_tx(tenant_id):
        assert count_work().removed == 6


HOLDERS: dict[str, Callable[[list[ClaimedWork]], object]] = {
    "hold": lock_leased,
    "renew": renew_leases,
    "release": release_items,
    "fail": lambda items: fail_items(items, "boom"),
}


@pytest.mark.parametrize("verb", HOLDERS)
def test_what_the_holder_of_a_lease_does_locks_by_position(
    world: World, tenant_id: UUID, others: ThreadPoolExecutor, verb: str
) -> None:
    messages = post_messages(tenant_id, world.acme.subject, 3)
    with tenant_tx(tenant_id):
        items = claim_items(STATEMENT)
    stored_backwards(tenant_id, STATEMENT, messages)
    assert_locks_by_position(tenant_id, others, STATEMENT, messages, lambda: HOLDERS[verb](items))


def test_a_claim_waits_for_nobody_and_leaves_out_what_follows_a_locked_item(
    world: World, tenant_id: UUID, others: ThreadPoolExecutor
) -> None:
    messages = post_messages(tenant_id, world.acme.subject, 4)
    with tenant_tx(tenant_id):
        lock(EXTRACT, messages[2])
        items = elsewhere(others, tenant_id, lambda: claim_items(EXTRACT)).result(SECONDS)
    assert [item.message_id for item in items] == [message.pk for message in messages[:2]]


@pytest.mark.slow
def test_claims_and_deletions_at_once_end_without_a_deadlock(
    world: World, tenant_id: UUID, others: ThreadPoolExecutor
) -> None:
    """Many rounds at the same subject: conversations are deleted while their items are claimed and done."""
    rounds = 25
    for number in range(rounds):
        messages = post_messages(tenant_id, world.acme.subject, 40, f"c{number}")
        stored_backwards(tenant_id, EXTRACT, messages)

    def work() -> int:
        done = 0
        for number in range(rounds):
            with tenant_tx(tenant_id):
                items = claim_items((EXTRACT, STATEMENT)[number % 2])
            complete_only(tenant_id, items)
            done += len(items)
        connection.close()
        return done

    workers = [others.submit(work) for _ in range(2)]
    removed = 0
    for number in range(rounds):
        with tenant_tx(tenant_id):
            removed += remove_work_of_conversation(Conversation.objects.get(external_id=f"c{number}"))
    for worker in workers:
        worker.result(60)
    with tenant_tx(tenant_id):
        assert removed == count_work().removed
        assert count_work().accepted_total == rounds * 80

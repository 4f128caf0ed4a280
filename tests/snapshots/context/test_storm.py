"""A subject whose memory changes all the time gets its context all the same, and never one that shows what is gone.
Rows: G1, X1, E6."""

import random
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from uuid import UUID

import pytest
from django.db import connection

from memory_platform.kernel.errors import NotFound
from profiles.services.subjects import ensure_subject
from snapshots.context.pipeline import (
    ContextAnswer,
    ContextCall,
    build_context,
    draft_context,
    record_receipt_alone,
    record_receipt_or_retry,
)
from snapshots.context.values import ContextRequest
from snapshots.embedding.snapshot_store import begin_memory_epoch
from snapshots.erasure.conversations import delete_conversation
from snapshots.erasure.subjects import erase_subject
from snapshots.intake.conversation_rows import lock_conversation
from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from snapshots.models import Receipt, Snapshot
from snapshots.receipts.values import ContextOutdated
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.snapshots.context.world import all_content, words_in
from tests.snapshots.held import know, remember, say

CONTEXTS, STORMS = 15, 2
ASKED = ContextCall(ContextRequest("Which number is it? 是几号？"), "1", "now", tasks=True)


def alone(house: House) -> ContextAnswer:
    return build_context(house.tenant.id, "ada", ASKED)


def in_an_open_scope(house: House) -> ContextAnswer:
    """As a request with an Idempotency-Key leaves it."""
    draft = draft_context(house.tenant.id, "ada", ASKED)
    with tenant_tx(house.tenant.id):
        return record_receipt_or_retry(draft)


@contextmanager
def storm(blow: Callable[[random.Random], None]) -> Iterator[None]:
    """Let threads do the same without a pause while the block runs; what they raise is raised."""
    over = threading.Event()

    def blowing(seed: int) -> None:
        chance = random.Random(seed)  # noqa: S311 - which number, not which secret
        try:
            while not over.is_set():
                blow(chance)
        finally:
            connection.close()

    with ThreadPoolExecutor(STORMS) as threads:
        running = [threads.submit(blowing, seed) for seed in range(STORMS)]
        try:
            yield
        finally:
            over.set()
        for thread in running:
            thread.result()


@pytest.fixture
def numbered_id(world: World) -> UUID:
    """A memory of Ada's that says a number."""
    know(world.acme, name="Ada")
    say(world.acme, "Hello there", conversation="now")
    return remember(world.acme, "It is number 0, 是0号")[0]


def renumber(house: House, memory: UUID, number: int) -> None:
    with tenant_tx(house.tenant.id):
        held = Snapshot.objects.get(id=memory)
        begin_memory_epoch(house.subject.id, changed=[held.position])
        Snapshot.objects.filter(id=memory).update(text=f"It is number {number}, 是{number}号")


@pytest.mark.slow
@pytest.mark.parametrize("made", [alone, in_an_open_scope])
def test_a_memory_that_changes_all_the_time_is_told_each_time(
    world: World, numbered_id: UUID, made: Callable[[House], ContextAnswer]
) -> None:
    house = world.acme
    with storm(lambda chance: renumber(house, numbered_id, chance.randrange(10**6))):
        built = [made(house) for _ in range(CONTEXTS)]
        outdated = sum(is_outdated(house) for _ in range(CONTEXTS))
    assert outdated > CONTEXTS // 5, "no storm: what is made freely is hardly ever outdated"
    for one in built:
        told = words_in(all_content(one.context.messages))
        assert any(text.startswith("It is number ") for text in told)
    with tenant_tx(house.tenant.id):
        assert Receipt.objects.count() == 2 * CONTEXTS - outdated


def is_outdated(house: House) -> bool:
    draft = draft_context(house.tenant.id, "ada", ASKED)
    try:
        record_receipt_alone(house.tenant.id, draft)
    except ContextOutdated:
        return True
    return False


def test_conversations_and_subjects_that_come_and_go_hinder_nobody(world: World, numbered_id: UUID) -> None:
    house = world.acme

    def blow(chance: random.Random) -> None:
        if chance.random() < 0.1:
            with suppress(NotFound):
                erase_subject(house.tenant.id, "ada", by=COMMAND_LINE)
        with suppress(NotFound), tenant_tx(house.tenant.id):
            accept_messages(ensure_subject("ada"), "now", [IncomingMessage(role="user", content="你好")])
        with suppress(NotFound), tenant_tx(house.tenant.id):
            delete_conversation(lock_conversation("ada", "now"))

    with storm(blow):
        for number in range(CONTEXTS):
            built = (alone, in_an_open_scope)[number % 2](house)
            assert built.context.messages[-1]["content"] == ASKED.request.query


def test_others_wait_for_a_context_that_holds_the_memory(world: World, numbered_id: UUID) -> None:
    """What was read stays until the receipt is written: the same in both."""
    house = world.acme
    with storm(lambda chance: renumber(house, numbered_id, chance.randrange(10**6))):
        for _ in range(CONTEXTS):
            draft = draft_context(house.tenant.id, "ada", ASKED)
            with tenant_tx(house.tenant.id):
                built = record_receipt_or_retry(draft)
                now = Snapshot.objects.get(id=numbered_id).text
            told = words_in(all_content(built.context.messages))
            assert built.context is draft.context or now in told

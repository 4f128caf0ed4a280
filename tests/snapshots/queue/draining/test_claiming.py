"""Which work a claim takes, in which order, and how abandoned work is taken over. Rows: C3. Matrix: 32."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Barrier, Thread
from uuid import UUID

import pytest
from django.db import connection
from django.db.models.functions import Now

from profiles.models import Subject
from snapshots.models import Conversation, Work, WorkKind, WorkState
from snapshots.queue.config import QueueConfig
from snapshots.queue.draining.leases import (
    claim_items,
    complete_items,
    fail_items,
    find_due_kinds,
    lock_leased,
    take_over_items,
)
from snapshots.queue.enqueue import end_conversation
from snapshots.queue.values import ClaimedWork
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.queue.world import AT_ONCE, expire_leases, post, post_messages, start_conversation, states

EXTRACT, STATEMENT = WorkKind.EXTRACT, WorkKind.STATEMENT


def claim_now(tenant_id: UUID, kind: WorkKind, config: QueueConfig = AT_ONCE) -> list[ClaimedWork]:
    with tenant_tx(tenant_id):
        return claim_items(kind, config=config)


@contextmanager
def another_worker(tenant_id: UUID, kind: WorkKind, config: QueueConfig) -> Iterator[list[ClaimedWork]]:
    """Claim in another connection whose transaction stays open for the length of the block."""
    items: list[ClaimedWork] = []
    with another_session(tenant_id, lambda: items.extend(claim_items(kind, config=config))):
        yield items


@contextmanager
def another_session(tenant_id: UUID, first: Callable[[], object]) -> Iterator[None]:
    """Do something in another connection whose transaction stays open for the length of the block."""
    inside, leave = Barrier(2), Barrier(2)

    def work() -> None:
        with tenant_tx(tenant_id):
            first()
            inside.wait(5)
            leave.wait(5)
        connection.close()

    thread = Thread(target=work)
    thread.start()
    inside.wait(5)
    try:
        yield
    finally:
        leave.wait(5)
        thread.join()


def locking(kind: WorkKind, message_id: UUID) -> Callable[[], object]:
    """Return what locks one item until its transaction ends."""
    return lambda: Work.objects.select_for_update().get(kind=kind, message_id=message_id)


def test_a_claim_takes_a_batch_and_leaves_the_rest(world: World) -> None:
    post_messages(world.acme.tenant.id, world.acme.subject, 5)
    items = claim_now(world.acme.tenant.id, STATEMENT, QueueConfig(batch=3))
    assert len(items) == 3
    assert len({item.lease_token for item in items}) == 1
    with tenant_tx(world.acme.tenant.id):
        assert states(STATEMENT) == {"leased": 3, "ready": 2}
        assert states(EXTRACT) == {"ready": 5}


def test_two_claims_never_share_an_item(world: World) -> None:
    post_messages(world.acme.tenant.id, world.acme.subject, 8)
    policy = QueueConfig(batch=5)
    with another_worker(world.acme.tenant.id, STATEMENT, policy) as theirs:
        ours = claim_now(world.acme.tenant.id, STATEMENT, policy)
    assert len(theirs) == 5
    assert len(ours) == 3
    assert not {item.id for item in ours} & {item.id for item in theirs}


def test_what_is_not_due_is_left_alone(world: World) -> None:
    post_messages(world.acme.tenant.id, world.acme.subject, 2)
    with tenant_tx(world.acme.tenant.id):
        Work.objects.update(due_at=Now() + timedelta(seconds=30))
        assert find_due_kinds(list(WorkKind)) == []
        assert claim_items(STATEMENT) == []
        assert claim_items(EXTRACT) == []


def test_another_tenants_work_is_never_claimed(world: World) -> None:
    post_messages(world.globex.tenant.id, world.globex.subject, 2)
    assert claim_now(world.acme.tenant.id, STATEMENT) == []
    assert claim_now(world.acme.tenant.id, EXTRACT) == []


def test_extraction_goes_by_position(world: World) -> None:
    messages = post_messages(world.acme.tenant.id, world.acme.subject, 6)
    with tenant_tx(world.acme.tenant.id):  # due times do not decide
        Work.objects.filter(message_id=messages[0].pk).update(due_at=Now())
    items = claim_now(world.acme.tenant.id, EXTRACT, QueueConfig(subject_batch=4))
    assert [item.message_id for item in items] == [message.pk for message in messages[:4]]


@pytest.mark.parametrize("still_open", [True, False])
def test_a_subject_somebody_is_at_is_left_alone(world: World, still_open: bool) -> None:
    post_messages(world.acme.tenant.id, world.acme.subject, 6)
    policy = QueueConfig(subject_batch=2)
    if still_open:
        with another_worker(world.acme.tenant.id, EXTRACT, policy):
            assert claim_now(world.acme.tenant.id, EXTRACT, policy) == []
    else:
        claim_now(world.acme.tenant.id, EXTRACT, policy)
        assert claim_now(world.acme.tenant.id, EXTRACT, policy) == []


def test_other_subjects_go_on_meanwhile(world: World) -> None:
    tenant_id = world.acme.tenant.id
    post_messages(tenant_id, world.acme.subject, 3)
    claim_now(tenant_id, EXTRACT)
    with tenant_tx(tenant_id):
        lin = Subject.objects.create(external_id="林")
    expected = [message.pk for message in post_messages(tenant_id, lin, 2)]
    assert [item.message_id for item in claim_now(tenant_id, EXTRACT)] == expected


def test_one_batch_holds_the_beginnings_of_many_subjects(world: World) -> None:
    tenant_id = world.acme.tenant.id
    with tenant_tx(tenant_id):
        subjects = [Subject.objects.create(external_id=f"s{n}") for n in range(4)]
    messages = {subject.pk: post_messages(tenant_id, subject, 5) for subject in subjects}
    items = claim_now(tenant_id, EXTRACT, QueueConfig(subject_batch=3, batch=10))
    assert len(items) == 10
    for subject in subjects:
        own = [item.message_id for item in items if item.subject_id == subject.pk]
        assert own == [message.pk for message in messages[subject.pk]][: len(own)]


def test_a_backlog_leaves_room_for_the_other_subjects_of_a_batch(world: World) -> None:
    tenant_id = world.acme.tenant.id
    with tenant_tx(tenant_id):
        subjects = [Subject.objects.create(external_id=f"s{n}") for n in range(3)]
    for subject in subjects:
        post_messages(tenant_id, subject, 6)
    items = claim_now(tenant_id, EXTRACT, QueueConfig(subject_batch=6, batch=6))
    assert Counter(item.subject_id for item in items) == dict.fromkeys((subject.pk for subject in subjects), 2)


def test_the_search_begins_with_who_waits_longest_and_goes_on_with_the_first(world: World) -> None:
    tenant_id = world.acme.tenant.id
    with tenant_tx(tenant_id):
        first, second = sorted((Subject.objects.create(external_id=f"s{n}") for n in range(2)), key=lambda s: s.pk)
    post_messages(tenant_id, first, 2)
    post_messages(tenant_id, second, 2)
    policy = QueueConfig(subjects_visited=1)
    with tenant_tx(tenant_id):
        assert {item.subject_id for item in claim_items(EXTRACT, begin_at=second.pk, config=policy)} == {second.pk}
        assert {item.subject_id for item in claim_items(EXTRACT, begin_at=second.pk, config=policy)} == {first.pk}


def test_an_extraction_in_back_off_holds_up_what_was_said_later(world: World) -> None:
    tenant_id = world.acme.tenant.id
    messages = post_messages(tenant_id, world.acme.subject, 3)
    with tenant_tx(tenant_id):
        fail_items(claim_items(EXTRACT, config=QueueConfig(subject_batch=1)), "boom")
        assert claim_items(EXTRACT) == []
        Work.objects.filter(kind=EXTRACT).update(due_at=Now())
    assert [item.message_id for item in claim_now(tenant_id, EXTRACT)] == [message.pk for message in messages]


def test_a_dead_extraction_steps_aside(world: World) -> None:
    tenant_id = world.acme.tenant.id
    messages = post_messages(tenant_id, world.acme.subject, 3)
    with tenant_tx(tenant_id):
        Work.objects.filter(kind=EXTRACT, message_id=messages[0].pk).update(state=WorkState.DEAD)
    assert [item.message_id for item in claim_now(tenant_id, EXTRACT)] == [message.pk for message in messages[1:]]


def test_a_batch_ends_before_an_item_that_waits(world: World) -> None:
    tenant_id = world.acme.tenant.id
    messages = post_messages(tenant_id, world.acme.subject, 4)
    with tenant_tx(tenant_id):
        Work.objects.filter(kind=EXTRACT, message_id=messages[2].pk).update(due_at=Now() + timedelta(minutes=1))
    assert [item.message_id for item in claim_now(tenant_id, EXTRACT)] == [message.pk for message in messages[:2]]


def test_items_abandoned_once_are_taken_over_together_and_the_loss_counts(world: World) -> None:
    tenant_id = world.acme.tenant.id
    post_messages(tenant_id, world.acme.subject, 3)
    claim_now(tenant_id, STATEMENT)
    with tenant_tx(tenant_id):
        assert take_over_items(STATEMENT) == []
        expire_leases()
        assert [(due.kind, due.abandoned) for due in find_due_kinds([STATEMENT])] == [(STATEMENT, True)]
        assert [item.attempts for item in take_over_items(STATEMENT, config=QueueConfig(batch=2))] == [1, 1]
        assert [item.attempts for item in take_over_items(STATEMENT)] == [1]
        assert take_over_items(STATEMENT) == []
        assert states(STATEMENT) == {"leased": 3}


def test_an_item_abandoned_twice_is_taken_over_alone(world: World) -> None:
    tenant_id = world.acme.tenant.id
    post_messages(tenant_id, world.acme.subject, 3)
    claim_now(tenant_id, STATEMENT)
    with tenant_tx(tenant_id):
        expire_leases()
        assert len(take_over_items(STATEMENT)) == 3
        expire_leases()
        assert [[item.attempts for item in take_over_items(STATEMENT)] for _ in range(4)] == [[2], [2], [2], []]


@pytest.mark.parametrize(("kind", "failures", "together"), [(STATEMENT, 5, 2), (STATEMENT, 6, 1), (EXTRACT, 1, 1)])
def test_who_cannot_afford_two_more_losses_is_taken_over_alone(
    world: World, kind: WorkKind, failures: int, together: int
) -> None:
    tenant_id = world.acme.tenant.id
    post_messages(tenant_id, world.acme.subject, 2)
    claim_now(tenant_id, kind)
    with tenant_tx(tenant_id):
        Work.objects.filter(kind=kind).update(attempts=failures)
        expire_leases()
        assert [item.attempts for item in take_over_items(kind)] == [failures + 1] * together


def test_a_lease_lost_in_company_never_gives_an_item_up(world: World) -> None:
    tenant_id = world.acme.tenant.id
    post_messages(tenant_id, world.acme.subject, 2)
    claim_now(tenant_id, EXTRACT)
    with tenant_tx(tenant_id):
        Work.objects.filter(kind=EXTRACT).update(attempts=2, error_code="ValueError")
        expire_leases()
        (item,) = take_over_items(EXTRACT)
        assert item.attempts == 2
        complete_items(lock_leased([item]))
        (item,) = take_over_items(EXTRACT)
        expire_leases()
        assert take_over_items(EXTRACT) == []
        assert states(EXTRACT) == {"done": 1, "dead": 1}


def test_an_item_that_loses_every_lease_is_given_up(world: World) -> None:
    tenant_id = world.acme.tenant.id
    post_messages(tenant_id, world.acme.subject, 1)
    claim_now(tenant_id, STATEMENT)
    with tenant_tx(tenant_id):
        for _ in range(7):
            expire_leases()
            assert len(take_over_items(STATEMENT)) == 1
        expire_leases()
        assert take_over_items(STATEMENT) == []
        dead = Work.objects.get(kind=STATEMENT)
        assert (dead.state, dead.attempts, dead.error_code) == ("dead", 8, "lease_expired")
        assert dead.lease_token is None


def test_abandoned_extractions_are_taken_over_in_order(world: World) -> None:
    tenant_id = world.acme.tenant.id
    messages = post_messages(tenant_id, world.acme.subject, 6)
    claim_now(tenant_id, EXTRACT, QueueConfig(subject_batch=5))
    with tenant_tx(tenant_id):
        expire_leases()
        Work.objects.filter(kind=EXTRACT, message_id=messages[3].pk).update(error_code="lease_expired", attempts=1)
        items = take_over_items(EXTRACT)
        assert [item.message_id for item in items] == [message.pk for message in messages[:3]]
        assert take_over_items(EXTRACT) == []  # the next waits until these are done
        complete_items(lock_leased(items))
    for message in messages[3:5]:
        with tenant_tx(tenant_id):
            (item,) = take_over_items(EXTRACT)
            assert item.message_id == message.pk
            assert take_over_items(EXTRACT) == []
            complete_items(lock_leased([item]))
    assert [item.message_id for item in claim_now(tenant_id, EXTRACT)] == [messages[5].pk]


def test_a_take_over_leaves_out_what_follows_an_item_that_another_has_locked(world: World) -> None:
    tenant_id = world.acme.tenant.id
    messages = post_messages(tenant_id, world.acme.subject, 4)
    claim_now(tenant_id, EXTRACT)
    with tenant_tx(tenant_id):
        expire_leases()
    with another_session(tenant_id, locking(EXTRACT, messages[2].pk)), tenant_tx(tenant_id):
        assert [item.message_id for item in take_over_items(EXTRACT)] == [message.pk for message in messages[:2]]


@pytest.mark.parametrize("seed", range(4))
def test_abandoned_extractions_of_many_subjects_never_overtake_each_other(world: World, seed: int) -> None:
    tenant_id, chance = world.acme.tenant.id, random.Random(seed)  # noqa: S311 - a repeatable order
    with tenant_tx(tenant_id):
        subjects = [Subject.objects.create(external_id=f"s{n}") for n in range(5)]
    for subject in subjects:
        post_messages(tenant_id, subject, 8)
    policy = QueueConfig(batch=7, subject_batch=3)
    taken: dict[UUID, list[int]] = {subject.pk: [] for subject in subjects}
    for _ in range(200):
        with tenant_tx(tenant_id):
            items = take_over_items(EXTRACT, config=policy) or claim_items(EXTRACT, config=policy)
            if not items:
                break
            if chance.random() < 0.3:
                for item in items:  # the worker dies; renewals ended at slightly different times
                    lost_at = Now() - timedelta(milliseconds=chance.randint(1, 50))
                    Work.objects.filter(pk=item.id).update(lease_until=lost_at, attempts=0)
                continue
            for item in items:
                taken[item.subject_id].append(item.position)
            complete_items(lock_leased(items))
    assert [len(positions) for positions in taken.values()] == [8] * 5
    assert all(positions == sorted(positions) for positions in taken.values())


LONG_TEXTS = ("I have lived in Lisbon ever since", "我从那以后一直住在里斯本。")
"""33 and 39 bytes."""
SHORT = QueueConfig(batch_bytes=100)


def post_long_messages(tenant_id: UUID, subject: Subject, count: int, name: str = "trip") -> None:
    """Commit one conversation of long messages."""
    with tenant_tx(tenant_id):
        post(start_conversation(subject, name), [LONG_TEXTS[n % 2] for n in range(count)])


def test_a_batch_ends_with_the_text_that_fills_it(world: World) -> None:
    tenant_id = world.acme.tenant.id
    post_long_messages(tenant_id, world.acme.subject, 8)
    assert [len(claim_now(tenant_id, STATEMENT, SHORT)) for _ in range(4)] == [3, 3, 2, 0]
    assert [item.position for item in claim_now(tenant_id, EXTRACT, SHORT)] == positions(tenant_id, EXTRACT)[:3]


@pytest.mark.parametrize("kind", [STATEMENT, EXTRACT])
def test_a_text_that_fills_a_batch_by_itself_is_claimed_alone(world: World, kind: WorkKind) -> None:
    tenant_id = world.acme.tenant.id
    post_long_messages(tenant_id, world.acme.subject, 2)
    for left in (1, 0):
        (item,) = claim_now(tenant_id, kind, QueueConfig(batch_bytes=1))
        with tenant_tx(tenant_id):
            complete_items(lock_leased([item]))
            assert states(kind)["ready"] == left


def test_long_texts_of_one_subject_leave_room_for_another(world: World) -> None:
    tenant_id = world.acme.tenant.id
    with tenant_tx(tenant_id):
        other = Subject.objects.create(external_id="林")
    post_long_messages(tenant_id, world.acme.subject, 5)
    post_long_messages(tenant_id, other, 5)
    items = claim_now(tenant_id, EXTRACT, SHORT)
    assert Counter(item.subject_id for item in items) == {world.acme.subject.pk: 2, other.pk: 1}


def test_a_take_over_ends_with_the_text_that_fills_it(world: World) -> None:
    tenant_id = world.acme.tenant.id
    post_long_messages(tenant_id, world.acme.subject, 5)
    for kind in (STATEMENT, EXTRACT):
        assert len(claim_now(tenant_id, kind)) == 5
    with tenant_tx(tenant_id):
        expire_leases()
        for kind in (STATEMENT, EXTRACT):
            for size in (3, 2):
                taken = take_over_items(kind, config=SHORT)
                assert len(taken) == size
                complete_items(lock_leased(taken))


def test_a_conversations_end_weighs_as_much_as_all_that_was_said_in_it(world: World) -> None:
    tenant_id = world.acme.tenant.id
    for number in range(4):
        post_long_messages(tenant_id, world.acme.subject, 2, f"trip-{number}")
    with tenant_tx(tenant_id):
        for conversation in Conversation.objects.all():
            end_conversation(conversation)
    assert [len(claim_now(tenant_id, WorkKind.CONVERSATION, SHORT)) for _ in range(3)] == [2, 2, 0]
    with tenant_tx(tenant_id):
        expire_leases()
        assert len(take_over_items(WorkKind.CONVERSATION, config=QueueConfig(conversation_batch=1))) == 1


def positions(tenant_id: UUID, kind: WorkKind) -> list[int]:
    with tenant_tx(tenant_id):
        return list(Work.objects.filter(kind=kind).order_by("position").values_list("position", flat=True))

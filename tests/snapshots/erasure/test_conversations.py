"""A deleted conversation takes along what it alone taught, and the counts stay true. Rows: C1, C3, E8."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from memory_platform.providers.redis.client import redis_client
from snapshots.erasure.conversations import delete_conversation
from snapshots.intake.conversation_rows import lock_conversation
from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from snapshots.models import (
    Conversation,
    Message,
    Receipt,
    ReceiptMemory,
    Snapshot,
    SnapshotSource,
    SubjectMemory,
    Work,
)
from snapshots.queue.metrics import count_work
from snapshots.window.redis_store import make_window_key
from tenants.isolation import tenant_tx
from tests.conftest import House, World

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def say(house: House, conversation_id: str, *contents: str) -> list[Message]:
    with tenant_tx(house.tenant.id):
        incoming = [IncomingMessage(role="user", content=content) for content in contents]
        accepted = accept_messages(house.subject, conversation_id, incoming)
        return list(Message.objects.filter(conversation=accepted.conversation).order_by("seq"))


def remember(house: House, text: str, messages: Sequence[Message], position: int) -> Snapshot:
    with tenant_tx(house.tenant.id):
        snapshot = Snapshot.objects.create(
            subject=house.subject,
            kind="statement",
            text=text,
            position=position,
            content_hash=b"",
            said_at=NOW,
            valid_at=NOW,
            conversation=messages[0].conversation if messages else None,
        )
        for message in messages:
            SnapshotSource.objects.create(subject=house.subject, memory=snapshot, message=message)
        return snapshot


def delete(house: House, conversation_id: str = "trip") -> None:
    with tenant_tx(house.tenant.id):
        delete_conversation(lock_conversation(house.subject.external_id, conversation_id))


def texts(house: House) -> set[str]:
    with tenant_tx(house.tenant.id):
        return set(Snapshot.objects.filter(subject=house.subject).values_list("text", flat=True))


def test_messages_and_work_go_and_the_law_of_work_still_holds(world: World) -> None:
    say(world.acme, "trip", "I like figs", "我住在上海")
    say(world.acme, "other", "hello")

    delete(world.acme)

    with tenant_tx(world.acme.tenant.id):
        assert list(Message.objects.values_list("content", flat=True)) == ["hello"]
        assert Work.objects.count() == 2
        counts = count_work()
    assert (counts.removed, counts.accepted_total) == (4, 6)


def test_snapshots_of_this_conversation_alone_go_and_shared_ones_stay(world: World) -> None:
    here, there = say(world.acme, "trip", "I like figs"), say(world.acme, "other", "I like dates")
    with tenant_tx(world.acme.tenant.id):
        SubjectMemory.objects.create(subject=world.acme.subject, version=5)
    remember(world.acme, "likes figs", here, 1)
    remember(world.acme, "likes fruit", [*here, *there], 2)
    remember(world.acme, "likes dates", there, 3)
    remember(world.acme, "manual", [], 4)

    delete(world.acme)

    assert texts(world.acme) == {"likes fruit", "likes dates", "manual"}
    with tenant_tx(world.acme.tenant.id):
        assert SubjectMemory.objects.get().version > 5
        assert Snapshot.objects.get(text="likes fruit").conversation_id is None


def test_prompts_that_showed_it_lose_their_text_and_keep_their_numbers(world: World) -> None:
    here, there = say(world.acme, "trip", "I like figs"), say(world.acme, "other", "hello")
    snapshot = remember(world.acme, "likes figs", here, 1)
    with tenant_tx(world.acme.tenant.id):
        common = {"subject": world.acme.subject, "policy_version": "1", "rendered": b"canary"}
        of_it = Receipt.objects.create(conversation=here[0].conversation, **common)
        showed_it = Receipt.objects.create(conversation=there[0].conversation, **common)
        ReceiptMemory.objects.create(
            subject=world.acme.subject, receipt=showed_it, memory_ref=snapshot.id, lane="snapshots", context_position=1
        )
        unrelated = Receipt.objects.create(conversation=there[0].conversation, **common)

    delete(world.acme)

    with tenant_tx(world.acme.tenant.id):
        left = {row.id: row.rendered for row in Receipt.objects.all()}
    assert left[of_it.id] is None
    assert left[showed_it.id] is None
    assert left[unrelated.id] is not None


def test_a_conversation_without_memories_can_go(world: World) -> None:
    say(world.acme, "trip", "hello")
    delete(world.acme)

    with tenant_tx(world.acme.tenant.id):
        assert not Conversation.objects.exists()


def test_the_window_is_gone_from_redis(world: World) -> None:
    messages = say(world.acme, "trip", "canary in the window")
    key = make_window_key(world.acme.tenant.id, messages[0].conversation_id)
    assert "canary" in str(redis_client().call("test", lambda client: client.hvals(key)))

    delete(world.acme)

    assert "canary" not in str(redis_client().call("test", lambda client: client.hvals(key)))


def test_the_same_id_starts_anew(world: World) -> None:
    say(world.acme, "trip", "hello")
    delete(world.acme)

    assert [message.seq for message in say(world.acme, "trip", "again")] == [1]


@pytest.mark.parametrize("owner", ["acme", "globex"])
def test_a_deletion_reaches_one_tenant_only(world: World, owner: str) -> None:
    houses = {"acme": world.acme, "globex": world.globex}
    for house in houses.values():
        say(house, "trip", "hello")

    delete(houses.pop(owner))

    (other,) = houses.values()
    with tenant_tx(other.tenant.id):
        assert Message.objects.count() == 1

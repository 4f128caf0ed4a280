"""Conversations that nobody ended end by themselves. Rows: C5."""

from datetime import timedelta
from threading import Event, Thread
from uuid import UUID

import pytest
from django.db import connection
from django.db.models.functions import Now

from snapshots.lifecycle.config import IdleConfig
from snapshots.lifecycle.retention.end_idle_conversations import end_idle_conversations
from snapshots.models import Conversation, Work, WorkKind
from snapshots.queue.enqueue import end_conversation
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.queue.world import start_conversation


@pytest.fixture
def tenant_id(world: World) -> UUID:
    return world.acme.tenant.id


def conversations_idle_for(world: World, *minutes: float) -> list[Conversation]:
    made = []
    with tenant_tx(world.acme.tenant.id):
        for number, idle in enumerate(minutes):
            conversation = start_conversation(world.acme.subject, f"c{number}")
            since = Now() - timedelta(minutes=idle)
            Conversation.objects.filter(pk=conversation.pk).update(last_accepted_at=since)
            made.append(conversation)
    return made


def test_thirty_minutes_after_the_last_acceptance_a_conversation_ends(world: World, tenant_id: UUID) -> None:
    idle, _ = conversations_idle_for(world, 30.1, 29.5)
    assert end_idle_conversations(tenant_id) == 1
    with tenant_tx(tenant_id):
        assert Conversation.objects.get(status="ended").pk == idle.pk
        work = Work.objects.get(kind=WorkKind.CONVERSATION)
        assert work.conversation_id == idle.pk
        assert end_conversation(idle).pk == work.pk  # the explicit end that comes too late is the same work


def test_many_end_in_batches_and_only_once(world: World, tenant_id: UUID) -> None:
    conversations_idle_for(world, *[60.0] * 7)
    assert end_idle_conversations(tenant_id, IdleConfig(batch=3)) == 7
    assert end_idle_conversations(tenant_id) == 0
    with tenant_tx(tenant_id):
        assert Work.objects.filter(kind=WorkKind.CONVERSATION).count() == 7


def test_one_that_is_being_written_to_is_passed_over(world: World, tenant_id: UUID) -> None:
    (conversation,) = conversations_idle_for(world, 60)
    locked, leave = Event(), Event()

    def accept() -> None:
        with tenant_tx(tenant_id):
            Conversation.objects.filter(pk=conversation.pk).update(last_accepted_at=Now())
            locked.set()
            leave.wait(5)
        connection.close()

    thread = Thread(target=accept)
    thread.start()
    assert locked.wait(5)
    assert end_idle_conversations(tenant_id) == 0
    leave.set()
    thread.join()
    assert end_idle_conversations(tenant_id) == 0


def test_another_tenants_conversations_go_on(world: World) -> None:
    conversations_idle_for(world, 60)
    assert end_idle_conversations(world.globex.tenant.id) == 0

"""How much is pending, and the conservation law. Rows: C3, E6."""

from uuid import UUID

import pytest

from profiles.models import Subject
from snapshots.models import Conversation, Work, WorkKind, WorkRemoved
from snapshots.queue.claim import claim
from snapshots.queue.counts import (
    pending,
    remove_work,
    remove_work_of_conversation,
    remove_work_of_messages,
    tenants_with_due_work,
    work_counts,
)
from snapshots.queue.leases import complete, fail
from snapshots.queue.policy import QueuePolicy
from snapshots.queue.values import Pending
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.queue.world import expire_leases, filled


@pytest.fixture
def tenant_id(world: World) -> UUID:
    return world.acme.tenant.id


def test_a_subject_without_work_has_nothing_pending(world: World, tenant_id: UUID) -> None:
    with tenant_tx(tenant_id):
        assert pending(world.acme.subject) == Pending(0, 0, None)


def test_pending_counts_what_is_open_and_dead_of_this_subject_only(world: World, tenant_id: UUID) -> None:
    filled(tenant_id, world.acme.subject, 4)
    with tenant_tx(tenant_id):
        filled_for_other = Subject.objects.create(external_id="林")
    filled(tenant_id, filled_for_other, 7)
    with tenant_tx(tenant_id):
        Work.objects.exclude(subject_id=world.acme.subject.pk).delete()
        complete(claim(WorkKind.STATEMENT, policy=QueuePolicy(batch=1)))
        fail(claim(WorkKind.STATEMENT, policy=QueuePolicy(batch=1)), "boom", policy=QueuePolicy(attempts=1))
        claim(WorkKind.EXTRACT)
        found = pending(world.acme.subject)
    assert (found.pending, found.dead) == (6, 1)
    assert found.oldest_seconds is not None
    assert 0 <= found.oldest_seconds < 60


def test_removed_items_stay_in_the_law(world: World, tenant_id: UUID) -> None:
    messages = filled(tenant_id, world.acme.subject, 6)
    filled(tenant_id, world.acme.subject, 3, "second")
    with tenant_tx(tenant_id):
        complete(claim(WorkKind.STATEMENT, policy=QueuePolicy(batch=2)))
        assert remove_work_of_messages([messages[0].pk, messages[1].pk]) == 4
        assert remove_work([Work.objects.filter(message_id=messages[2].pk).values_list("pk", flat=True)[0]]) == 1
        second = Conversation.objects.get(external_id="second")
        assert remove_work_of_conversation(second) == 6
        assert remove_work_of_conversation(second) == 0
        assert work_counts().accepted == 18
        assert work_counts().removed == 11
        assert WorkRemoved.objects.count() == 1


def test_the_sweep_sees_tenants_with_due_or_abandoned_work_only(world: World, tenant_id: UUID) -> None:
    assert tenants_with_due_work(100) == []
    filled(tenant_id, world.acme.subject, 1)
    assert tenants_with_due_work(100) == [tenant_id]
    with tenant_tx(tenant_id):
        claim(WorkKind.STATEMENT)
        claim(WorkKind.EXTRACT)
    assert tenants_with_due_work(100) == []
    with tenant_tx(tenant_id):
        expire_leases()
    assert tenants_with_due_work(100) == [tenant_id]
    filled(world.globex.tenant.id, world.globex.subject, 1)
    assert set(tenants_with_due_work(100)) == {tenant_id, world.globex.tenant.id}
    assert len(tenants_with_due_work(1)) == 1

"""Dead work gets another chance, once, and who gave it is on record. Rows: C3, T7. Matrix: 36."""

from uuid import UUID

import pytest

from snapshots.models import Work, WorkKind
from snapshots.queue.config import QueueConfig
from snapshots.queue.dead_work import replay_work
from snapshots.queue.draining.drain import drain_work
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import World
from tests.snapshots.queue.world import SAM, handlers, leave_marks, marks, post_messages, raising, states


@pytest.fixture
def tenant_id(world: World) -> UUID:
    """A tenant all of whose six items are dead."""
    tenant_id = world.acme.tenant.id
    post_messages(tenant_id, world.acme.subject, 3)
    policy = QueueConfig(attempts=1, extract_attempts=1)
    drain_work(tenant_id, handlers(raising(lambda item: True, ValueError())), config=policy)
    with tenant_tx(tenant_id):
        assert states() == {"dead": 6}
    return tenant_id


def test_one_dead_item_is_replayed_once_and_audited(tenant_id: UUID) -> None:
    with tenant_tx(tenant_id):
        work = Work.objects.filter(kind=WorkKind.STATEMENT)[0]
        assert replay_work(work, by=SAM)
        assert not replay_work(work, by=SAM)
        assert AuditRecord.objects.filter(action="work.replayed", object_id=str(work.pk), actor_id="sam").count() == 1
    assert drain_work(tenant_id, handlers(leave_marks)).done == 1
    with tenant_tx(tenant_id):
        assert marks() == {str(work.pk): 1}
        assert states() == {"dead": 5, "done": 1}


def test_a_replayed_item_has_all_its_attempts_again(tenant_id: UUID) -> None:
    with tenant_tx(tenant_id):
        for item in Work.objects.all():
            replay_work(item, by=SAM)
        assert set(Work.objects.values_list("state", "attempts", "error_code")) == {("ready", 0, "")}

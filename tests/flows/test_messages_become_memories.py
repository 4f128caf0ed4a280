"""The platform's own worker and beat turn accepted messages into memories. Rows: C3, C5, E9, S2."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django_celery_beat.models import PeriodicTask

from memory_platform.timetable import TIMETABLE
from snapshots.models import Conversation, Snapshot, SnapshotKind
from snapshots.queue.enqueue import end_conversation
from snapshots.queue.metrics import count_pending_work
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.flows.stage import PLATFORM, Stage, wait_until
from tests.snapshots.queue.world import post, start_conversation, states

pytestmark = [pytest.mark.processes, pytest.mark.xdist_group("flows"), pytest.mark.timeout(300)]


@pytest.mark.slow
def test_without_any_wake_up_the_sweep_finds_what_was_accepted(world: World, stage: Stage) -> None:
    ada = world.acme.subject
    stage.worker(app=PLATFORM)
    stage.beat(app=PLATFORM)
    with tenant_tx(world.acme.tenant.id):
        conversation = start_conversation(ada)
        post(conversation, ["I moved to Boston last spring and adopted a dog", "我对花生过敏，以后别推荐花生"])
        Conversation.objects.filter(pk=conversation.pk).update(last_accepted_at=Now() - timedelta(hours=1))
        end_conversation(conversation)

    def is_settled() -> bool:
        with tenant_tx(world.acme.tenant.id):
            found = count_pending_work(ada)
        return (found.pending, found.dead) == (0, 0)

    wait_until(is_settled, 30)
    with tenant_tx(world.acme.tenant.id):
        assert states() == {"done": 5}
        assert Snapshot.objects.filter(subject=ada, kind=SnapshotKind.STATEMENT).count() == 2
    assert set(PeriodicTask.objects.values_list("name", flat=True)) >= {job.name for job in TIMETABLE}

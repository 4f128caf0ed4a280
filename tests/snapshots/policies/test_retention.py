"""A tenant says how long its memories and messages are kept. Rows: T4, S3, C1, E6."""

from datetime import timedelta
from typing import Any

from memory_platform.kernel.clock import utc_now
from snapshots.care import CARE
from snapshots.embedding.spaces import active_embedders
from snapshots.extraction.sensitive import mask_sensitive
from snapshots.lifecycle.snapshots import create_snapshots, offer_snapshots
from snapshots.lifecycle.values import NewSnapshot
from snapshots.models import Message, Snapshot
from snapshots.policy import RETENTION, retention_in_force
from tenants.isolation import tenant_tx
from tenants.services.job_runs import Turn
from tests.conftest import House, World
from tests.snapshots.held import say
from tests.snapshots.policies.test_effective import make


def days_left(house: House, kind: str) -> int | None:
    with tenant_tx(house.tenant.id):
        row = Snapshot.objects.filter(kind=kind).latest("position")
    return round((row.expires_at - row.recorded_at) / timedelta(days=1)) if row.expires_at else None


def post(house: House, text: str, **more: Any) -> None:
    new = NewSnapshot(text=text, kind="statement", **more)
    offers = offer_snapshots([new], active_embedders(), mask=mask_sensitive)
    with tenant_tx(house.tenant.id):
        create_snapshots(house.subject, offers)


def test_what_is_stored_from_now_on_follows_the_active_policy(world: World) -> None:
    post(world.acme, "Ada likes tea")
    assert days_left(world.acme, "statement") == 180
    make(world.acme, {"retention": {"statement": 30}}, activate=True)
    post(world.acme, "Ada likes 咖啡")
    post(world.globex, "Gil likes tea")
    assert (days_left(world.acme, "statement"), days_left(world.globex, "statement")) == (30, 180)
    with tenant_tx(world.globex.tenant.id):
        assert retention_in_force() == RETENTION


def test_a_time_that_was_named_stays(world: World) -> None:
    make(world.acme, {"retention": {"statement": 30}}, activate=True)
    post(world.acme, "Ada likes tea", expires_at=utc_now() + timedelta(days=3))
    assert days_left(world.acme, "statement") == 3


def test_messages_leave_when_the_tenants_policy_says(world: World) -> None:
    for house in (world.acme, world.globex):
        say(house, "I like tea")
        with tenant_tx(house.tenant.id):
            Message.objects.update(accepted_at=utc_now() - timedelta(days=40))
    make(world.acme, {"purge": {"messages": 30}}, activate=True)
    counts = {}
    for house in (world.acme, world.globex):
        previewed = CARE["purge-expired"].preview(house.tenant.id)
        CARE["purge-expired"].run(Turn(house.tenant.id))
        with tenant_tx(house.tenant.id):
            counts[house.tenant.slug] = (previewed.counts["messages"], Message.objects.count())
    assert counts == {"acme": (1, 0), "globex": (0, 1)}

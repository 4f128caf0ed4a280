"""Clocks of the product, of web processes, workers and the database that do not agree. Rows: R2, R3, P4, S3."""

from datetime import timedelta

import pytest

from memory_platform.kernel.clock import utc_now
from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from snapshots.jobs import HANDLERS
from snapshots.lifecycle.retention.purge import purge_tenant
from snapshots.lifecycle.write_types import NewSnapshot
from snapshots.models import Snapshot
from snapshots.queue.draining.drain import drain_work
from snapshots.recall.config import DEFAULT_RECALL
from snapshots.recall.pipeline import recall
from snapshots.recall.values import RecalledMemory, RecallQuery
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.held import remember
from tests.snapshots.lifecycle.world import create
from tests.snapshots.recall.world import NOW, ask, id_of, index_of, memory

SKEW = timedelta(seconds=DEFAULT_RECALL.clock_skew_seconds)
MINUTE, YEAR = timedelta(minutes=1), timedelta(days=365)


def asked_by(house: House, text: str, clock: timedelta) -> tuple[RecalledMemory, ...]:
    """Return what a web process answers whose clock is off by ``clock``."""
    query = RecallQuery(text, asked_at=utc_now() + clock, explain=True)
    return recall(house.tenant.id, house.subject.external_id, query).memories


def test_what_a_worker_ahead_of_us_replaced_is_not_answered_beside_what_replaced_it() -> None:
    ahead = NOW + MINUTE
    index = index_of([memory("old aisle", invalid_at=ahead), memory("new aisle", valid_at=ahead)])
    assert [hit.id for hit in ask("aisle", index)] == [id_of("new aisle")]
    assert [hit.id for hit in ask("aisle", index, as_of=NOW)] == [id_of("old aisle")]  # a moment that somebody names


def test_what_begins_later_than_clocks_may_be_off_is_still_to_come() -> None:
    index = index_of(
        [memory("aisle soon", valid_at=NOW + SKEW - MINUTE), memory("aisle later", valid_at=NOW + 2 * SKEW)]
    )
    assert [hit.id for hit in ask("aisle", index)] == [id_of("aisle soon")]


@pytest.mark.parametrize("ahead", [MINUTE, timedelta(days=2), 10 * YEAR])
def test_what_a_product_says_with_a_clock_ahead_is_found_at_once_and_ranked_as_of_today(
    world: World, ahead: timedelta
) -> None:
    said_at = utc_now() + ahead
    message = IncomingMessage(role="user", content="My cello is at the repair shop", said_at=said_at)
    with tenant_tx(world.acme.tenant.id):
        accept_messages(world.acme.subject, "c1", [message])
    drain_work(world.acme.tenant.id, HANDLERS)
    create(world.acme, NewSnapshot("大提琴在修理店 cello", said_at=said_at))
    for clock in (-MINUTE, timedelta(), MINUTE):
        found = asked_by(world.acme, "cello 大提琴", clock)
        assert {one.text for one in found} == {"My cello is at the repair shop", "大提琴在修理店 cello"}
        assert all(one.said_at == said_at and one.valid_at and one.valid_at < utc_now() + MINUTE for one in found)
        factors = [one.explain.factors for one in found if one.explain]
        assert {one.recency for one in factors} == {DEFAULT_RECALL.ranking.recency_values[0]}


def test_an_expiry_counts_by_the_clock_of_who_answers_and_purging_by_another_fails_nobody(world: World) -> None:
    remember(world.acme, "My cello is at the repair shop")
    with tenant_tx(world.acme.tenant.id):
        Snapshot.objects.update(expires_at=utc_now() - MINUTE)
        Snapshot.objects.get()
    assert len(asked_by(world.acme, "cello", -2 * MINUTE)) == 1
    assert asked_by(world.acme, "cello", timedelta()) == ()
    purge_tenant(world.acme.tenant.id)
    assert asked_by(world.acme, "cello", -2 * MINUTE) == ()

"""Every later write needs the lease's token. Rows: C3. Matrix: 32."""

from datetime import timedelta
from uuid import UUID

import pytest

from snapshots.models import Work, WorkKind
from snapshots.queue.config import QueueConfig
from snapshots.queue.draining.leases import (
    claim_items,
    complete_items,
    fail_items,
    lock_leased,
    release_items,
    renew_leases,
    take_over_items,
)
from snapshots.queue.values import ClaimedWork, LeaseLost
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.queue.world import expire_leases, post_messages, states

STATEMENT = WorkKind.STATEMENT


@pytest.fixture
def tenant_id(world: World) -> UUID:
    post_messages(world.acme.tenant.id, world.acme.subject, 3)
    return world.acme.tenant.id


def take_over_first(tenant_id: UUID) -> tuple[list[ClaimedWork], ClaimedWork]:
    """Return a batch of three, and its first item as somebody else took it over."""
    with tenant_tx(tenant_id):
        items = claim_items(STATEMENT)
    with tenant_tx(tenant_id):
        expire_leases()
        (taken,) = take_over_items(STATEMENT, config=QueueConfig(batch=1))
    return items, taken


def test_hold_returns_only_what_is_still_ours(tenant_id: UUID) -> None:
    items, taken = take_over_first(tenant_id)
    with tenant_tx(tenant_id):
        assert [item.id for item in lock_leased(items)] == [item.id for item in items if item.id != taken.id]
        assert lock_leased([taken]) == [taken]


def test_a_late_completion_is_refused_as_a_whole(tenant_id: UUID) -> None:
    items, _ = take_over_first(tenant_id)
    with pytest.raises(LeaseLost), tenant_tx(tenant_id):
        complete_items(items)
    with tenant_tx(tenant_id):
        assert states(STATEMENT) == {"leased": 3}


def test_fail_release_and_renew_touch_nothing_that_is_not_ours(tenant_id: UUID) -> None:
    items, taken = take_over_first(tenant_id)
    stale = [item for item in items if item.id == taken.id]
    with tenant_tx(tenant_id):
        assert fail_items(stale, "late") == []
        assert release_items(stale) == 0
        assert renew_leases(stale) == 0
        assert lock_leased([taken]) == [taken]


def test_a_failure_counts_and_backs_off_twice_as_long_each_time(tenant_id: UUID) -> None:
    waits = []
    for attempt in range(7):
        with tenant_tx(tenant_id):
            Work.objects.filter(kind=STATEMENT).update(due_at="2026-01-01T00:00Z")
            items = claim_items(STATEMENT, config=QueueConfig(batch=1))
            assert fail_items(items, "ValueError") == ["ready"]
            work = Work.objects.get(pk=items[0].id)
            Work.objects.exclude(pk=work.pk).delete()
            assert (work.attempts, work.error_code, work.lease_token) == (attempt + 1, "ValueError", None)
        with tenant_tx(tenant_id):
            waits.append((Work.objects.get(pk=work.pk).due_at - work.created_at).total_seconds())
    for attempt, wait in enumerate(waits):
        assert 2.5 * 2**attempt <= wait <= 5 * 2**attempt + 5


def test_the_eighth_failure_kills_and_the_third_does_for_extraction(tenant_id: UUID) -> None:
    for kind, most in ((STATEMENT, 8), (WorkKind.EXTRACT, 3)):
        with tenant_tx(tenant_id):
            Work.objects.filter(kind=kind).update(attempts=most - 1)
            assert set(fail_items(claim_items(kind), "boom")) == {"dead"}


def test_the_back_off_is_capped(tenant_id: UUID) -> None:
    policy = QueueConfig(attempts=100, backoff_cap=timedelta(seconds=1))
    with tenant_tx(tenant_id):
        Work.objects.update(attempts=50)
        fail_items(claim_items(STATEMENT), "boom", config=policy)
        work = Work.objects.filter(kind=STATEMENT).first()
        assert work is not None
        assert (work.due_at - work.created_at).total_seconds() < 10


def test_a_release_costs_no_attempt(tenant_id: UUID) -> None:
    with tenant_tx(tenant_id):
        items = claim_items(STATEMENT)
        assert release_items(items, delay=timedelta(seconds=30), code="embedding_unavailable") == 3
        assert claim_items(STATEMENT) == []
        assert set(Work.objects.filter(kind=STATEMENT).values_list("attempts", "error_code")) == {
            (0, "embedding_unavailable")
        }


def test_a_renewed_lease_does_not_run_out(tenant_id: UUID) -> None:
    with tenant_tx(tenant_id):
        items = claim_items(STATEMENT, config=QueueConfig(lease=timedelta(seconds=-1)))
        assert renew_leases(items) == 3
        assert take_over_items(STATEMENT) == []

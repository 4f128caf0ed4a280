"""What has outlived its time leaves, and nothing else. Rows: E6, C1, S3."""

import time
from collections.abc import Iterable
from datetime import timedelta
from uuid import UUID

import pytest

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from profiles.models import Ask, Candidate, IdempotentReply, ToolSave
from profiles.provenance_and_verdict import Verdict
from snapshots.lifecycle.config import PURGE_POLICY, EvictionConfig, PurgePolicy
from snapshots.lifecycle.retention.eviction import evict_tenant, find_least_worth_snapshots, preview_eviction
from snapshots.lifecycle.retention.purge import EXPIRING_ROWS, BatchPace, preview_purge, purge_tenant
from snapshots.models import (
    FastLaneChange,
    Job,
    JobKind,
    MemoryAct,
    Message,
    Receipt,
    Snapshot,
    SnapshotKind,
    SnapshotSource,
    SnapshotWords,
    SubjectMemory,
    Task,
    Webhook,
    WebhookDelivery,
    Work,
    WorkKind,
)
from snapshots.queue.draining.drain import drain_work
from snapshots.queue.enqueue import end_conversation
from snapshots.queue.metrics import count_work
from tenants.isolation import tenant_tx
from tenants.models import ApiKey, ModelUsage
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import create_key
from tests.conftest import World
from tests.snapshots.queue.world import complete_only, handlers, post_messages, start_conversation

NOTHING = dict.fromkeys(("snapshots", *(expiring.name for expiring in EXPIRING_ROWS)), 0)


@pytest.fixture
def tenant_id(world: World) -> UUID:
    return world.acme.tenant.id


def purge(tenant_id: UUID, policy: PurgePolicy = PURGE_POLICY) -> int:
    return purge_tenant(tenant_id, policy=policy)


def preview(tenant_id: UUID) -> dict[str, int]:
    with tenant_tx(tenant_id):
        return preview_purge()


def snapshots(world: World, expiries: Iterable[timedelta | None]) -> list[Snapshot]:
    now = utc_now()
    made = [
        Snapshot(
            subject=world.acme.subject,
            kind=SnapshotKind.STATEMENT,
            text="住在上海",
            position=n,
            content_hash=b"",
            said_at=now,
            valid_at=now,
            expires_at=now + expiry if expiry else None,
        )
        for n, expiry in enumerate(expiries)
    ]
    return Snapshot.objects.bulk_create(made)


def test_expired_snapshots_leave_with_their_parts_and_the_memory_is_another_one(world: World, tenant_id: UUID) -> None:
    message = post_messages(tenant_id, world.acme.subject, 1)[0]
    day = timedelta(days=1)
    with tenant_tx(tenant_id):
        memory = SubjectMemory.objects.create(subject=world.acme.subject)
        gone, kept, forever = snapshots(world, [-day, day, None])
        for snapshot in (gone, kept):
            SnapshotSource.objects.create(subject=world.acme.subject, memory=snapshot, message=message)
            SnapshotWords.objects.create(subject=world.acme.subject, snapshot=snapshot, position=1, words=b"")
        later = Snapshot.objects.filter(pk=kept.pk)
        later.update(superseded_by=gone.pk)
    assert preview(tenant_id) == {**NOTHING, "snapshots": 1}
    assert purge(tenant_id) == 1
    with tenant_tx(tenant_id):
        assert set(Snapshot.objects.values_list("pk", flat=True)) == {kept.pk, forever.pk}
        assert SnapshotSource.objects.get().memory_id == kept.pk
        assert SnapshotWords.objects.get().snapshot_id == kept.pk
        assert later.get().superseded_by_id is None
        memory.refresh_from_db()
        assert (memory.version, memory.epoch) == (2, 2), "an image of before is not grown: it would keep what has left"
    assert preview(tenant_id) == NOTHING


def test_a_purge_that_finds_nothing_changes_nothing(world: World, tenant_id: UUID) -> None:
    with tenant_tx(tenant_id):
        memory = SubjectMemory.objects.create(subject=world.acme.subject)
        snapshots(world, [timedelta(days=1)])
    assert purge(tenant_id) == 0
    with tenant_tx(tenant_id):
        memory.refresh_from_db()
        assert memory.version == 1


def test_it_goes_in_batches_until_all_has_left(world: World, tenant_id: UUID) -> None:
    with tenant_tx(tenant_id):
        snapshots(world, [timedelta(seconds=-1)] * 23)
    assert purge(tenant_id, PurgePolicy(batch=5)) == 23
    assert preview(tenant_id) == NOTHING


def test_without_time_it_leaves_the_rest_for_the_next_run(world: World, tenant_id: UUID) -> None:
    with tenant_tx(tenant_id):
        snapshots(world, [timedelta(seconds=-1)] * 3)
    assert purge_tenant(tenant_id, may_go_on=lambda: False) == 0
    assert preview(tenant_id)["snapshots"] == 3


def test_old_messages_leave_with_their_work_which_stays_counted(world: World, tenant_id: UUID) -> None:
    messages = post_messages(tenant_id, world.acme.subject, 3)
    with tenant_tx(tenant_id):
        Message.objects.filter(pk=messages[0].pk).update(accepted_at=utc_now() - timedelta(days=366))
        Message.objects.filter(pk=messages[1].pk).update(accepted_at=utc_now() - timedelta(days=364))
    assert preview(tenant_id) == {**NOTHING, "messages": 1}
    assert purge(tenant_id) == 1
    with tenant_tx(tenant_id):
        assert Message.objects.count() == 2
        counts = count_work()
    assert (counts.ready, counts.removed, counts.accepted_total) == (4, 2, 6)


def test_long_done_work_leaves_counted_but_ends_stay_the_same_end(world: World, tenant_id: UUID) -> None:
    post_messages(tenant_id, world.acme.subject, 2)
    with tenant_tx(tenant_id):
        conversation = start_conversation(world.acme.subject, "ended")
        end = end_conversation(conversation)
    drain_work(tenant_id, handlers(complete_only))
    with tenant_tx(tenant_id):
        Work.objects.update(done_at=utc_now() - timedelta(days=31))
        Work.objects.filter(kind=WorkKind.EXTRACT).update(done_at=utc_now() - timedelta(days=29))
    assert preview(tenant_id) == {**NOTHING, "work": 2}
    assert purge(tenant_id) == 2
    with tenant_tx(tenant_id):
        assert (count_work().done, count_work().removed) == (3, 2)
        assert end_conversation(conversation).pk == end.pk


def test_replies_leave_after_a_day_and_receipts_lose_their_text_after_a_week(world: World, tenant_id: UUID) -> None:
    now = utc_now()
    with tenant_tx(tenant_id):
        for hours in (23, 25):
            reply = IdempotentReply.objects.create(endpoint="e", key=f"{hours}", request_hash=b"")
            IdempotentReply.objects.filter(pk=reply.pk).update(created_at=now - timedelta(hours=hours))
        for days in (6, 8):
            Receipt.objects.create(
                subject=world.acme.subject,
                policy_version="1",
                rendered=b"zlib",
                created_at=now - timedelta(days=days),
            )
    assert preview(tenant_id) == {**NOTHING, "idempotent_replies": 1, "receipt_texts": 1}
    assert purge(tenant_id) == 2
    with tenant_tx(tenant_id):
        assert IdempotentReply.objects.get().key == "23"
        assert Receipt.objects.count() == 2
        assert Receipt.objects.filter(rendered__isnull=False).count() == 1


def test_another_tenants_rows_stay(world: World, tenant_id: UUID) -> None:
    with tenant_tx(tenant_id):
        snapshots(world, [timedelta(days=-1)])
    assert purge(world.globex.tenant.id) == 0
    assert preview(tenant_id)["snapshots"] == 1


def test_receipts_candidates_jobs_usage_and_keys_leave_when_nobody_asks_any_more(world: World, tenant_id: UUID) -> None:
    now, subject = utc_now(), world.acme.subject
    kept = {"policy_version": "1", "subject": subject}
    with tenant_tx(tenant_id):
        for days in (364, 366):
            Receipt.objects.create(**kept, created_at=now - timedelta(days=days))
        for verdict in (Verdict.PENDING, Verdict.REJECTED):
            candidate = Candidate.objects.create(subject=subject, kind="preference", verdict=verdict)
            Candidate.objects.filter(pk=candidate.pk).update(created_at=now - timedelta(days=181))
        FastLaneChange.objects.create(subject=subject, took_ms=3, created_at=now - timedelta(days=31))
        for days in (364, 366):
            asked_at = now - timedelta(days=days)
            Ask.objects.create(subject=subject, conversation="c", key="home", priority="high", asked_at=asked_at)
        for days in (179, 181):
            Task.objects.create(subject=subject, goal="g", updated_at=now - timedelta(days=days))
        for days in (29, 31):
            saved_at = now - timedelta(days=days)
            ToolSave.objects.create(subject=subject, conversation="c", memory_ref=new_id(), saved_at=saved_at)
        for created_at in (now - timedelta(days=31), now):
            MemoryAct.objects.create(subject=subject, lane="tags", memory_ref=new_id(), created_at=created_at)
        Job.objects.create(kind=JobKind.IMPORT, ended_at=now - timedelta(days=31))
        Job.objects.create(kind=JobKind.IMPORT)
        told = Webhook.objects.create(url="https://example.com", events=["job.dead"], sealed_secret=b"x")
        for created_at in (now - timedelta(days=15), now):
            WebhookDelivery.objects.create(webhook=told, event_id=new_id(), event="job.dead", created_at=created_at)
        ModelUsage.objects.create(day=(now - timedelta(days=401)).date(), purpose="extract", model="m")
        create_key(name="old", scopes=["memory:read"], by=COMMAND_LINE)
        ApiKey.objects.filter(name="old").update(revoked_at=now - timedelta(days=366))
    one_each = (
        "receipts",
        "candidates",
        "fast_lane_changes",
        "tasks",
        "asks",
        "tool_saves",
        "memory_acts",
        "ended_jobs",
        "webhook_deliveries",
        "model_usage",
        "ended_keys",
    )
    assert preview(tenant_id) == {**NOTHING, **dict.fromkeys(one_each, 1)}
    assert purge(tenant_id) >= len(one_each)
    assert preview(tenant_id) == NOTHING
    with tenant_tx(tenant_id):
        assert (Receipt.objects.count(), Candidate.objects.count(), Job.objects.count()) == (1, 1, 1)
        assert ApiKey.objects.count() == 1


def test_a_memory_begins_one_epoch_for_all_that_leaves_together(world: World, tenant_id: UUID) -> None:
    with tenant_tx(tenant_id):
        memory = SubjectMemory.objects.create(subject=world.acme.subject)
        snapshots(world, [timedelta(seconds=-1)] * 150)
    assert purge(tenant_id) == 150
    with tenant_tx(tenant_id):
        memory.refresh_from_db()
        assert memory.epoch == 2


@pytest.mark.parametrize(("took", "rows"), [(0.2, 25), (0.05, 100), (0.001, 200)])
def test_a_batch_follows_what_the_last_one_took(monkeypatch: pytest.MonkeyPatch, took: float, rows: int) -> None:
    clock = iter([10.0, 10.0 + took])
    rests: list[float] = []
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(time, "sleep", rests.append)
    paced = BatchPace(PurgePolicy(batch=100, batch_s=0.05))
    with paced.time_batch():
        pass
    assert paced.rows == pytest.approx(rows, abs=1)
    assert rests == [pytest.approx(took)]


def test_above_the_limit_the_least_worth_leaves_first(world: World, tenant_id: UUID) -> None:
    few = EvictionConfig(subject=3, tenant=1_000)
    with tenant_tx(tenant_id):
        old, plain, weighty, gone, new = snapshots(world, [None] * 5)
        rows = Snapshot.objects.all()
        rows.filter(pk=old.pk).update(said_at=utc_now() - timedelta(days=60))
        rows.filter(pk=plain.pk).update(importance=0.2)
        rows.filter(pk=weighty.pk).update(importance=1.0, said_at=utc_now() - timedelta(days=10))  # 0.6
        rows.filter(pk=gone.pk).update(importance=1.0, retired_at=utc_now())
        assert [row[0] for row in find_least_worth_snapshots(world.acme.subject.id, 3)] == [gone.pk, old.pk, plain.pk]
        assert preview_eviction(few).counts == {"subjects": 2, "tenant": 0}
    assert evict_tenant(tenant_id, config=few) == 2
    assert evict_tenant(tenant_id, config=few) == 0
    with tenant_tx(tenant_id):
        assert set(Snapshot.objects.values_list("pk", flat=True)) == {plain.pk, weighty.pk, new.pk}
        assert preview_eviction(EvictionConfig(subject=3, tenant=1)).counts == {"subjects": 0, "tenant": 2}
    assert evict_tenant(tenant_id, config=EvictionConfig(subject=3, tenant=1)) == 2
    with tenant_tx(tenant_id):
        assert set(Snapshot.objects.values_list("pk", flat=True)) == {weighty.pk}

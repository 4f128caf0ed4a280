"""Each job of the timetable by hand: a preview foretells the run, and nothing is left after it. Rows: E6, E9."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db.models.functions import Now
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask

from memory_platform.beat_scheduler import sync_schedule
from memory_platform.kernel.ids import new_id
from snapshots.models import (
    BLOCK_POSITIONS,
    Conversation,
    EmbeddingSpace,
    Job,
    JobKind,
    SnapshotVector,
    SubjectMemory,
)
from snapshots.recall.loading.block_sealing import seal_memories
from snapshots.receipts.values import ReceiptCandidate, ReceiptDraft, RenderedPrompt
from snapshots.receipts.write import write_receipt
from snapshots.scheduled_job_registry import COUNT, JOBS, WHOLE
from tenants.isolation import tenant_tx
from tenants.models import JobRun, Tenant, UsageDay
from tenants.services.job_runs import name_manual_run
from tenants.services.usage.ledger_entries import record_message_usage
from tenants.services.usage.quotas import Limits
from tenants.services.usage.request_rates import take_request
from tests.conftest import House, World
from tests.snapshots.held import remember, say


def care(job: str, *options: str) -> str:
    out = StringIO()
    call_command("care", job, *options, stdout=out)
    return out.getvalue()


def idle(house: House) -> None:
    say(house, "I flew to Porto")
    with tenant_tx(house.tenant.id):
        Conversation.objects.update(last_accepted_at=Now() - timedelta(minutes=31))


def without_vectors(house: House) -> None:
    remember(house, "I flew to Porto", "我坐飞机喜欢靠窗的座位")
    with tenant_tx(house.tenant.id):
        SnapshotVector.objects.all().delete()


def leave_unsealed_blocks(house: House) -> None:
    """One block is sealed, two are whole and not."""
    remember(house, "I flew to Porto")
    for blocks in (1, 3):
        seal_memories(house.tenant.id)
        with tenant_tx(house.tenant.id):
            SubjectMemory.objects.update(next_position=blocks * BLOCK_POSITIONS)


def leave_unspread_receipt(house: House) -> None:
    candidates = tuple(
        ReceiptCandidate(str(new_id()), "snapshots", "statement", 0.7, "kept", 20, context_position=place)
        for place in (1, 2, 3)
    )
    with tenant_tx(house.tenant.id):
        write_receipt(ReceiptDraft(house.subject.id, "7", RenderedPrompt("在哪里？"), candidates))


def note_use(house: House) -> None:
    with tenant_tx(house.tenant.id):
        record_message_usage(3)
        record_message_usage(4)


def due(house: House) -> None:
    say(house, "I flew to Porto")


def queue_erasure(house: House) -> None:
    with tenant_tx(house.tenant.id):
        Job.objects.create(kind=JobKind.ERASURE, params={})


@pytest.fixture
def timetable(database: None) -> Iterator[None]:
    _delete_schedule()  # a test before may have left a job that a person had disabled
    sync_schedule()
    yield
    _delete_schedule()


def _delete_schedule() -> None:
    PeriodicTask.objects.all().delete()
    IntervalSchedule.objects.all().delete()
    CrontabSchedule.objects.all().delete()


LEFT: dict[str, tuple[Callable[[House], None], str, int, str]] = {
    "end-idle-conversations": (idle, "1 conversations", 1, "0 conversations"),
    "backfill-vectors": (
        without_vectors,
        "0 unread, 2 vectors, 0 words, 0 chunks",
        2,
        "0 unread, 0 vectors, 0 words, 0 chunks",
    ),
    "seal-memories": (leave_unsealed_blocks, "2 blocks, 0 outdated", 2, "0 blocks, 0 outdated"),
    "spread-receipts": (leave_unspread_receipt, "1 receipts, 3 memories", 1, "0 receipts, 0 memories"),
    "roll-up-usage": (note_use, "2 events, 0 requests", 2, "0 events, 0 requests"),
    "sweep-queue": (due, "2 due, 0 abandoned", 1, "2 due, 0 abandoned"),
    "sweep-asked-jobs": (queue_erasure, "1 jobs, 0 unsigned", 1, "1 jobs, 0 unsigned"),
}
"""By job: what gives it something to do, what its preview says, the rows of its run, and the preview after it."""


@pytest.mark.parametrize("job", sorted(LEFT))
def test_a_preview_foretells_the_run(world: World, job: str) -> None:
    give, foretold, rows, after = LEFT[job]
    give(world.acme)
    for _ in range(2):  # the preview did nothing
        said = care(job, "--tenant", "acme", "--preview")
        assert said.splitlines()[0] == f"acme: would do {foretold}"
    assert JobRun.objects.filter(job=name_manual_run(job)).count() == 0
    assert f"acme: {rows} rows in " in care(job, "--tenant", "acme")
    assert JobRun.objects.get(job=name_manual_run(job)).rows == rows
    assert care(job, "--tenant", "acme", "--preview").startswith(f"acme: would do {after}")
    assert "globex: would do 0 " in care(job, "--tenant", "globex", "--preview")


def test_a_job_of_the_platform_is_for_all_tenants_at_once(world: World) -> None:
    remember(world.acme, "I flew to Porto")
    tenants = Tenant.objects.count()
    assert care(COUNT, "--preview").startswith(f"platform: would do {tenants} tenants, 1 spaces")
    EmbeddingSpace.objects.update(held=0)
    assert f"platform: {tenants} rows in " in care(COUNT)
    assert EmbeddingSpace.objects.get().held == 1
    assert (JobRun.objects.get(job=name_manual_run(COUNT)).rows, JobRun.objects.filter(job=COUNT).count()) == (
        tenants,
        0,
    )
    for job in sorted(WHOLE):
        with pytest.raises(CommandError, match="all tenants at once"):
            care(job, "--tenant", "acme")


def test_what_was_cut_short_is_told_and_sent(world: World, timetable: None) -> None:
    assert care("continue-jobs", "--preview") == "platform: would do 0 jobs\n"
    now = Now()  # the database's clock; an hour, for clocks are set back now and then
    JobRun.objects.create(
        job="spread-receipts", scheduled_for=now, started_at=now, lease_until=now - timedelta(hours=1)
    )
    told = "platform: would do 1 jobs\n  snapshots.jobs.spread_receipts_job\n"
    assert care("continue-jobs", "--preview") == told
    assert "platform: 1 rows in " in care("continue-jobs")


def test_requests_that_redis_has_counted_are_foretold_until_they_are_written_down(world: World) -> None:
    tenant_id = world.acme.tenant.id
    for _ in range(3):
        take_request(tenant_id, "key", Limits())
    assert care("roll-up-usage", "--tenant", "acme", "--preview") == "acme: would do 0 events, 3 requests\n"
    care("roll-up-usage", "--tenant", "acme")
    assert care("roll-up-usage", "--tenant", "acme", "--preview") == "acme: would do 0 events, 0 requests\n"
    with tenant_tx(tenant_id):
        assert UsageDay.objects.get().requests == 3


def test_every_job_can_be_previewed_and_run_where_there_is_nothing_to_do(world: World) -> None:
    for job in sorted(JOBS):
        # A new tenant has audit records already.
        assert "would do 0 " in care(job, "--preview") or job in {COUNT, "seal-audit-trail"}, job
        assert "failed" not in care(job), job
    assert set(JobRun.objects.values_list("job", flat=True)) == {name_manual_run(job) for job in JOBS}

"""Run each job of the timetable on imported conversations: its preview, its run, and a second run.

Every job first gets work to do, through the product's own functions or by setting columns to the values that they would
have after months. The tenant changes permanently.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from django.db.models.functions import Now

from snapshots.context.pipeline import ContextCall, build_context
from snapshots.context.values import ContextRequest
from snapshots.feedback.record_outcome import record_outcome
from snapshots.feedback.values import OutcomePart
from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from snapshots.job_preview import CarePreview
from snapshots.lifecycle.config import ARCHIVE, REVIEW, EvictionConfig
from snapshots.lifecycle.retention.eviction import evict_tenant, preview_eviction
from snapshots.lifecycle.retention.message_archive import restore_messages
from snapshots.models import Conversation, Message, Snapshot, SnapshotCounter, SnapshotVector
from snapshots.scheduled_job_registry import CARE, WHOLE, PlatformCareJob, TenantCareJob
from tenants.isolation import tenant_tx
from tenants.models import ApiKey, Scope, Tenant
from tenants.services.audit import COMMAND_LINE
from tenants.services.job_runs import run_by_hand, run_whole_by_hand
from tenants.services.keys import create_key

# Jobs that come later find what earlier ones have made.
ORDER = (
    "sweep-queue",
    "sweep-asked-jobs",
    "sweep-webhooks",
    "continue-jobs",
    "end-idle-conversations",
    "backfill-vectors",
    "count-embedding-spaces",
    "seal-memories",
    "seal-audit-trail",
    "spread-receipts",
    "roll-up-tallies",
    "roll-up-usage",
    "roll-up-indicators",
    "consolidate-memories",
    "calibrate-confidence",
    "review-memories",
    "archive-messages",
    "purge-expired",
    "erase-withheld",
    "evict-memories",
    "prune-threads",
)
CONTEXTS, ANSWERED, STALE, EXPIRED, BARE = 30, 10, 20, 40, 20
# What was heard of 12 injections of a memory: corrected twice, disliked, liked.
RECEIVED = ({"corrected": 2, "positive": 4}, {"positive": 1}, {"positive": 12})
EACH = 3
KEY_AGE = timedelta(days=400)


@dataclass(frozen=True, slots=True)
class JobMeasurement:
    """The preview of one job, its run, and its second run."""

    job: str
    preview: str
    run: str
    again: str

    def row(self) -> str:
        return f"| `{self.job}` | {self.preview} | {self.run} | {self.again} |"


def make_work_for_jobs(tenant: Tenant) -> None:
    """Make something to do for each job in a tenant with imported conversations. No scope may be open."""
    with tenant_tx(tenant.id):
        memories = list(Snapshot.objects.filter(expires_at__isnull=False).order_by("id").select_related("subject"))
        Conversation.objects.update(last_accepted_at=Now() - ARCHIVE.after - timedelta(days=1))
        key = create_key(name="ended", scopes=[Scope.MEMORY_READ], by=COMMAND_LINE).api_key
        ApiKey.objects.filter(id=key.id).update(revoked_at=Now() - KEY_AGE)
        bare, stale, expired = (
            [one.id for one in memories[start : start + count]]
            for start, count in ((0, BARE), (BARE, STALE), (BARE + STALE, EXPIRED))
        )
        SnapshotVector.objects.filter(snapshot_id__in=bare).delete()
        Snapshot.objects.filter(id__in=stale).update(last_validated_at=Now() - REVIEW.stale_after - timedelta(days=1))
        Snapshot.objects.filter(id__in=expired).update(expires_at=Now() - timedelta(hours=1))
        received = memories[BARE + STALE + EXPIRED :][: EACH * len(RECEIVED)]
        for number, memory in enumerate(received):
            counts = {"injected": 12, "judged": 12, **RECEIVED[number % len(RECEIVED)]}
            SnapshotCounter.objects.create(subject=memory.subject, snapshot=memory, **counts)
    for number, memory in enumerate(memories[-CONTEXTS:]):
        asked = ContextCall(ContextRequest(memory.text[:200]), "1", None)
        receipt = build_context(tenant.id, memory.subject.external_id, asked).receipt
        if number < ANSWERED:
            with tenant_tx(tenant.id):
                record_outcome(receipt.id, OutcomePart(next="Perfect, thank you!"))
    with tenant_tx(tenant.id):
        said = [IncomingMessage(role="user", content="I am still thinking about it.")]
        left = accept_messages(memories[0].subject, "left-open", said).conversation
        Conversation.objects.filter(id=left.id).update(last_accepted_at=Now() - timedelta(hours=1))


def measure_jobs(tenant: Tenant, room: int) -> Iterator[JobMeasurement]:
    """Yield a line for each job, a restored conversation after the archive, and an eviction to ``room`` at the end."""
    for name in ORDER:
        yield _measure_whole_job(WHOLE[name]) if name in WHOLE else _measure_tenant_job(CARE[name], tenant)
        if name == "archive-messages":
            yield _measure_restore(tenant)
    less = EvictionConfig(subject=room)

    def preview() -> CarePreview:
        with tenant_tx(tenant.id):
            return preview_eviction(less)

    yield _make_measurement(f"evict-memories, room for {room:,}", preview, lambda: evict_tenant(tenant.id, config=less))


def _measure_tenant_job(job: TenantCareJob, tenant: Tenant) -> JobMeasurement:
    run = partial(run_by_hand, job.name, job.run, [tenant.id])
    return _make_measurement(job.name, partial(job.preview, tenant.id), lambda: run().rows)


def _measure_whole_job(job: PlatformCareJob) -> JobMeasurement:
    return _make_measurement(job.name, job.preview, lambda: run_whole_by_hand(job.name, job.run).rows)


def _measure_restore(tenant: Tenant) -> JobMeasurement:
    with tenant_tx(tenant.id):
        held = Message.objects.filter(archived=True).order_by("conversation_id").select_related("conversation")
        conversation = held[0].conversation

    def count_archived() -> CarePreview:
        with tenant_tx(tenant.id):
            return CarePreview({"messages": Message.objects.filter(conversation=conversation, archived=True).count()})

    def restore() -> int:
        with tenant_tx(tenant.id):
            return restore_messages(conversation, by=COMMAND_LINE, reason="bench")

    return _make_measurement("restore of one conversation", count_archived, restore)


def _make_measurement(name: str, preview: Callable[[], CarePreview], run: Callable[[], int]) -> JobMeasurement:
    counts = preview().counts
    told = ", ".join(f"{count:,} {kind}" for kind, count in counts.items() if count) or "nothing"
    return JobMeasurement(name, told, _time_run(run), _time_run(run))


def _time_run(run: Callable[[], int]) -> str:
    began = time.monotonic()
    rows = run()
    return f"{rows:,} rows in {time.monotonic() - began:.1f} s"

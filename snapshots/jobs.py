"""The Celery functions: thin shells around functions that may run twice, concurrently, or not at all.

None of them retries: attempts are counted on the work row, and a scheduled job comes again.
"""

import time
from collections.abc import Callable, Sequence
from uuid import UUID

from snapshots.config import JOB_CONFIG
from snapshots.erasure.check_and_sign import sign_unsigned_erasures
from snapshots.erasure.subjects import run_erasure
from snapshots.feedback.implicit_feedback import record_next_turns
from snapshots.knowledge.processing.pipeline import process_document
from snapshots.models import JobKind, WorkKind
from snapshots.portability.import_job import run_import
from snapshots.queue.config import QUEUE_CONFIG
from snapshots.queue.draining.tenant_turns import drain_for_one_turn
from snapshots.queue.metrics import find_tenants_with_due_work, record_sweep
from snapshots.queue.requested_jobs import JobHandler, run_due_jobs
from snapshots.queue.values import ClaimedWork, Handlers
from snapshots.queue.worker_wake_ups import publish_wake_up, wake_workers
from snapshots.scheduled_job_registry import COUNT, resend_interrupted_jobs, run_maintenance_job, wake_for_jobs
from snapshots.summaries.conversation_snapshots import store_conversation_snapshots
from snapshots.summaries.running_summaries import write_summaries
from snapshots.understanding.pipeline import learn_from_messages
from snapshots.understanding.statements.statements import store_statements
from snapshots.webhooks.config import WEBHOOKS
from snapshots.webhooks.due_deliveries import find_tenants_with_due_deliveries
from snapshots.webhooks.pipeline import deliver_webhooks
from tenants.job_decorators import platform_job, tenant_job
from tenants.services.job_runs import run_for_each_tenant


def record_turns_and_learn(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
    record_next_turns(tenant_id, items)
    learn_from_messages(tenant_id, items)


HANDLERS: Handlers = {
    WorkKind.STATEMENT: store_statements,
    WorkKind.EXTRACT: record_turns_and_learn,
    WorkKind.CONVERSATION: store_conversation_snapshots,
    WorkKind.SUMMARY: write_summaries,
}

DELIVER_JOB = "snapshots.jobs.deliver_webhooks_job"
# Handlers of the jobs that a product asked for.
ASKED: dict[str, JobHandler] = {
    JobKind.ERASURE: run_erasure,
    JobKind.IMPORT: run_import,
    JobKind.DOCUMENT: process_document,
}


@tenant_job
def drain_work_job(tenant_id: UUID) -> None:
    drain_for_one_turn(tenant_id, HANDLERS)


@tenant_job
def run_asked_jobs_job(tenant_id: UUID) -> None:
    """Work at one tenant's requested jobs; when the time is up, the rest waits for the next run."""
    until = time.monotonic() + JOB_CONFIG.run.total_seconds()
    run_due_jobs(tenant_id, ASKED, may_go_on=lambda: time.monotonic() < until)
    sign_unsigned_erasures(tenant_id)


@tenant_job
def deliver_webhooks_job(tenant_id: UUID) -> None:
    """Send one tenant's due deliveries; when the time is up, the rest waits for the next sweep."""
    until = time.monotonic() + WEBHOOKS.run.total_seconds()
    deliver_webhooks(tenant_id, may_go_on=lambda: time.monotonic() < until)


@platform_job
def sweep_webhooks_job() -> None:
    for tenant_id in find_tenants_with_due_deliveries():
        publish_wake_up(tenant_id, DELIVER_JOB)


@platform_job
def sweep_asked_jobs_job() -> None:
    run_for_each_tenant(wake_for_jobs)


@platform_job
def sweep_job() -> None:
    """Wake a worker for every tenant with due or abandoned work: items that lost their wake-up are found here."""
    for tenant_id in find_tenants_with_due_work(QUEUE_CONFIG.tenants_swept):
        wake_workers(tenant_id)
    record_sweep()


@platform_job
def continue_jobs_job() -> None:
    resend_interrupted_jobs()


def _build_maintenance_task(name: str) -> Callable[[], None]:
    """Return the task of a job of :mod:`snapshots.scheduled_job_registry`; beat and the queue find it by its name."""

    def run() -> None:
        run_maintenance_job(name)

    run.__name__ = run.__qualname__ = f"{name.replace('-', '_')}_job"
    return platform_job(run)


purge_expired_job = _build_maintenance_task("purge-expired")
erase_withheld_job = _build_maintenance_task("erase-withheld")
consolidate_memories_job = _build_maintenance_task("consolidate-memories")
calibrate_confidence_job = _build_maintenance_task("calibrate-confidence")
archive_messages_job = _build_maintenance_task("archive-messages")
evict_memories_job = _build_maintenance_task("evict-memories")
prune_threads_job = _build_maintenance_task("prune-threads")
review_memories_job = _build_maintenance_task("review-memories")
end_idle_conversations_job = _build_maintenance_task("end-idle-conversations")
backfill_vectors_job = _build_maintenance_task("backfill-vectors")
seal_audit_trail_job = _build_maintenance_task("seal-audit-trail")
seal_memories_job = _build_maintenance_task("seal-memories")
count_embedding_spaces_job = _build_maintenance_task(COUNT)
spread_receipts_job = _build_maintenance_task("spread-receipts")
roll_up_tallies_job = _build_maintenance_task("roll-up-tallies")
roll_up_indicators_job = _build_maintenance_task("roll-up-indicators")
roll_up_usage_job = _build_maintenance_task("roll-up-usage")

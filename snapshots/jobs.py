"""The Celery functions: thin shells around verbs that may run twice, at once, or not at all.

None of them retries: attempts live on the work row, and a scheduled job comes again.
"""

import time
from collections.abc import Sequence
from uuid import UUID

from snapshots.erasure.signing import sign_unsigned_erasures
from snapshots.erasure.subjects import run_erasure
from snapshots.feedback.feedback_loop import close_loops
from snapshots.maintenance import COUNT, run_care, send_cut_short, wake_for_jobs
from snapshots.models import JobKind, WorkKind
from snapshots.policy import JOB_POLICY
from snapshots.portability.import_job import run_import
from snapshots.queue.draining.tenant_turns import drain_for_one_turn
from snapshots.queue.figures.queue_gauges import record_sweep
from snapshots.queue.figures.work_counts import find_tenants_with_due_work
from snapshots.queue.policy import QUEUE_POLICY
from snapshots.queue.requested_jobs import JobHandler, run_due_jobs
from snapshots.queue.values import ClaimedWork, Handlers
from snapshots.queue.wake_up import wake_workers
from snapshots.summaries.conversations import store_conversation_snapshots
from snapshots.summaries.running import write_summaries
from snapshots.understanding.pipeline import learn_from_messages
from snapshots.understanding.statements.statements import store_statements
from tenants.jobs import platform_job, tenant_job
from tenants.services.job_runs import for_each_tenant


def answer_and_learn(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
    """Let turns answer the contexts before them, then learn from them."""
    close_loops(tenant_id, items)
    learn_from_messages(tenant_id, items)


HANDLERS: Handlers = {
    WorkKind.STATEMENT: store_statements,
    WorkKind.EXTRACT: answer_and_learn,
    WorkKind.CONVERSATION: store_conversation_snapshots,
    WorkKind.SUMMARY: write_summaries,
}
"""Who does which kind of work, in the order in which the kinds take turns."""

ASKED: dict[str, JobHandler] = {JobKind.ERASURE: run_erasure, JobKind.IMPORT: run_import}
"""Who does which kind of job that a product asked for."""


@tenant_job
def drain_work_job(tenant_id: UUID) -> None:
    """Do one tenant's due work."""
    drain_for_one_turn(tenant_id, HANDLERS)


@tenant_job
def run_asked_jobs_job(tenant_id: UUID) -> None:
    """Work at the jobs that one tenant's product asked for; what is left when the time is up goes on with the next."""
    until = time.monotonic() + JOB_POLICY.run.total_seconds()
    run_due_jobs(tenant_id, ASKED, may_go_on=lambda: time.monotonic() < until)
    sign_unsigned_erasures(tenant_id)


@platform_job
def sweep_asked_jobs_job() -> None:
    """Wake a worker for every tenant with a job that is due or abandoned, or an erasure that nobody signed."""
    for_each_tenant(wake_for_jobs)


@platform_job
def sweep_job() -> None:
    """Wake a worker for every tenant with due or abandoned work: what lost its wake-up is found here."""
    for tenant_id in find_tenants_with_due_work(QUEUE_POLICY.tenants_swept):
        wake_workers(tenant_id)
    record_sweep()


@platform_job
def continue_jobs_job() -> None:
    """Send the jobs whose round was cut short, and those that beat has missed."""
    send_cut_short()


@platform_job
def purge_expired_job() -> None:
    """Remove what has outlived its time."""
    run_care("purge-expired")


@platform_job
def erase_withheld_job() -> None:
    """Erase what users told us to forget a day ago."""
    run_care("erase-withheld")


@platform_job
def consolidate_memories_job() -> None:
    """Join memories that say nearly the same."""
    run_care("consolidate-memories")


@platform_job
def calibrate_confidence_job() -> None:
    """Let confidence follow what came of injected memories."""
    run_care("calibrate-confidence")


@platform_job
def archive_messages_job() -> None:
    """Move the words of aged messages to the archive."""
    run_care("archive-messages")


@platform_job
def evict_memories_job() -> None:
    """Make room where memories are above their limits."""
    run_care("evict-memories")


@platform_job
def review_memories_job() -> None:
    """Ask about memories that have become unsure or stale."""
    run_care("review-memories")


@platform_job
def end_idle_conversations_job() -> None:
    """End the conversations that nobody ended."""
    run_care("end-idle-conversations")


@platform_job
def backfill_vectors_job() -> None:
    """Add the vectors that an outage of the embedding service or of pgvector left out; read again what was not read."""
    run_care("backfill-vectors")


@platform_job
def seal_memories_job() -> None:
    """Pack what large memories have gained, so that the next process that sees one reads it at once."""
    run_care("seal-memories")


@platform_job
def count_embedding_spaces_job() -> None:
    """Count what each embedding space holds and lacks, for the console."""
    run_care(COUNT)


@platform_job
def spread_receipts_job() -> None:
    """Give each memory that a context used its row."""
    run_care("spread-receipts")


@platform_job
def roll_up_tallies_job() -> None:
    """Add to the tallies of memories what contexts injected and what was heard of it."""
    run_care("roll-up-tallies")


@platform_job
def roll_up_indicators_job() -> None:
    """Say how well memory served today and yesterday."""
    run_care("roll-up-indicators")


@platform_job
def roll_up_usage_job() -> None:
    """Add what tenants used to their days."""
    run_care("roll-up-usage")

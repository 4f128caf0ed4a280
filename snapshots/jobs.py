"""The Celery functions: thin shells around verbs that may run twice, at once, or not at all.

None of them retries: attempts live on the work row, and a scheduled job comes again.
"""

import time
from collections.abc import Sequence
from uuid import UUID

from celery import current_app

from snapshots.care import run_care
from snapshots.embedding.backfill import backfill_vectors
from snapshots.embedding.counting import SpaceCount, added_up, count_spaces, note_counts
from snapshots.embedding.spaces import measured_embedders
from snapshots.embedding.unread import read_again
from snapshots.erasure.signing import has_left_behind, sign_left_behind
from snapshots.erasure.subjects import run_erasure
from snapshots.extraction.conversations import store_conversation_snapshots
from snapshots.extraction.memories import apply_extractions
from snapshots.extraction.sensitive import mask_sensitive
from snapshots.extraction.statements import store_statements
from snapshots.extraction.summaries import write_summaries
from snapshots.feedback.loop import close_loops
from snapshots.lifecycle.idle import end_idle_conversations
from snapshots.lifecycle.policy import BACKFILL_RUN_POLICY, COUNT_RUN_POLICY, IDLE_POLICY
from snapshots.models import JobKind, WorkKind
from snapshots.policy import JOB_POLICY
from snapshots.portability.imports import run_import
from snapshots.queue.asked_jobs import JobHandler, nudge_jobs, tenant_has_due_jobs, work_at_jobs
from snapshots.queue.counts import tenants_with_due_work
from snapshots.queue.gauges import note_sweep
from snapshots.queue.policy import QUEUE_POLICY
from snapshots.queue.turns import take_turn
from snapshots.queue.values import ClaimedWork, Handlers
from snapshots.queue.wake_up import nudge
from snapshots.recall.policy import SEALING
from snapshots.recall.sealing import seal_memories
from snapshots.receipts.policy import RECEIPTS
from snapshots.receipts.spread import spread_tenant
from tenants.isolation import tenant_tx
from tenants.jobs import platform_job, tenant_job
from tenants.policy import LEDGER_POLICY, RUN_POLICY
from tenants.services.job_runs import (
    Tally,
    Turn,
    for_each_tenant,
    jobs_to_continue,
    run_once,
    run_round,
)
from tenants.services.usage import roll_up_usage


def answer_and_learn(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
    """Let turns answer the contexts before them, then learn from them."""
    close_loops(tenant_id, items)
    apply_extractions(tenant_id, items)


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
    take_turn(tenant_id, HANDLERS)


@tenant_job
def run_asked_jobs_job(tenant_id: UUID) -> None:
    """Work at the jobs that one tenant's product asked for; what is left when the time is up goes on with the next."""
    until = time.monotonic() + JOB_POLICY.run.total_seconds()
    work_at_jobs(tenant_id, ASKED, may_go_on=lambda: time.monotonic() < until)
    sign_left_behind(tenant_id)


@platform_job
def sweep_asked_jobs_job() -> None:
    """Wake a worker for every tenant with a job that is due or abandoned, or an erasure that nobody signed."""
    for_each_tenant(_wake_for_jobs)


@platform_job
def sweep_job() -> None:
    """Wake a worker for every tenant with due or abandoned work: what lost its wake-up is found here."""
    for tenant_id in tenants_with_due_work(QUEUE_POLICY.tenants_swept):
        nudge(tenant_id)
    note_sweep()


@platform_job
def continue_jobs_job() -> None:
    """Send the jobs whose round was cut short, and those that beat has missed."""
    life = RUN_POLICY.continue_every.total_seconds()
    for task in jobs_to_continue():
        current_app.send_task(task, expires=life, retry=False, ignore_result=True)


@platform_job
def purge_expired_job() -> None:
    """Remove what has outlived its time."""
    run_care("purge-expired")


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
    run_round("end-idle-conversations", IDLE_POLICY.every, lambda turn: end_idle_conversations(turn.tenant_id))


@platform_job
def backfill_vectors_job() -> None:
    """Add the vectors that an outage of the embedding service or of pgvector left out; read again what was not read."""
    run_round("backfill-vectors", BACKFILL_RUN_POLICY.every, lambda turn: _backfill(turn.tenant_id))


@platform_job
def seal_memories_job() -> None:
    """Pack what large memories have gained, so that the next process that sees one reads it at once."""
    run_round("seal-memories", SEALING.every, _seal)


@platform_job
def count_embedding_spaces_job() -> None:
    """Count what each embedding space holds and lacks, for the console."""
    run_once("count-embedding-spaces", COUNT_RUN_POLICY.every, _count_spaces)


def _wake_for_jobs(tenant_id: UUID) -> int:
    with tenant_tx(tenant_id):
        is_due = tenant_has_due_jobs() or has_left_behind()
    if is_due:
        nudge_jobs(tenant_id)
    return int(is_due)


@platform_job
def spread_receipts_job() -> None:
    """Give each memory that a context used its row."""
    run_round(
        "spread-receipts",
        RECEIPTS.spread_every,
        lambda turn: spread_tenant(turn.tenant_id, may_go_on=turn.may_go_on),
    )


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
    run_round(
        "roll-up-usage",
        LEDGER_POLICY.every,
        lambda turn: roll_up_usage(turn.tenant_id, may_go_on=turn.may_go_on),
    )


def _seal(turn: Turn) -> int:
    return seal_memories(turn.tenant_id, may_go_on=turn.may_go_on)


def _backfill(tenant_id: UUID) -> int:
    read = read_again(tenant_id, mask=mask_sensitive)
    return read + backfill_vectors(tenant_id, BACKFILL_RUN_POLICY.limit, mask=mask_sensitive)


def _count_spaces() -> Tally:
    embedders, counts = measured_embedders(), dict[UUID, SpaceCount]()

    def count(tenant_id: UUID) -> int:
        counts.update(added_up(counts, count_spaces(tenant_id, embedders)))
        return 1

    tally = for_each_tenant(count)
    if not tally.errors:  # half a count would look like vectors lost
        note_counts(counts, embedders)
    return tally

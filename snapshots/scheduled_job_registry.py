"""Every scheduled job by name, with its preview and its run.

Beat's jobs, the command and the console's previews go through here. Jobs of :data:`CARE` do a tenant's share at a time;
those of :data:`WHOLE` serve the platform at once.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from uuid import UUID

from celery import current_app
from django.conf import settings
from django.db import transaction
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from snapshots.config import JOB_CONFIG
from snapshots.consolidation.config import CONSOLIDATION
from snapshots.consolidation.pipeline import consolidate_tenant, preview_consolidation
from snapshots.embedding.embedding_spaces import active_embedders, measure_active_embedders
from snapshots.embedding.upkeep.index_repair import count_stale_words, reindex_stale_words
from snapshots.embedding.upkeep.space_completeness import SpaceCount, add_counts, count_space_memories, store_counts
from snapshots.embedding.upkeep.vector_backfill import backfill_vectors, preview_backfill
from snapshots.erasure.check_and_sign import has_unsigned_erasure
from snapshots.feedback.config import LOOP
from snapshots.feedback.tallies.indicator_roll_up import preview_indicator_roll_up, roll_up_recent_indicators
from snapshots.feedback.tallies.memory_tallies import count_untallied, roll_up_tallies
from snapshots.forgetting.config import FORGETTING
from snapshots.forgetting.erase_hidden import erase_due_orders, preview_erasing_hidden
from snapshots.job_preview import CarePreview
from snapshots.knowledge.index.chunk_reembedding import count_chunks_to_move, reembed_chunks
from snapshots.lifecycle.confidence_calibration import calibrate_tenant, preview_calibration
from snapshots.lifecycle.config import (
    ARCHIVE,
    BACKFILL_RUN_CONFIG,
    CALIBRATION,
    COUNT_RUN_CONFIG,
    EVICTION,
    IDLE_CONFIG,
    PURGE_POLICY,
    REVIEW,
    PurgePolicy,
)
from snapshots.lifecycle.memory_reviews import preview_review, review_tenant
from snapshots.lifecycle.retention.end_idle_conversations import end_idle_conversations, preview_idle
from snapshots.lifecycle.retention.eviction import evict_tenant, preview_eviction
from snapshots.lifecycle.retention.message_archive import archive_tenant, preview_archive
from snapshots.lifecycle.retention.purge import preview_purge, purge_tenant
from snapshots.policies.policy_sections import PURGE
from snapshots.queue.config import QUEUE_CONFIG
from snapshots.queue.metrics import count_changed_days, count_due_work, roll_up_waits
from snapshots.queue.requested_jobs import find_due_jobs, wake_job_workers
from snapshots.queue.worker_wake_ups import wake_workers
from snapshots.recall.config import SEALING
from snapshots.recall.loading.block_sealing import preview_sealing, seal_memories
from snapshots.receipts.config import RECEIPTS
from snapshots.receipts.injected_memory_rows import preview_memory_rows, write_memory_rows_of_tenant
from snapshots.sensitive.detector import mask_sensitive
from snapshots.threads.config import PRUNING
from snapshots.threads.pruning_job import preview_pruning, prune_tenant
from snapshots.webhooks.config import WEBHOOKS
from snapshots.webhooks.due_deliveries import count_due_deliveries
from snapshots.webhooks.pipeline import deliver_webhooks
from tenants.config import AUDIT_CONFIG, LEDGER_CONFIG, RUN_CONFIG
from tenants.isolation import tenant_tx
from tenants.models import Tenant
from tenants.services.audit_seals import preview_audit_sealing, seal_new_records
from tenants.services.job_due_times import Default
from tenants.services.job_runs import (
    RoundWork,
    RunTally,
    TenantTurn,
    forget_old_runs,
    list_jobs_to_continue,
    request_run,
    run_for_each_tenant,
    run_once,
    run_round,
)
from tenants.services.policies import load_active_section
from tenants.services.usage.ledger_entries import preview_usage, roll_up_usage
from tenants.services.usage.metered_chat import find_metered_chat

CALIBRATE = "calibrate-confidence"
COUNT = "count-embedding-spaces"
# Jobs whose runs leave no record: they would outnumber the work. Two runs at once do no harm.
UNRECORDED_JOBS = frozenset({"sweep-queue", "sweep-asked-jobs", "sweep-webhooks", "continue-jobs"})


@dataclass(frozen=True, slots=True)
class TenantCareJob:
    """One job. ``preview`` describes its effect in a tenant, without changes; ``run`` does one tenant's share."""

    name: str
    every: Default
    preview: Callable[[UUID], CarePreview]
    run: RoundWork


@dataclass(frozen=True, slots=True)
class PlatformCareJob:
    """One job of the whole platform. ``preview`` describes its effect, without changes."""

    name: str
    every: Default
    preview: Callable[[], CarePreview]
    run: Callable[[], RunTally]


def run_maintenance_job(name: str) -> bool:
    """Run or continue the due round of the job; return whether a round was due."""
    if name in WHOLE:
        return run_once(name, WHOLE[name].every, WHOLE[name].run)
    job = CARE[name]
    return run_round(job.name, job.every, job.run)


def run_job_now(name: str, task: str) -> bool:
    """Let a worker run the job as soon as the open transaction is committed; return False while a run is under way."""
    if name not in UNRECORDED_JOBS and request_run(name) is None:
        return False
    transaction.on_commit(partial(send_job_task, task), robust=True)
    return True


def send_job_task(task: str) -> None:
    """Send a job's task. While the broker is away nothing is sent: the run is on record and sent again later."""
    with suppress(KombuError, RedisError, OSError):
        current_app.send_task(task, expires=RUN_CONFIG.late.total_seconds(), retry=False, ignore_result=True)


def wake_for_work(tenant_id: UUID) -> int:
    """Wake a worker if the tenant has due or abandoned work; return 1 if so."""
    with tenant_tx(tenant_id):
        is_due = any(count_due_work().values())
    if is_due:
        wake_workers(tenant_id)
    return int(is_due)


def wake_for_jobs(tenant_id: UUID) -> int:
    """Wake a worker if a requested job is due, or an erasure has no signer; return 1 if so."""
    with tenant_tx(tenant_id):
        is_due = find_due_jobs().exists() or has_unsigned_erasure()
    if is_due:
        wake_job_workers(tenant_id)
    return int(is_due)


def resend_interrupted_jobs() -> RunTally:
    life = RUN_CONFIG.continue_every.total_seconds()
    tasks = list_jobs_to_continue()
    for task in tasks:
        current_app.send_task(task, expires=life, retry=False, ignore_result=True)
    return RunTally(len(tasks))


def _count_space_memories() -> RunTally:
    embedders, counts = measure_active_embedders(), dict[UUID, SpaceCount]()

    def count(tenant_id: UUID) -> int:
        counts.update(add_counts(counts, count_space_memories(tenant_id, embedders)))
        return 1

    tally = run_for_each_tenant(count)
    if not tally.errors:  # half a count would look like vectors lost
        store_counts(counts, embedders)
    return tally


def _preview_space_counts() -> CarePreview:
    return CarePreview({"tenants": Tenant.objects.count(), "spaces": len(measure_active_embedders())})


def _preview_continuing() -> CarePreview:
    tasks = list_jobs_to_continue()
    return CarePreview({"jobs": len(tasks)}, tasks)


def _preview_requested_jobs() -> CarePreview:
    jobs = [f"{job.kind} {job.id}" for job in find_due_jobs()]
    return CarePreview({"jobs": len(jobs), "unsigned": int(has_unsigned_erasure())}, jobs)


def _preview_backfill(tenant_id: UUID) -> CarePreview:
    with tenant_tx(tenant_id):
        unread = count_stale_words()
    chunks = min(count_chunks_to_move(tenant_id), BACKFILL_RUN_CONFIG.limit)
    found = preview_backfill(tenant_id, BACKFILL_RUN_CONFIG.limit)
    return CarePreview({"unread": unread, **found.counts, "chunks": chunks}, is_partial=found.is_partial)


def _backfill_index(turn: TenantTurn) -> int:
    read = reindex_stale_words(turn.tenant_id, mask=mask_sensitive)
    done = backfill_vectors(turn.tenant_id, BACKFILL_RUN_CONFIG.limit, mask=mask_sensitive)
    return read + done + reembed_chunks(turn.tenant_id, BACKFILL_RUN_CONFIG.limit)


def _purge(turn: TenantTurn) -> int:
    forget_old_runs(PURGE_POLICY.job_runs)
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
    with tenant_tx(turn.tenant_id):
        policy = load_purge_policy()
    return purge_tenant(turn.tenant_id, may_go_on=turn.may_go_on, policy=policy)


def _prune_threads(turn: TenantTurn) -> int:
    with tenant_tx(turn.tenant_id):
        keep = load_purge_policy().checkpoints
    return prune_tenant(turn.tenant_id, keep=keep, may_go_on=turn.may_go_on)


def load_purge_policy() -> PurgePolicy:
    return PURGE.apply_values(load_active_section(PURGE.name))


def _preview_recent_days() -> CarePreview:
    found = preview_indicator_roll_up()
    return CarePreview({**found.counts, "changed": found.counts["changed"] + count_changed_days()}, found.examples)


def _flatten_counts(counts: Callable[[], Mapping[str, int]]) -> Callable[[], CarePreview]:
    return lambda: CarePreview(counts())


def _preview_in_tenant(preview: Callable[[], CarePreview]) -> Callable[[UUID], CarePreview]:
    def preview_tenant(tenant_id: UUID) -> CarePreview:
        with tenant_tx(tenant_id):
            return preview()

    return preview_tenant


def _adapt_to_tenant_turn(work: Callable[..., int]) -> RoundWork:
    """Return a tenant's share of work that takes a tenant and a deadline."""
    return lambda turn: work(turn.tenant_id, may_go_on=turn.may_go_on)


CARE = {
    job.name: job
    for job in (
        TenantCareJob(
            "consolidate-memories",
            CONSOLIDATION.daily,
            lambda tenant_id: preview_consolidation(tenant_id, active_embedders()),
            lambda turn: consolidate_tenant(
                turn, active_embedders(), model=find_metered_chat(turn.tenant_id, "summarise")
            ),
        ),
        TenantCareJob(
            CALIBRATE,
            CALIBRATION.daily,
            _preview_in_tenant(preview_calibration),
            _adapt_to_tenant_turn(calibrate_tenant),
        ),
        TenantCareJob(
            "review-memories", REVIEW.daily, _preview_in_tenant(preview_review), _adapt_to_tenant_turn(review_tenant)
        ),
        TenantCareJob(
            "archive-messages",
            ARCHIVE.daily,
            _preview_in_tenant(preview_archive),
            _adapt_to_tenant_turn(archive_tenant),
        ),
        TenantCareJob(
            "evict-memories", EVICTION.daily, _preview_in_tenant(preview_eviction), _adapt_to_tenant_turn(evict_tenant)
        ),
        TenantCareJob(
            "roll-up-tallies",
            LOOP.tally_every,
            _preview_in_tenant(count_untallied),
            _adapt_to_tenant_turn(roll_up_tallies),
        ),
        TenantCareJob(
            "roll-up-indicators",
            LOOP.indicators_every,
            _preview_in_tenant(_preview_recent_days),
            lambda turn: roll_up_recent_indicators(turn.tenant_id) + roll_up_waits(turn.tenant_id),
        ),
        TenantCareJob(
            "erase-withheld", FORGETTING.erase_every, _preview_in_tenant(preview_erasing_hidden), erase_due_orders
        ),
        TenantCareJob(
            "purge-expired",
            PURGE_POLICY.every,
            _preview_in_tenant(_flatten_counts(lambda: preview_purge(load_purge_policy()))),
            _purge,
        ),
        TenantCareJob(
            "prune-threads",
            PRUNING.daily,
            _preview_in_tenant(lambda: preview_pruning(load_purge_policy().checkpoints)),
            _prune_threads,
        ),
        TenantCareJob(
            "end-idle-conversations",
            IDLE_CONFIG.every,
            _preview_in_tenant(preview_idle),
            lambda turn: end_idle_conversations(turn.tenant_id),
        ),
        TenantCareJob("backfill-vectors", BACKFILL_RUN_CONFIG.every, _preview_backfill, _backfill_index),
        TenantCareJob("seal-memories", SEALING.every, preview_sealing, _adapt_to_tenant_turn(seal_memories)),
        TenantCareJob(
            "spread-receipts",
            RECEIPTS.spread_every,
            _preview_in_tenant(preview_memory_rows),
            _adapt_to_tenant_turn(write_memory_rows_of_tenant),
        ),
        TenantCareJob(
            "seal-audit-trail",
            AUDIT_CONFIG.seal_every,
            _preview_in_tenant(_flatten_counts(preview_audit_sealing)),
            _adapt_to_tenant_turn(seal_new_records),
        ),
        TenantCareJob(
            "roll-up-usage",
            LEDGER_CONFIG.every,
            lambda tenant_id: CarePreview(preview_usage(tenant_id)),
            _adapt_to_tenant_turn(roll_up_usage),
        ),
        TenantCareJob(
            "sweep-queue",
            QUEUE_CONFIG.sweep_every,
            _preview_in_tenant(_flatten_counts(count_due_work)),
            lambda turn: wake_for_work(turn.tenant_id),
        ),
        TenantCareJob(
            "sweep-asked-jobs",
            JOB_CONFIG.sweep_every,
            _preview_in_tenant(_preview_requested_jobs),
            lambda turn: wake_for_jobs(turn.tenant_id),
        ),
        TenantCareJob(
            "sweep-webhooks",
            WEBHOOKS.sweep_every,
            _preview_in_tenant(_flatten_counts(count_due_deliveries)),
            _adapt_to_tenant_turn(deliver_webhooks),
        ),
    )
}
WHOLE = {
    job.name: job
    for job in (
        PlatformCareJob("continue-jobs", RUN_CONFIG.continue_every, _preview_continuing, resend_interrupted_jobs),
        PlatformCareJob(COUNT, COUNT_RUN_CONFIG.every, _preview_space_counts, _count_space_memories),
    )
}
JOBS = frozenset({*CARE, *WHOLE})

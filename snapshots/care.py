"""Scheduled care by name: what each job would do, and how it does it. The timetable and the command go through here."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from uuid import UUID

from django.conf import settings

from snapshots.consolidation.pipeline import consolidate_tenant, preview_consolidation
from snapshots.consolidation.policy import CONSOLIDATION
from snapshots.embedding.spaces import active_embedders
from snapshots.feedback.indicators import preview_indicators, roll_up_recent_indicators
from snapshots.feedback.policy import LOOP
from snapshots.feedback.tally import preview_tallies, roll_up_tallies
from snapshots.lifecycle.archive import archive_tenant, preview_archive
from snapshots.lifecycle.calibration import calibrate_tenant, preview_calibration
from snapshots.lifecycle.eviction import evict_tenant, preview_eviction
from snapshots.lifecycle.policy import ARCHIVE, CALIBRATION, EVICTION, PURGE_POLICY, REVIEW, PurgePolicy
from snapshots.lifecycle.purge import preview_purge, purge_tenant
from snapshots.lifecycle.review import preview_review, review_tenant
from snapshots.policies.sections import PURGE
from snapshots.queue.days import roll_up_waits, waits_to_write
from snapshots.values import CarePreview
from tenants.isolation import tenant_tx
from tenants.services.job_runs import RoundWork, Turn, forget_old_runs, run_round
from tenants.services.model_use import chat_for
from tenants.services.policies import section_in_force
from tenants.services.slots import Default

CALIBRATE = "calibrate-confidence"


@dataclass(frozen=True, slots=True)
class CareJob:
    """One job. ``preview`` says what it would do in a tenant, and changes nothing; ``run`` does one tenant's share."""

    name: str
    every: Default
    preview: Callable[[UUID], CarePreview]
    run: RoundWork


def run_care(name: str) -> bool:
    """Do or go on with the round of the job that is due; return whether there was one."""
    job = CARE[name]
    return run_round(job.name, job.every, job.run)


def _purge(turn: Turn) -> int:
    forget_old_runs(PURGE_POLICY.job_runs)
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
    with tenant_tx(turn.tenant_id):
        policy = purge_in_force()
    return purge_tenant(turn.tenant_id, may_go_on=turn.may_go_on, policy=policy)


def purge_in_force() -> PurgePolicy:
    """Return how long the tenant of the open scope keeps what is no memory."""
    return PURGE.applied(section_in_force(PURGE.name))


def _preview_days() -> CarePreview:
    found = preview_indicators()
    return CarePreview({**found.counts, "changed": found.counts["changed"] + waits_to_write()}, found.examples)


def _within(preview: Callable[[], CarePreview]) -> Callable[[UUID], CarePreview]:
    """Return the preview in a scope of its own."""

    def previewed(tenant_id: UUID) -> CarePreview:
        with tenant_tx(tenant_id):
            return preview()

    return previewed


CARE = {
    job.name: job
    for job in (
        CareJob(
            "consolidate-memories",
            CONSOLIDATION.daily,
            lambda tenant_id: preview_consolidation(tenant_id, active_embedders()),
            lambda turn: consolidate_tenant(turn, active_embedders(), model=chat_for(turn.tenant_id, "summarise")),
        ),
        CareJob(
            CALIBRATE,
            CALIBRATION.daily,
            _within(preview_calibration),
            lambda turn: calibrate_tenant(turn.tenant_id, may_go_on=turn.may_go_on),
        ),
        CareJob(
            "review-memories",
            REVIEW.daily,
            _within(preview_review),
            lambda turn: review_tenant(turn.tenant_id, may_go_on=turn.may_go_on),
        ),
        CareJob(
            "archive-messages",
            ARCHIVE.daily,
            _within(preview_archive),
            lambda turn: archive_tenant(turn.tenant_id, may_go_on=turn.may_go_on),
        ),
        CareJob(
            "evict-memories",
            EVICTION.daily,
            _within(preview_eviction),
            lambda turn: evict_tenant(turn.tenant_id, may_go_on=turn.may_go_on),
        ),
        CareJob(
            "roll-up-tallies",
            LOOP.tally_every,
            _within(preview_tallies),
            lambda turn: roll_up_tallies(turn.tenant_id, may_go_on=turn.may_go_on),
        ),
        CareJob(
            "roll-up-indicators",
            LOOP.indicators_every,
            _within(_preview_days),
            lambda turn: roll_up_recent_indicators(turn.tenant_id) + roll_up_waits(turn.tenant_id),
        ),
        CareJob(
            "purge-expired", PURGE_POLICY.every, _within(lambda: CarePreview(preview_purge(purge_in_force()))), _purge
        ),
    )
}

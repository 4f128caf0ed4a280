"""Scheduled care by name: what each job would do, and how it does it. The timetable and the command go through here."""

from collections.abc import Callable
from dataclasses import dataclass

from snapshots.lifecycle.calibration import calibrate_tenant, preview_calibration
from snapshots.lifecycle.policy import CALIBRATION, PURGE_POLICY, REVIEW
from snapshots.lifecycle.purge import preview_purge, purge_tenant
from snapshots.lifecycle.review import preview_review, review_tenant
from snapshots.values import CarePreview
from tenants.services.job_runs import RoundWork, Turn, forget_old_runs, run_round
from tenants.services.slots import Default


@dataclass(frozen=True, slots=True)
class CareJob:
    """One job. ``preview`` answers in a tenant's open scope and changes nothing; ``run`` does one tenant's share."""

    name: str
    every: Default
    preview: Callable[[], CarePreview]
    run: RoundWork


def run_care(name: str) -> bool:
    """Do or go on with the round of the job that is due; return whether there was one."""
    job = CARE[name]
    return run_round(job.name, job.every, job.run)


def _purge(turn: Turn) -> int:
    forget_old_runs(PURGE_POLICY.job_runs)
    return purge_tenant(turn.tenant_id, until=turn.ends_at)


CARE = {
    job.name: job
    for job in (
        CareJob(
            "calibrate-confidence",
            CALIBRATION.daily,
            preview_calibration,
            lambda turn: calibrate_tenant(turn.tenant_id, may_go_on=turn.may_go_on),
        ),
        CareJob(
            "review-memories",
            REVIEW.daily,
            preview_review,
            lambda turn: review_tenant(turn.tenant_id, may_go_on=turn.may_go_on),
        ),
        CareJob("purge-expired", PURGE_POLICY.every, lambda: CarePreview(preview_purge()), _purge),
    )
}

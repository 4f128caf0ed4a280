"""Experiments: created as a draft, started, reassigned, ended. All in the open scope."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from django.db.models import F

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import FieldFault
from tenants.errors import ExperimentConflict, ExperimentRefused, ExperimentUnknown
from tenants.isolation import current_tenant_id
from tenants.models import Experiment, ExperimentStatus, PolicyVersion, Tenant
from tenants.policies.arms import BUCKETS, Arm, arms_to_json, assign_buckets, read_arms
from tenants.services.audit import Actor, record_audit
from tenants.services.policies import lock_policy

# Gets an experiment's id and version; raises if the caller has seen another one.
Accept = Callable[[UUID, int], None]


def experiment_by_id(experiment_id: UUID) -> Experiment:
    found = Experiment.objects.filter(id=experiment_id).first()
    if found is None:
        raise ExperimentUnknown("No experiment with this id.")
    return found


def create_experiment(name: str, arms: Sequence[Arm], *, by: Actor, reason: str) -> Experiment:
    """Create a draft. Raises ExperimentRefused with the faults, ExperimentConflict for a name that is taken."""
    lock_policy()
    _refuse([*_find_faults(arms), *_find_unknown_versions(arms)])
    if Experiment.objects.filter(name=name).exists():
        raise ExperimentConflict("Another experiment has this name.")
    made = Experiment.objects.create(name=name, arms=arms_to_json(assign_buckets(arms)))
    _audit(by, "experiment.created", made, reason)
    return made


def start_experiment(experiment_id: UUID, *, by: Actor, reason: str, accept: Accept = lambda *_: None) -> Experiment:
    """Apply a draft's arms to their shares of the subjects from now on. Does nothing if it runs already.

    Raises ExperimentUnknown, ExperimentConflict for one that has ended or while another one runs.
    """
    lock_policy()
    experiment = _load_accepted(experiment_id, accept)
    if experiment.status == ExperimentStatus.ENDED:
        raise ExperimentConflict("This experiment has ended; an experiment runs once.")
    if Experiment.objects.filter(status=ExperimentStatus.RUNNING).exclude(id=experiment_id).exists():
        raise ExperimentConflict("Another experiment is running; end it first.")
    if experiment.status == ExperimentStatus.DRAFT:
        experiment.status, experiment.started_at = ExperimentStatus.RUNNING, utc_now()
        _save(experiment, "experiment.started", by, reason)
    return experiment


def end_experiment(experiment_id: UUID, *, by: Actor, reason: str, accept: Accept = lambda *_: None) -> Experiment:
    """Apply the active policy to all subjects again; receipts keep arm and name. Does nothing if it has ended already.

    Raises ExperimentUnknown, ExperimentConflict for a draft.
    """
    lock_policy()
    experiment = _load_accepted(experiment_id, accept)
    if experiment.status == ExperimentStatus.DRAFT:
        raise ExperimentConflict("This experiment has not been started.")
    if experiment.status == ExperimentStatus.RUNNING:
        experiment.status, experiment.ended_at = ExperimentStatus.ENDED, utc_now()
        _save(experiment, "experiment.ended", by, reason)
    return experiment


def reassign_subjects(
    experiment_id: UUID,
    percents: Mapping[str, int],
    *,
    by: Actor,
    reason: str,
    accept: Accept = lambda *_: None,
) -> Experiment:
    """Change the percentages of arms, by name; as few subjects move as possible
    (:func:`tenants.policies.arms.assign_buckets`).

    Raises ExperimentUnknown, ExperimentRefused for an arm that is not there or more than 100, ExperimentConflict for
    one that has ended.
    """
    lock_policy()
    experiment = _load_accepted(experiment_id, accept)
    if experiment.status == ExperimentStatus.ENDED:
        raise ExperimentConflict("This experiment has ended.")
    arms = read_arms(experiment.arms)
    strange = sorted(percents.keys() - {arm.name for arm in arms})
    shared = [replace(arm, percent=percents.get(arm.name, arm.percent)) for arm in arms]
    names = ", ".join(arm.name for arm in arms)
    _refuse(
        [
            *(FieldFault("percents", "unknown_arm", f"Must name one of the arms: {names}.") for _ in strange),
            *_find_overflow(shared),
        ]
    )
    experiment.arms = arms_to_json(assign_buckets(shared))
    _save(experiment, "experiment.shared_out", by, reason)
    return experiment


def _load_accepted(experiment_id: UUID, accept: Accept) -> Experiment:
    experiment = experiment_by_id(experiment_id)
    accept(experiment.id, experiment.version)
    return experiment


def _save(experiment: Experiment, action: str, by: Actor, reason: str) -> None:
    experiment.version += 1
    experiment.save()
    Tenant.objects.filter(id=current_tenant_id()).update(policy_epoch=F("policy_epoch") + 1)
    _audit(by, action, experiment, reason)


def _find_faults(arms: Sequence[Arm]) -> Iterator[FieldFault]:
    if len(arms) < 2:  # noqa: PLR2004 - one arm has nothing beside it
        yield FieldFault("arms", "too_few", "Must have at least 2 arms; one may use the active version.")
    for index, arm in enumerate(arms):
        if Counter(one.name for one in arms)[arm.name] > 1:
            yield FieldFault(f"arms.{index}.name", "repeated", "Give each arm a different name.")
    yield from _find_overflow(arms)


def _find_overflow(arms: Sequence[Arm]) -> Iterator[FieldFault]:
    if sum(arm.percent for arm in arms) > BUCKETS:
        yield FieldFault("arms", "over_100", "The percentages must add up to at most 100.")


def _find_unknown_versions(arms: Sequence[Arm]) -> Iterator[FieldFault]:
    known = set(
        PolicyVersion.objects.filter(number__in=[arm.policy_version for arm in arms]).values_list("number", flat=True)
    )
    for index, arm in enumerate(arms):
        if arm.policy_version not in known:
            yield FieldFault(f"arms.{index}.policy_version", "policy_unknown", "There is no version with this number.")


def _refuse(faults: Sequence[FieldFault]) -> None:
    if faults:
        raise ExperimentRefused("The arms are invalid.", faults=faults)


def _audit(by: Actor, action: str, experiment: Experiment, reason: str) -> None:
    record_audit(by, action, object_kind="experiment", object_id=str(experiment.id), reason=reason)

"""The policy versions in force for a tenant: the active one, and the arms of the running experiment.

The check of a key returns the epoch; each process reads an epoch once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from memory_platform.postgres.prepared_statements import Rows, Statement
from tenants.policies.arms import Arm, bucket_of, list_owners, read_arms
from tenants.policies.sections import Document

_STEERING = """
SELECT t.policy_epoch, t.policy_version, t.locale, e.id, e.name, e.arms, (
  SELECT jsonb_object_agg(v.number, v.document) FROM policy_version v
  WHERE v.tenant_id = t.id AND (v.number = t.policy_version OR v.number IN (
    SELECT (arm ->> 'policy_version')::integer FROM jsonb_array_elements(e.arms) arm
  ))
)
FROM tenant t LEFT JOIN experiment e ON e.tenant_id = t.id AND e.status = 'running'
WHERE t.id = $1
"""


@dataclass(frozen=True, slots=True)
class RunningExperiment:
    """The running experiment: its name, and the arm of each bucket."""

    id: UUID
    name: str
    owners: Mapping[int, Arm]

    def arm_of(self, subject_external_id: str) -> Arm | None:
        """Return a subject's arm, or None."""
        return self.owners.get(bucket_of(self.id, subject_external_id))


@dataclass(frozen=True, slots=True)
class ActivePolicy:
    """One epoch of a tenant: the active version's number, the documents by number, the running experiment, and the
    tenant's locale, "" if it has none."""

    epoch: int
    active: int
    documents: Mapping[int, Document]
    running: RunningExperiment | None = None
    locale: str = ""


def active_policy_statement(tenant_id: UUID) -> Statement:
    return Statement(_STEERING, [tenant_id])


def build_active_policy(rows: Rows) -> ActivePolicy:
    """Return the row of :func:`steering_statement` as a value."""
    epoch, active, locale, experiment_id, name, arms, documents = rows[0]
    running = RunningExperiment(experiment_id, name, list_owners(read_arms(arms))) if experiment_id else None
    by_number = {int(number): document for number, document in (documents or {}).items()}
    return ActivePolicy(epoch, active, by_number, running, locale)

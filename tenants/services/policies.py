"""Versions of a tenant's policy: propose, create, activate, compare. All in the open scope.

The check of a key returns the epoch of the policies in force; each process reads an epoch once.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import F, Max

from memory_platform.postgres.prepared_statements import Rows, Statement, fetch_prepared
from tenants.errors import PolicyUnchanged, PolicyUnknown
from tenants.isolation import current_tenant_id
from tenants.models import PolicyVersion, Tenant
from tenants.policies.arms import Arm, compute_bucket, list_owners, read_arms
from tenants.policies.policy_documents import (
    Change,
    Document,
    Sections,
    check_document,
    check_removable,
    check_together,
    list_differences,
    merge_changes,
)
from tenants.services.audit import Actor, record_audit

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

    def find_arm_of(self, subject_external_id: str) -> Arm | None:
        return self.owners.get(compute_bucket(self.id, subject_external_id))


@dataclass(frozen=True, slots=True)
class ActivePolicy:
    """One epoch of a tenant: the active version's number, the documents by number, the running experiment, and the
    tenant's locale ("" if it is not set)."""

    epoch: int
    active: int
    documents: Mapping[int, Document]
    running: RunningExperiment | None = None
    locale: str = ""


def build_active_policy_statement(tenant_id: UUID) -> Statement:
    return Statement(_STEERING, [tenant_id])


def build_active_policy(rows: Rows) -> ActivePolicy:
    epoch, active, locale, experiment_id, name, arms, documents = rows[0]
    running = RunningExperiment(experiment_id, name, list_owners(read_arms(arms))) if experiment_id else None
    by_number = {int(number): document for number, document in (documents or {}).items()}
    return ActivePolicy(epoch, active, by_number, running, locale)


# The first version of every tenant; it overrides nothing.
FIRST = 1
# Gets a version's id and the policy's epoch; raises if the caller has seen another one.
Accept = Callable[[UUID, int], None]

_IN_FORCE = """
SELECT v.document -> $2::text FROM tenant t
JOIN policy_version v ON v.tenant_id = t.id AND v.number = t.policy_version
WHERE t.id = $1
"""


@dataclass(frozen=True, slots=True)
class Proposal:
    """The document of a new version, and its differences from its base."""

    based_on: int
    document: Document
    changes: list[Change]


def version_by_number(number: int) -> PolicyVersion:
    found = PolicyVersion.objects.filter(number=number).first()
    if found is None:
        raise PolicyUnknown("No version of the policy has this number.")
    return found


def load_active_section(name: str) -> Mapping[str, Any]:
    """Return the active version's overrides of one section, as JSON; for writers, which have no caller's epoch."""
    rows = fetch_prepared(_IN_FORCE, [current_tenant_id(), name])
    found: Mapping[str, Any] = (rows and rows[0][0]) or {}
    return found


def propose(
    changes: Document, sections: Sections, *, remove: Collection[str] = (), based_on: int | None = None
) -> Proposal:
    """Return the version that ``changes`` over ``based_on`` (by default the active one) would make. Raises InvalidInput
    with the faults, PolicyUnknown, and PolicyUnchanged where nothing would differ."""
    check_removable(remove, sections)
    new = check_document(changes, sections)
    base = version_by_number(active_number() if based_on is None else based_on)
    document = check_together(merge_changes(base.document, new, remove), sections)
    differing = list_differences(base.document, document, sections)
    if not differing:
        raise PolicyUnchanged("The changes have no effect: the base version has these settings already.")
    return Proposal(base.number, document, differing)


def create_version(proposal: Proposal, *, by: Actor, reason: str) -> PolicyVersion:
    """Create the next version, not active yet; leaves an audit record."""
    lock_policy()
    newest = PolicyVersion.objects.aggregate(newest=Max("number"))["newest"] or 0
    made = PolicyVersion.objects.create(
        number=newest + 1, document=proposal.document, based_on=proposal.based_on, reason=reason, author=by.id
    )
    _audit(by, "policy.created", made, reason)
    return made


def activate_version(number: int, *, by: Actor, reason: str, accept: Accept = lambda *_: None) -> PolicyVersion:
    """Activate a version, later or earlier, and add an audit record. Does nothing if it is active already.

    Every process follows with its next request. Raises PolicyUnknown, and errors of ``accept``.
    """
    tenant = lock_policy()
    found = version_by_number(number)
    accept(found.id, tenant.policy_epoch)
    if tenant.policy_version != number:
        Tenant.objects.filter(id=tenant.id).update(policy_version=number, policy_epoch=F("policy_epoch") + 1)
        _audit(by, "policy.activated", found, reason)
    return found


def roll_back(number: int, sections: Sections, *, by: Actor, reason: str) -> PolicyVersion:
    """Create and activate a copy of version ``number``; leaves both audit records.

    So the numbers show in which order the versions were in force. Raises PolicyUnknown, and PolicyUnchanged if the
    active version is equal.
    """
    lock_policy()
    earlier = version_by_number(number)
    differing = compare_versions(active_number(), number, sections)
    if not differing:
        raise PolicyUnchanged("The active version has these settings already.")
    made = create_version(Proposal(number, earlier.document, differing), by=by, reason=reason)
    return activate_version(made.number, by=by, reason=reason)


def compare_versions(before: int, after: int, sections: Sections) -> list[Change]:
    """Return the differences between two versions. Raises PolicyUnknown."""
    return list_differences(version_by_number(before).document, version_by_number(after).document, sections)


def active_number() -> int:
    return Tenant.objects.only("policy_version").get(id=current_tenant_id()).policy_version


def make_first_version() -> None:
    PolicyVersion.objects.create(number=FIRST)


def lock_policy() -> Tenant:
    """Return the tenant's row, locked: changes of the policies in force are serialised."""
    return Tenant.objects.select_for_update(no_key=True).get(id=current_tenant_id())


def _audit(by: Actor, action: str, version: PolicyVersion, reason: str) -> None:
    record_audit(by, action, object_kind="policy_version", object_id=str(version.number), reason=reason)

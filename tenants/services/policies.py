"""Versions of a tenant's policy: proposed, made, activated, compared (row T4). All in the open scope."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import F, Max

from memory_platform.postgres.prepared import fetch_prepared
from tenants.errors import PolicyUnchanged, PolicyUnknown
from tenants.isolation import current_tenant_id
from tenants.models import PolicyVersion, Tenant
from tenants.policies.sections import (
    Change,
    Document,
    Sections,
    check_document,
    check_removable,
    check_together,
    differences,
    merge_changes,
)
from tenants.services.audit import Actor, record_audit

FIRST = 1
"""The version that every tenant begins with; it overrides nothing."""
Accept = Callable[[UUID, int], None]
"""Is told a version's id and the policy's epoch; raises where the caller has seen another one."""

_IN_FORCE = """
SELECT v.document -> $2::text FROM tenant t
JOIN policy_version v ON v.tenant_id = t.id AND v.number = t.policy_version
WHERE t.id = $1
"""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a new version would say, and by what it would differ from the one it is based on."""

    based_on: int
    document: Document
    changes: list[Change]


def version_by_number(number: int) -> PolicyVersion:
    """Return one version. Raises PolicyUnknown."""
    found = PolicyVersion.objects.filter(number=number).first()
    if found is None:
        raise PolicyUnknown("No version of the policy has this number.")
    return found


def section_in_force(name: str) -> Mapping[str, Any]:
    """Return the active version's overrides of one section, as JSON; for writers, who have no caller's epoch."""
    rows = fetch_prepared(_IN_FORCE, [current_tenant_id(), name])
    found: Mapping[str, Any] = (rows and rows[0][0]) or {}
    return found


def propose(
    changes: Document, sections: Sections, *, remove: Collection[str] = (), based_on: int | None = None
) -> Proposal:
    """Return what a version with ``changes`` over ``based_on`` (by default the active one) would say.

    Raises InvalidInput that names what is wrong, PolicyUnknown, and PolicyUnchanged where nothing would differ.
    """
    check_removable(remove, sections)
    new = check_document(changes, sections)
    base = version_by_number(active_number() if based_on is None else based_on)
    document = check_together(merge_changes(base.document, new, remove), sections)
    differing = differences(base.document, document, sections)
    if not differing:
        raise PolicyUnchanged("The changes leave everything as it is.")
    return Proposal(base.number, document, differing)


def create_version(proposal: Proposal, *, by: Actor, reason: str) -> PolicyVersion:
    """Make the next version, which is not active yet; leaves an audit record."""
    lock_steering()
    newest = PolicyVersion.objects.aggregate(newest=Max("number"))["newest"] or 0
    made = PolicyVersion.objects.create(
        number=newest + 1, document=proposal.document, based_on=proposal.based_on, reason=reason, author=by.id
    )
    _audit(by, "policy.created", made, reason)
    return made


def activate_version(number: int, *, by: Actor, reason: str, accept: Accept = lambda *_: None) -> PolicyVersion:
    """Let a version, later or earlier, steer from now on; leaves an audit record. The active one: nothing happens.

    Every process follows with its next request. Raises PolicyUnknown, and what ``accept`` raises.
    """
    tenant = lock_steering()
    found = version_by_number(number)
    accept(found.id, tenant.policy_epoch)
    if tenant.policy_version != number:
        Tenant.objects.filter(id=tenant.id).update(policy_version=number, policy_epoch=F("policy_epoch") + 1)
        _audit(by, "policy.activated", found, reason)
    return found


def roll_back(number: int, sections: Sections, *, by: Actor, reason: str) -> PolicyVersion:
    """Make a version that says what version ``number`` says, and let it steer; leaves both audit records.

    Numbers so tell in which order answers were steered. Raises PolicyUnknown, and PolicyUnchanged where the active
    version steers just so.
    """
    lock_steering()
    earlier = version_by_number(number)
    differing = compare_versions(active_number(), number, sections)
    if not differing:
        raise PolicyUnchanged("The active version steers so already.")
    made = create_version(Proposal(number, earlier.document, differing), by=by, reason=reason)
    return activate_version(made.number, by=by, reason=reason)


def compare_versions(before: int, after: int, sections: Sections) -> list[Change]:
    """Return by what two versions differ. Raises PolicyUnknown."""
    return differences(version_by_number(before).document, version_by_number(after).document, sections)


def active_number() -> int:
    """Return the number of the active version."""
    return Tenant.objects.only("policy_version").get(id=current_tenant_id()).policy_version


def make_first_version() -> None:
    """Give a new tenant the version that overrides nothing."""
    PolicyVersion.objects.create(number=FIRST)


def lock_steering() -> Tenant:
    """Return the tenant's row, locked: whoever changes what answers are steered by goes one after another."""
    return Tenant.objects.select_for_update(no_key=True).get(id=current_tenant_id())


def _audit(by: Actor, action: str, version: PolicyVersion, reason: str) -> None:
    record_audit(by, action, object_kind="policy_version", object_id=str(version.number), reason=reason)

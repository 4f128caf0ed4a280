"""The policies of an answer: the tenant's active version, or that of the subject's arm.

Each process reads an epoch once and caches it. The epoch comes with the check of the key, so an answer costs no further
round trip, and a change reaches every process with its next request.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from memory_platform.kernel.caches import LruCache
from snapshots.context.config import DEFAULT_CONTEXT, ContextPolicy
from snapshots.notes.policy_section import NOTES_SECTION, NotesPolicy
from snapshots.policies.config import HOLDING
from snapshots.policies.policy_sections import ANSWER, CONTEXT, RANKING, SCORING
from snapshots.recall.config import ANSWERS, DEFAULT_RECALL, RecallPolicy
from tenants.isolation.scope import scope_reads, tenant_reads
from tenants.policies.policy_documents import Document
from tenants.services.policies import ActivePolicy, build_active_policy, build_active_policy_statement


@dataclass(frozen=True, slots=True)
class Policies:
    """The policies of one answer. ``experiment`` and ``arm`` by name; "" for a subject outside of experiments."""

    version: str = "1"
    recall: RecallPolicy = DEFAULT_RECALL
    context: ContextPolicy = DEFAULT_CONTEXT
    top_k: int = ANSWERS.top_k
    recalls_documents: bool = ANSWERS.documents
    experiment: str = ""
    arm: str = ""
    tenant_locale: str | None = None
    notes: NotesPolicy = NOTES_SECTION.default


@dataclass(frozen=True, slots=True)
class TenantPolicies:
    """One epoch of a tenant, with every document read."""

    steering: ActivePolicy
    by_version: Mapping[int, Policies]

    def for_subject(self, subject_external_id: str) -> Policies:
        running = self.steering.running
        arm = running.find_arm_of(subject_external_id) if running else None
        if running is None or arm is None:
            return self.by_version[self.steering.active]
        return replace(self.by_version[arm.policy_version], experiment=running.name, arm=arm.name)


# The cached epochs of this process, by tenant.
_CACHE: LruCache[UUID, TenantPolicies] = LruCache(HOLDING.tenants)


def load_effective_policies(tenant_id: UUID, epoch: int, subject_external_id: str) -> Policies:
    """Return the policies of a subject's answers in ``epoch`` or later. If it is not cached, no scope may be open."""
    return _load_tenant_policies(tenant_id, epoch).for_subject(subject_external_id)


def load_effective_notes_policy(tenant_id: UUID, epoch: int) -> NotesPolicy:
    held = _load_tenant_policies(tenant_id, epoch)
    return held.by_version[held.steering.active].notes


def _load_tenant_policies(tenant_id: UUID, epoch: int) -> TenantPolicies:
    held = _CACHE.get(tenant_id)
    if held is None or held.steering.epoch < epoch:
        held = build_tenant_policies(
            build_active_policy(tenant_reads(tenant_id, [build_active_policy_statement(tenant_id)])[0])
        )
        _CACHE.put(tenant_id, held)
    return held


def load_effective_policies_in_scope(tenant_id: UUID, subject_external_id: str) -> Policies:
    """Return the current policies, in the open scope, for callers without a key."""
    return build_tenant_policies(
        build_active_policy(scope_reads([build_active_policy_statement(tenant_id)])[0])
    ).for_subject(subject_external_id)


def build_tenant_policies(steering: ActivePolicy) -> TenantPolicies:
    locale = steering.locale or None
    by_version = {
        number: replace(build_policies(number, document), tenant_locale=locale)
        for number, document in steering.documents.items()
    }
    return TenantPolicies(steering, by_version)


def build_policies(number: int, document: Document) -> Policies:
    scoring = SCORING.apply_values(document.get(SCORING.name, {}))
    ranking = RANKING.apply_values(document.get(RANKING.name, {}))
    context = CONTEXT.apply_values(document.get(CONTEXT.name, {}))
    answer = ANSWER.apply_values(document.get(ANSWER.name, {}))
    notes = NOTES_SECTION.apply_values(document.get(NOTES_SECTION.name, {}))
    return Policies(
        version=str(number),
        recall=replace(DEFAULT_RECALL, scoring=scoring, ranking=ranking),
        context=replace(context, vital_classes=notes.vital_classes),
        top_k=answer.top_k,
        recalls_documents=answer.documents,
        notes=notes,
    )

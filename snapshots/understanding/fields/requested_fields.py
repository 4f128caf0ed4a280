"""The policy section ``fields``: the attributes that a tenant asks for.

A worker loads them together with the subjects of its batch: these carry the epoch of their tenant's policy, and a
process caches the fields of an epoch. The active version decides, whatever the arm of an experiment.
"""

from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from memory_platform.kernel.number_sources import promised
from profiles.models import Subject
from profiles.models.belief import PROFILE_FIELDS
from snapshots.sensitive.detector import is_sensitive, is_sensitive_named
from snapshots.understanding.fields.config import MATCHING
from snapshots.understanding.reading.planted_instruction_classifier import is_instruction
from tenants.isolation import current_tenant_id
from tenants.models import Tenant
from tenants.policies.descriptions_value_kind import Descriptions, FieldDescription
from tenants.policies.policy_documents import Section
from tenants.services.policies import load_active_section

# Looks like a secret under a name that says so ("wifi_password"), and like nothing under any other.
_ANY_SECRET = "x7k2mq9"  # noqa: S105 - an example of one


@dataclass(frozen=True, slots=True)
class FieldsPolicy:
    attributes: tuple[FieldDescription, ...] = promised(())


def find_field_refusal(name: str, text: str) -> str:
    """Return why a text may not describe the field ``name``, "" where it may; without a text, why the name is refused.
    Sensitive data cannot be asked for, and a description must not give orders."""
    if not text:
        if name in PROFILE_FIELDS:
            return f"The profile has this field already: {', '.join(PROFILE_FIELDS)}."
        return "Must not ask for sensitive data." if is_sensitive_named(name, _ANY_SECRET) else ""
    if is_sensitive(text) or is_sensitive_named(name, text):
        return "Must not hold sensitive data."
    return "Must not give orders to a model." if is_instruction(text) else ""


ATTRIBUTES = Descriptions(20, 10, 300, 6, 200, find_field_refusal)
FIELDS_SECTION = Section("fields", FieldsPolicy(), {"attributes": ATTRIBUTES})
RequestedFields = tuple[FieldDescription, ...]


def annotate_policy_epoch(subjects: QuerySet[Subject]) -> QuerySet[Subject]:
    tenant = Tenant.objects.filter(id=OuterRef("tenant_id"))
    return subjects.annotate(policy_epoch=Subquery(tenant.values("policy_epoch")[:1]))


def load_requested_fields(subjects: list[Subject]) -> RequestedFields:
    """Return the fields that the tenant of these subjects, which carry its policy epoch, asks for, in the open
    scope."""
    if not subjects:
        return ()
    return _load_fields_of_epoch(current_tenant_id(), int(subjects[0].policy_epoch))  # type: ignore[attr-defined]


@lru_cache(maxsize=MATCHING.tenants)
def _load_fields_of_epoch(_tenant_id: UUID, _epoch: int) -> RequestedFields:
    """The arguments are the key of the cache."""
    return load_active_fields()


def load_active_fields() -> RequestedFields:
    return FIELDS_SECTION.apply_values(load_active_section(FIELDS_SECTION.name)).attributes

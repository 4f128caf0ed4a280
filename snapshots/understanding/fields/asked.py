"""The fields that a tenant asks for, loaded together with the subjects of a worker's batch.

The subjects carry the epoch of their tenant's policy, and a process caches the fields of an epoch: a tenant that asks
for nothing costs no further query. The active version decides, whatever the arm of an experiment.
"""

from functools import lru_cache
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from profiles.models import Subject
from snapshots.understanding.fields.config import MATCHING
from snapshots.understanding.fields.section import FIELDS_SECTION
from tenants.isolation import current_tenant_id
from tenants.models import Tenant
from tenants.policies.descriptions import FieldDescription
from tenants.services.policies import section_in_force

Asked = tuple[FieldDescription, ...]


def with_epoch(subjects: QuerySet[Subject]) -> QuerySet[Subject]:
    tenant = Tenant.objects.filter(id=OuterRef("tenant_id"))
    return subjects.annotate(policy_epoch=Subquery(tenant.values("policy_epoch")[:1]))


def fields_asked(subjects: list[Subject]) -> Asked:
    """Return the fields that the tenant of these subjects (:func:`with_epoch`) asks for, in the open scope."""
    if not subjects:
        return ()
    return _fields_of(current_tenant_id(), int(subjects[0].policy_epoch))  # type: ignore[attr-defined]


@lru_cache(maxsize=MATCHING.tenants)
def _fields_of(_tenant_id: UUID, _epoch: int) -> Asked:
    """The arguments are the key of the cache."""
    return fields_in_force()


def fields_in_force() -> Asked:
    return FIELDS_SECTION.apply(section_in_force(FIELDS_SECTION.name)).attributes

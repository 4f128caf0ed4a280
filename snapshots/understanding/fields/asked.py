"""Which fields a tenant asks for, read with what a worker reads anyway.

The subjects that a worker looks up bring the epoch of their tenant's policy along. What belongs to an epoch is read
once by each process, so a tenant that asks for nothing costs no further query. How memories are learned is the active
version's, whatever the arm of an experiment.
"""

import threading
from collections import OrderedDict
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


class HeldFields:
    """What this process has read, by tenant, each with its epoch. Safe between threads."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held: OrderedDict[UUID, tuple[int, Asked]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, tenant_id: UUID, epoch: int) -> Asked | None:
        """Return what is held of this epoch or a later one; None for nothing."""
        held = self._held.get(tenant_id)
        return held[1] if held is not None and held[0] >= epoch else None

    def put(self, tenant_id: UUID, epoch: int, asked: Asked) -> None:
        """Hold what was read; the tenant that was read longest ago goes where there are too many."""
        with self._lock:
            self._held[tenant_id] = (epoch, asked)
            self._held.move_to_end(tenant_id)
            if len(self._held) > self._limit:
                self._held.popitem(last=False)


HELD = HeldFields(MATCHING.tenants)


def with_epoch(subjects: QuerySet[Subject]) -> QuerySet[Subject]:
    tenant = Tenant.objects.filter(id=OuterRef("tenant_id"))
    return subjects.annotate(policy_epoch=Subquery(tenant.values("policy_epoch")[:1]))


def fields_asked(subjects: list[Subject]) -> Asked:
    """Return which fields the tenant of these subjects (:func:`with_epoch`) asks for, in the open scope."""
    if not subjects:
        return ()
    tenant_id, epoch = current_tenant_id(), int(subjects[0].policy_epoch)  # type: ignore[attr-defined]
    held = HELD.get(tenant_id, epoch)
    if held is None:
        held = fields_in_force()
        HELD.put(tenant_id, epoch, held)
    return held


def fields_in_force() -> Asked:
    """Return which fields the tenant of the open scope asks for now; one query."""
    return FIELDS_SECTION.apply(section_in_force(FIELDS_SECTION.name)).attributes

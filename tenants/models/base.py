"""The base of tenant-owned models."""

from collections.abc import Collection
from typing import Any, ClassVar, Self

from django.db import models

from memory_platform.kernel.ids import new_id
from tenants.isolation.manager import TenantManager
from tenants.isolation.scope import current_tenant_id
from tenants.models.tenant import Tenant


class TenantForeignKey(models.ForeignKey[Any, Any]):
    """A foreign key inside one tenant. The database holds it as (tenant_id, x_id): see ``Protect``.

    Deletion cascades in the database (nullable keys are set to NULL there), so Django does nothing.
    """

    def __init__(self, to: Any, **kwargs: Any) -> None:
        kwargs.setdefault("related_name", "+")
        kwargs.update(on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
        super().__init__(to, **kwargs)


class TenantOwned(models.Model):
    """A row of one tenant. The migration that creates its table must protect it."""

    tenant = models.ForeignKey(
        Tenant,
        models.DO_NOTHING,
        default=current_tenant_id,
        editable=False,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    id = models.UUIDField(primary_key=True, default=new_id, editable=False)

    objects: ClassVar[TenantManager[Self]] = TenantManager()

    class Meta:
        abstract = True
        base_manager_name = default_manager_name = "objects"

    def validate_constraints(self, exclude: Collection[str] | None = None) -> None:
        """Check unique constraints with ``tenant``: it is no form field, so forms would skip them all."""
        super().validate_constraints(exclude=set(exclude or ()) - {"tenant"})

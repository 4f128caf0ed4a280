"""The base of tenant-owned models. A query compiled outside a tenant's scope raises instead of answering."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from django.db import models
from django.db.models.expressions import Expression

from memory_platform.kernel.ids import new_id
from tenants.isolation.scope import current_tenant_id
from tenants.models.tenant import Tenant

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.models.sql.compiler import SQLCompiler
Row_co = TypeVar("Row_co", bound=models.Model, covariant=True)


class CurrentTenant(Expression):
    """The tenant of the scope in which the query is compiled, not of the one in which it was written. Raising when
    compiled, not in ``get_queryset``, keeps class-level querysets, ModelForms, Prefetch and pickling working."""

    output_field = models.UUIDField()

    def as_sql(self, compiler: "SQLCompiler", connection: "BaseDatabaseWrapper") -> tuple[str, tuple[Any, ...]]:
        return "%s", (current_tenant_id(),)

    def resolve_expression(self, *args: Any, **kwargs: Any) -> Self:
        return self


class TenantManager(models.Manager[Row_co]):
    """Filters every query by the tenant of the open scope."""

    def get_queryset(self) -> models.QuerySet[Row_co]:
        return super().get_queryset().filter(tenant_id=CurrentTenant())


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

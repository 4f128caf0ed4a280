"""The fail-closed manager: a query compiled outside a tenant's scope raises instead of answering."""

from typing import TYPE_CHECKING, Any, Self, TypeVar

from django.db import models
from django.db.models.expressions import Expression

from tenants.isolation.scope import current_tenant_id

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.models.sql.compiler import SQLCompiler

Row_co = TypeVar("Row_co", bound=models.Model, covariant=True)


class CurrentTenant(Expression):
    """The tenant of the scope in which the query is compiled, not of the one in which it was written.

    Raising when compiled, not in ``get_queryset``, keeps class-level querysets, ModelForms, Prefetch and pickling
    working.
    """

    output_field = models.UUIDField()

    def as_sql(self, compiler: "SQLCompiler", connection: "BaseDatabaseWrapper") -> tuple[str, tuple[Any, ...]]:
        return "%s", (current_tenant_id(),)

    def resolve_expression(self, *args: Any, **kwargs: Any) -> Self:
        return self


class TenantManager(models.Manager[Row_co]):
    """Filters every query by the tenant of the open scope."""

    def get_queryset(self) -> models.QuerySet[Row_co]:
        return super().get_queryset().filter(tenant_id=CurrentTenant())

"""Fields that most tenant-owned tables have, for migrations that make many of them."""

from typing import Any

from django.db import models

from memory_platform.kernel.ids import new_id
from tenants.isolation.scope import current_tenant_id
from tenants.models.base import TenantForeignKey

Column = tuple[str, models.Field[Any, Any]]


def identity() -> Column:
    return "id", models.UUIDField(default=new_id, editable=False, primary_key=True, serialize=False)


def of_tenant() -> Column:
    field = models.ForeignKey(
        db_constraint=False,
        db_index=False,
        default=current_tenant_id,
        editable=False,
        on_delete=models.DO_NOTHING,
        related_name="+",
        to="tenants.tenant",
    )
    return "tenant", field


def of_subject() -> Column:
    field = TenantForeignKey(
        db_constraint=False,
        db_index=False,
        on_delete=models.DO_NOTHING,
        related_name="+",
        to="profiles.subject",
        verbose_name="subject",
    )
    return "subject", field

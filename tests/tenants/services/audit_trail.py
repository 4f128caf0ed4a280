"""Makes audit records, and changes them as only the owner of the tables can."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connections, transaction

from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, AuditSeal
from tenants.services.audit import COMMAND_LINE, record_audit
from tests.conftest import House


def record_acts(house: House, *reasons: str) -> None:
    for reason in reasons:
        with tenant_tx(house.tenant.id):
            record_audit(COMMAND_LINE, "test.acted", object_kind="test", object_id="7", reason=reason)


def list_records(house: House) -> list[AuditRecord]:
    with tenant_tx(house.tenant.id):
        return list(AuditRecord.objects.order_by("at", "id"))


def list_seals(house: House) -> list[AuditSeal]:
    with tenant_tx(house.tenant.id):
        return list(AuditSeal.objects.order_by("number"))


@contextmanager
def owner_cursor(house: House) -> Iterator[Any]:
    """Open a transaction of the tables' owner in one tenant: row-level security binds the owner, too."""
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        cursor.execute("SELECT set_config('app.tenant_id', %s, true)", [str(house.tenant.id)])
        yield cursor


def run_as_owner(house: House, sql: str, *given: object) -> None:
    with owner_cursor(house) as cursor:
        cursor.execute(sql, given)
        assert cursor.rowcount > 0

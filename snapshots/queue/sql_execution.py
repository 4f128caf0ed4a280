"""Running the queue's SQL in the open ``tenant_tx``."""

from collections.abc import Iterable
from typing import Any

from django.db import connection

from snapshots.queue.values import ClaimedWork
from tenants.isolation import current_tenant_id


def run_sql(statement: str, **parameters: Any) -> list[tuple[Any, ...]]:
    """Run one statement for the tenant of the open scope and return its rows."""
    with connection.cursor() as cursor:
        cursor.execute(statement, {"tenant": current_tenant_id(), **parameters})
        return cursor.fetchall() if cursor.description else []


def run_sql_for_items(statement: str, items: Iterable[ClaimedWork], **parameters: Any) -> list[tuple[Any, ...]]:
    """Run one statement about ``items`` and return its rows; it affects only those whose lease is still theirs."""
    held = list(items)
    if not held:
        return []
    ids, tokens = [item.id for item in held], list({item.lease_token for item in held})
    return run_sql(statement, ids=ids, tokens=tokens, **parameters)

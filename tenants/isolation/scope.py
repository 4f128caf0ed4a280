"""The only access to a tenant's data: :func:`tenant_tx`."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from uuid import UUID

from django.db import DatabaseError, connection, transaction
from psycopg import pq

from memory_platform.postgres.prepared_statements import Rows, Statement, fetch_together
from tenants.config import SCOPE_CONFIG
from tenants.errors import TenantScopeMissing

# A prepared statement is planned once. By default Postgres plans its first five runs on each connection for their
# values, and a large one ever after, which takes longer than running it.
_GENERIC = "set_config('plan_cache_mode', 'force_generic_plan', true)"

# A process that is stopped in the middle of a transaction would hold its locks for ever: Postgres ends it.
_OPEN = f"""
SELECT set_config('app.tenant_id', %s, true), set_config('idle_in_transaction_session_timeout', %s, true), {_GENERIC}
"""
_IDLE = f"{SCOPE_CONFIG.idle.total_seconds():.0f}s"

_OPEN_TO_READ = f"""
SELECT set_config('app.tenant_id', $1, true), set_config('transaction_read_only', 'on', true), {_GENERIC}
"""
_OPEN_TO_NOTE = f"""
SELECT set_config('app.tenant_id', $1, true), set_config('synchronous_commit', 'off', true), {_GENERIC}
"""
_OPEN_WITHIN = "SELECT set_config('app.tenant_id', $1, true)"

_SAVE = Statement("SAVEPOINT reads")
_UNDO, _RELEASE = Statement("ROLLBACK TO SAVEPOINT reads"), Statement("RELEASE SAVEPOINT reads")

_tenant: ContextVar[UUID | None] = ContextVar("tenant", default=None)


def current_tenant_id() -> UUID:
    tenant_id = _tenant.get()
    if tenant_id is None:
        raise TenantScopeMissing
    return tenant_id


@contextmanager
def tenant_tx(tenant_id: UUID) -> Iterator[None]:
    """Open one transaction inside one tenant; commit at the end, roll back on an exception.

    The database learns the tenant through a transaction-local setting, the code through a context variable; both end
    with the block, so a pooled connection cannot carry a tenant to its next borrower. Scopes do not nest
    (RuntimeError): a verb opens exactly one. Code run by ``transaction.on_commit`` runs after the tenant is gone.
    """
    if _tenant.get() is not None:
        raise RuntimeError("tenant_tx does not nest: the tenant's transaction is already open")
    try:
        with transaction.atomic(durable=True):
            _set_database_tenant(str(tenant_id))
            token = _tenant.set(tenant_id)
            try:
                yield
            finally:
                _tenant.reset(token)
    finally:
        if connection.in_atomic_block:
            # Only tests wrap a scope in a transaction of their own; there SET LOCAL would outlive it and hide mistakes.
            _set_database_tenant("")


def tenant_reads(tenant_id: UUID, statements: Sequence[Statement]) -> list[Rows]:
    """Run constant read-only statements inside one tenant, in one round trip; return the rows of each.

    They are a read-only transaction of their own, which ends with them, and with it the tenant's setting. For the path
    of an answer: :func:`tenant_tx` opens, tells, reads and ends in a round trip each. Does not nest in a scope.
    """
    return _run_in_own_transaction(tenant_id, _OPEN_TO_READ, statements)


def tenant_writes(tenant_id: UUID, statements: Sequence[Statement]) -> list[Rows]:
    """Run constant statements whose writes may be lost in a crash, in one round trip; return the rows of each.

    They are a transaction of their own that commits without waiting for the disk. Does not nest in a scope.
    """
    return _run_in_own_transaction(tenant_id, _OPEN_TO_NOTE, statements)


def scope_reads(statements: Sequence[Statement]) -> list[Rows]:
    """Run constant read-only statements in the open scope, in one round trip; return the rows of each. A savepoint
    keeps the scope usable after a failed statement, which raises the errors of Django's cursors."""
    current_tenant_id()
    try:
        return fetch_together([_SAVE, *statements, _RELEASE])[1:-1]
    except DatabaseError:
        if connection.connection.pgconn.transaction_status == pq.TransactionStatus.INERROR:  # else nothing was sent
            fetch_together([_UNDO, _RELEASE])
        raise


def _run_in_own_transaction(tenant_id: UUID, opening: str, statements: Sequence[Statement]) -> list[Rows]:
    if _tenant.get() is not None:
        raise RuntimeError("this opens a scope of its own: the tenant's transaction is already open")
    connection.ensure_connection()
    if not connection.in_atomic_block:
        return fetch_together([Statement(opening, [str(tenant_id)]), *statements])[1:]
    try:  # only tests wrap a scope in a transaction of their own
        return fetch_together([Statement(_OPEN_WITHIN, [str(tenant_id)]), *statements])[1:]
    finally:
        _set_database_tenant("")


def _set_database_tenant(tenant: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_OPEN, [tenant, _IDLE])

"""A rule for all providers: no model is called while a transaction is open."""

from django.db import connections

from memory_platform.kernel.errors import MemoryPlatformError


class ModelCallInTransaction(MemoryPlatformError):
    """A model was called inside a transaction: a slow model would hold locks and a connection."""

    code = "model_call_in_transaction"


def forbid_open_transaction() -> None:
    """Raise ModelCallInTransaction if this thread has an open transaction on any connection. The blocks that a test
    case itself opens do not count: it is the test that Django uses for ``durable=True``."""
    for connection in connections.all(initialized_only=True):
        if any(not getattr(block, "_from_testcase", False) for block in connection.atomic_blocks):
            raise ModelCallInTransaction(f"a model was called inside a transaction on {connection.alias!r}")

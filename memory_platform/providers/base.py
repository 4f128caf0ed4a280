"""What every provider shares: no model is called while a transaction is open."""

from django.db import connections

from memory_platform.kernel.errors import MemoryPlatformError


class ModelCallInTransaction(MemoryPlatformError):
    """A model was called while a transaction was open: a slow model would hold locks and a connection."""

    code = "model_call_in_transaction"


def forbid_open_transaction() -> None:
    """Raise ModelCallInTransaction when a transaction of ours is open on any connection of this thread.

    The blocks that a test case itself opens do not count: it is the test that Django uses for ``durable=True``.
    """
    for connection in connections.all(initialized_only=True):
        if any(not getattr(block, "_from_testcase", False) for block in connection.atomic_blocks):
            raise ModelCallInTransaction(f"a model was called inside a transaction on {connection.alias!r}")

"""What can go wrong with work."""

from memory_platform.kernel.errors import Conflict


class LeaseLost(Conflict):
    """The lease ran out and somebody else has the item: whatever was computed must not be written."""

    code = "lease_lost"

    def __init__(self) -> None:
        super().__init__("the lease on this work has passed to somebody else")

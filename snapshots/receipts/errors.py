"""What can go wrong while a receipt is left."""

from memory_platform.kernel.errors import Unavailable


class ContextOutdated(Unavailable):
    """What a context shows was changed or erased while it was made. HTTP 503: the next one shows what is held then."""

    code = "context_outdated"

    def __init__(self) -> None:
        super().__init__("What this context shows was changed while it was made.")

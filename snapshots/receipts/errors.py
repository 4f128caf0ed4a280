"""Errors of writing a receipt."""

from memory_platform.kernel.errors import Unavailable


class ContextOutdated(Unavailable):
    """The content of a context was changed or erased while it was made. HTTP 503: a retry shows the current content."""

    code = "context_outdated"

    def __init__(self) -> None:
        super().__init__("What this context shows was changed while it was made.")

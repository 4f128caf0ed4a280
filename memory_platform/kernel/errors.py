"""The root of every error the platform raises on purpose.

Each error carries a stable ``code`` that outside programs may rely on. Only ``memory_platform.api.errors.handler``
turns codes into HTTP statuses. ``detail`` is read by the caller of the API: it names fields and limits, never content.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldFault:
    """One fault of one field of a request; ``field`` is a dotted path such as ``messages.3.role``."""

    field: str
    code: str
    message: str


FAULTS_TOLD = 3


def describe_faults(faults: Sequence[FieldFault]) -> str:
    """Return the first faults in one text, each behind its field; "" for none."""
    return " ".join(f"{fault.field}: {fault.message}" for fault in faults[:FAULTS_TOLD])


class MemoryPlatformError(Exception):
    """Base of all errors. ``code`` is public and never renamed; ``retryable`` says whether a retry can help.

    An error without a ``detail`` of its own tells its faults.
    """

    code = "internal_error"
    retryable = False

    def __init__(self, detail: str = "", *, faults: Sequence[FieldFault] = ()) -> None:
        self.detail = detail or describe_faults(faults)
        super().__init__(self.detail)
        self.faults = tuple(faults)


class InvalidInput(MemoryPlatformError):
    """The request is malformed; ``faults`` names each field. HTTP 400."""

    code = "invalid_input"


class NotFound(MemoryPlatformError):
    """Nothing with this id is visible to the caller (another tenant's object answers the same). HTTP 404."""

    code = "not_found"


class Conflict(MemoryPlatformError):
    """The current state does not allow it. HTTP 409."""

    code = "conflict"


class VersionMismatch(MemoryPlatformError):
    """``If-Match`` names a version that is not the current one. HTTP 412."""

    code = "version_mismatch"


class Refused(MemoryPlatformError):
    """The request is well-formed and understood, and refused. HTTP 422."""

    code = "refused"


class Unavailable(MemoryPlatformError):
    """A part that this call needs does not answer. HTTP 503."""

    code = "unavailable"
    retryable = True

"""Errors of the development stack; ``detail`` is printed to the person at the terminal."""

from memory_platform.kernel.errors import MemoryPlatformError


class DevStackError(MemoryPlatformError):
    """Base of this package's errors. ``detail`` names the failure and the remedy."""

    code = "devstack_error"


class BinaryMissing(DevStackError):
    """A server binary that the stack needs is not installed."""

    code = "devstack_binary_missing"


class AlreadyRunning(DevStackError):
    """Another living process holds this data directory."""

    code = "devstack_already_running"


class StartFailed(DevStackError):
    """A server ended, or did not answer, before it was ready."""

    code = "devstack_start_failed"


class StepFailed(DevStackError):
    """A one-time step, such as the migrations, failed; its own output says why."""

    code = "devstack_step_failed"


class StopRequested(DevStackError):
    """The person pressed Ctrl-C, or the system asked the process to end, during a step."""

    code = "devstack_stop_requested"


class CannotStart(DevStackError):
    code = "devstack_cannot_start"

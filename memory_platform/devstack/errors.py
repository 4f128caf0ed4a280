"""What can go wrong while bringing up the development stack; ``detail`` is printed to the person at the console."""

from memory_platform.kernel.errors import MemoryPlatformError


class DevStackError(MemoryPlatformError):
    """Base of this room's errors: ``detail`` says what happened and what to do."""

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
    """A step that ends by itself, such as the migrations, ended with a fault; its own lines say which."""

    code = "devstack_step_failed"


class StopRequested(DevStackError):
    """The person pressed Ctrl-C, or the system asked us to end, while something was under way."""

    code = "devstack_stop_requested"


class CannotStart(DevStackError):
    """Something outside the stack is in the way, such as a port in use or half a configuration."""

    code = "devstack_cannot_start"

"""One living owner per data directory, and the end of processes that a dead owner left behind."""

import contextlib
import fcntl
import os
from pathlib import Path
from signal import SIGKILL, SIGTERM

import psutil

from memory_platform.devstack.errors import AlreadyRunning


class DirectoryLock:
    """An advisory lock that the kernel releases when its holder dies."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Take the lock; harmless if it is held already. Raises AlreadyRunning if another process has it."""
        if self._descriptor is not None:
            return
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(descriptor, 32).decode(errors="replace").strip() or "unknown"
            os.close(descriptor)
            raise AlreadyRunning(f"{self._path.parent} is in use by process {holder}.") from None
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        self._descriptor = descriptor

    def release(self) -> None:
        """Release the lock; harmless if it is not held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def kill_leftovers(program: str, directory: Path, *, main_pid: int | None, signal: int, patience: float) -> None:
    """End the processes named ``program`` that still work in ``directory``; call it only while holding its lock.

    A killed supervisor leaves its servers running: their main process gets ``signal``. A killed server leaves children
    that end by themselves shortly. Processes that live after ``patience`` seconds are killed.
    """
    leftovers = [process for process in psutil.process_iter(["name"]) if _works_in(process, program, directory)]
    for process in leftovers:
        if process.pid == main_pid:
            _send(process, signal)
    _await_end(leftovers, patience)


def kill_marked(variable: str, value: str, *, patience: float) -> int:
    """End the processes with ``variable=value`` in their environment; return their number. Web and worker processes
    outlive a killed supervisor; they are recognised by the environment that they inherited."""
    marked = [process for process in psutil.process_iter() if _is_marked(process, variable, value)]
    for process in marked:
        _send(process, SIGTERM)
    _await_end(marked, patience)
    return len(marked)


def _await_end(processes: list[psutil.Process], patience: float) -> None:
    _, alive = psutil.wait_procs(processes, timeout=patience)
    for process in alive:
        _send(process, SIGKILL)
    psutil.wait_procs(alive, timeout=patience)


def _is_marked(process: psutil.Process, variable: str, value: str) -> bool:
    try:
        return process.pid != os.getpid() and process.environ().get(variable) == value
    except (psutil.Error, OSError):
        return False


def _works_in(process: psutil.Process, program: str, directory: Path) -> bool:
    try:
        return process.name().startswith(program) and Path(process.cwd()) == directory.resolve()
    except psutil.Error:
        return False


def _send(process: psutil.Process, signal: int) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        process.send_signal(signal)

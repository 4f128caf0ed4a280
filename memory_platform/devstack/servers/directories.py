"""The directories of the embedded servers, as near to the data directory as the system allows; one living owner for
each, and the end of processes that a dead owner left behind."""

import contextlib
import fcntl
import hashlib
import os
import tempfile
from pathlib import Path
from signal import SIGKILL, SIGTERM

import psutil

from memory_platform.devstack.config import ServerConfig
from memory_platform.devstack.errors import AlreadyRunning, StartFailed
from memory_platform.devstack.processes.program_command import Identity, can_reach, change_owner

SYSTEM_HOME = Path("/var/lib/memory-platform")


def find_server_home(directory: Path, identity: Identity | None, *, durable: bool) -> Path:
    """Return the directory for a server's files: ``directory`` itself, or a place that ``identity`` can reach.

    A clone below root's home is closed to the unprivileged user. Its data then lives in the system's place for such
    data (or in the temporary folder when it need not last), and ``directory/elsewhere`` points to it.
    """
    directory.mkdir(parents=True, exist_ok=True)
    if can_reach(directory, identity):
        return directory
    base = SYSTEM_HOME if durable else Path("/tmp/memory-platform")  # noqa: S108 - the folder inside is checked for its owner
    home = base / _digest(directory)
    home.mkdir(parents=True, exist_ok=True)
    link = directory / "elsewhere"
    if link.is_symlink():
        link.unlink()
    link.symlink_to(home)
    return home


def find_socket_directory(home: Path, identity: Identity | None, *, longest_name: int) -> Path:
    """Return a private directory whose socket paths are short enough for the system (about 100 characters).
    ``longest_name`` is the length of the longest socket name. Raises StartFailed when no such place exists."""
    limit = ServerConfig().socket_path_limit - longest_name - 1
    name = f"mp-{_digest(home)}"
    places = (home / "run", Path(tempfile.gettempdir()) / name, Path("/tmp") / name)  # noqa: S108 - owner is checked below
    for place in places:
        if len(os.fsencode(place)) <= limit and can_reach(place.parent, identity):
            return make_private_directory(place, identity)
    raise StartFailed(f"No place for a socket: {home} is too deep. Choose a shorter data directory.")


def make_private_directory(path: Path, identity: Identity | None) -> Path:
    """Make ``path`` a directory that only its owner may enter. Raises StartFailed if it belongs to somebody else."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    owner = path.lstat().st_uid
    expected = {os.geteuid()} | ({identity.uid} if identity else set())
    if owner not in expected or path.is_symlink():
        raise StartFailed(f"{path} belongs to somebody else: remove it.")
    path.chmod(0o700)
    change_owner(path, identity)
    return path


def _digest(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:12]


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
    _wait_or_kill(leftovers, patience)


def kill_marked(variable: str, value: str, *, patience: float) -> int:
    """End the processes with ``variable=value`` in their environment; return their number. Web and worker processes
    outlive a killed supervisor; they are recognised by the environment that they inherited."""
    marked = [process for process in psutil.process_iter() if _is_marked(process, variable, value)]
    for process in marked:
        _send(process, SIGTERM)
    _wait_or_kill(marked, patience)
    return len(marked)


def _wait_or_kill(processes: list[psutil.Process], patience: float) -> None:
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

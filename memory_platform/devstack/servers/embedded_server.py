"""The common part of the embedded Postgres and Redis: prepare, start, watch, stop, kill."""

import contextlib
import os
import subprocess
import time
from abc import ABC, abstractmethod
from pathlib import Path

from memory_platform.devstack.config import ServerConfig
from memory_platform.devstack.errors import StartFailed
from memory_platform.devstack.processes.program_command import ProgramCommand
from memory_platform.devstack.servers.directories import DirectoryLock, kill_leftovers

LOG_TAIL_BYTES = 2000


class EmbeddedServer(ABC):
    """A server that is a child process of ours and keeps its files in one directory.

    A supervisor uses ``prepare``, ``command``, ``is_ready`` and ``stop_signal``, and spawns the process itself;
    everybody else uses ``start`` and ``stop``.
    """

    program: str
    stop_signal: int

    def __init__(self, home: Path, *, durable: bool) -> None:
        self.home = home
        self.durable = durable
        self.policy = ServerConfig()
        self._lock = DirectoryLock(home / f"{self.program}.lock")
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def process_name(self) -> str:
        return self.program

    @property
    @abstractmethod
    def work_directory(self) -> Path:
        pass

    @property
    @abstractmethod
    def pid_file(self) -> Path:
        """The file whose first line is the main process's id while it lives, and after a crash."""

    @abstractmethod
    def create(self) -> None:
        """Create the files of the first start, unless they exist."""

    @abstractmethod
    def command(self) -> ProgramCommand:
        pass

    @abstractmethod
    def is_ready(self) -> bool:
        pass

    def prepare(self) -> None:
        """Take the lock, end leftovers of a crash, create missing files. Raises AlreadyRunning when another living
        process of ours has the directory."""
        self._lock.acquire()
        if self.pid_file.exists():
            kill_leftovers(
                self.process_name,
                self.work_directory,
                main_pid=self._recorded_pid(),
                signal=self.stop_signal,
                patience=self.policy.stop_timeout,
            )
            self.pid_file.unlink(missing_ok=True)
        self.create()

    def start(self) -> None:
        """Start the server and return when it answers; harmless if it runs. Raises StartFailed, AlreadyRunning."""
        if self.pid is not None:
            return
        self.prepare()
        try:
            with self.log_file.open("ab") as log:
                self._process = self.command().spawn(log)
            self._wait_until_ready()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the server cleanly, by force after ``stop_timeout``; harmless if it does not run."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(self.stop_signal)
            try:
                self._process.wait(self.policy.stop_timeout)
            except subprocess.TimeoutExpired:
                self.kill()
        self._process = None
        self.release()

    def release(self) -> None:
        self._lock.release()

    def kill(self) -> None:
        """Kill the main process (SIGKILL), as tests of recovery need it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    @property
    def pid(self) -> int | None:
        alive = self._process is not None and self._process.poll() is None
        return self._process.pid if alive and self._process else None

    @property
    def log_file(self) -> Path:
        return self.home / f"{self.program}.log"

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + self.policy.start_timeout
        while not self.is_ready():
            if self.pid is None:
                raise StartFailed(f"{self.program} ended while starting:\n{self._log_tail()}")
            if time.monotonic() > deadline:
                waited = f"{self.policy.start_timeout:.0f} s"
                raise StartFailed(f"{self.program} did not answer in {waited}:\n{self._log_tail()}")
            time.sleep(self.policy.poll_interval)

    def _log_tail(self) -> str:
        with contextlib.suppress(OSError):
            return self.log_file.read_bytes()[-LOG_TAIL_BYTES:].decode(errors="replace")
        return ""

    def _recorded_pid(self) -> int | None:
        try:
            return int(self.pid_file.read_text().split()[0])
        except (OSError, ValueError, IndexError):
            return None


def build_plain_environment(**extra: str) -> dict[str, str]:
    """Return a small environment for a server, without the caller's PG* and locale variables."""
    return {"PATH": os.environ.get("PATH", os.defpath), **extra}

"""One process of the stack: started, watched, restarted with growing pauses, stopped."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from memory_platform.devstack.config import SupervisorConfig
from memory_platform.devstack.errors import DevStackError
from memory_platform.devstack.processes.program_command import ProgramCommand
from memory_platform.devstack.processes.terminal import Terminal


@dataclass(frozen=True, slots=True)
class ProcessSpec:
    """A process to keep alive.

    ``prepare`` runs before each start; ``is_ready`` tells when others may rely on it, ``why_not`` its last answer.
    """

    name: str
    command: Callable[[], ProgramCommand]
    prepare: Callable[[], None] = lambda: None
    is_ready: Callable[[], bool] = lambda: True
    why_not: Callable[[], str] = lambda: "no answer"
    stop_signal: int = signal.SIGTERM
    stop_timeout: float = SupervisorConfig().part_stop_timeout


class RunningPart:
    """A running ``ProcessSpec``. All times are monotonic seconds."""

    def __init__(self, part: ProcessSpec, terminal: Terminal, config: SupervisorConfig) -> None:
        self.part = part
        # How often it ended by itself since it last ran steadily.
        self.ends = 0
        self._terminal = terminal
        self._policy = config
        self._process: subprocess.Popen[bytes] | None = None
        self._started_at = 0.0
        self._due_at = 0.0

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def start(self) -> None:
        """Start the process in a group of its own. Raises DevStackError or OSError when that is impossible."""
        self.part.prepare()
        self._process = spawn_with_lines(self.part.name, self.part.command(), self._terminal)
        self._started_at = time.monotonic()

    def restart_if_ended(self) -> None:
        """Notice an unexpected end, and restart when the pause is over."""
        now = time.monotonic()
        if self._process is None:
            if now >= self._due_at:
                try:
                    self.start()
                except (DevStackError, OSError) as fault:
                    self._note_end(str(fault), now)
        elif (status := self._process.poll()) is not None:
            self._note_end(describe_exit_status(status), now)

    def ask_to_stop(self) -> None:
        if self.pid is not None and self._process is not None:
            self._process.send_signal(self.part.stop_signal)

    def finish(self) -> None:
        """Kill whatever is left of the process group."""
        if self._process is not None:
            kill_group(self._process)
            self._process = None

    def _note_end(self, reason: str, now: float) -> None:
        ran_steadily = self._process is not None and now - self._started_at >= self._policy.steady_after
        self.ends = 1 if ran_steadily else self.ends + 1
        pause = min(self._policy.first_pause * 2 ** (self.ends - 1), self._policy.longest_pause)
        self.finish()
        self._due_at = now + pause
        times = f", {self.ends} times in a row" if self.ends > 1 else ""
        self._terminal.line("up", f"{self.part.name} ended ({reason}){times}: starting it again in {pause:g} s")


def spawn_with_lines(name: str, command: ProgramCommand, terminal: Terminal) -> subprocess.Popen[bytes]:
    process = command.spawn(subprocess.PIPE)
    assert process.stdout is not None  # noqa: S101 - PIPE was asked for; tells the type checker
    terminal.pump(name, process.stdout)
    return process


def kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):  # the group is gone, or only a zombie is left (macOS)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def describe_exit_status(status: int) -> str:
    """Return ``exit status 1`` or ``SIGKILL`` for a return code."""
    return signal.Signals(-status).name if status < 0 else f"exit status {status}"

"""Keep the processes of the stack alive and stop them in order.

honcho does not carry this, because it ends all processes as soon as one ends: see docs/architecture.md.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from memory_platform.devstack.config import SupervisorConfig
from memory_platform.devstack.errors import DevStackError, StartFailed, StepFailed, StopRequested
from memory_platform.devstack.processes.program_command import ProgramCommand
from memory_platform.devstack.processes.terminal import Terminal

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class ProcessSpec:
    """A process to keep alive. ``prepare`` runs before each start; ``is_ready`` tells when others may rely on it,
    ``why_not`` its last answer."""

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
        self._terminal.write_line("up", f"{self.part.name} ended ({reason}){times}: starting it again in {pause:g} s")


def spawn_with_lines(name: str, command: ProgramCommand, terminal: Terminal) -> subprocess.Popen[bytes]:
    process = command.spawn(subprocess.PIPE)
    assert process.stdout is not None  # noqa: S101 - PIPE was asked for; tells the type checker
    terminal.start_copying_lines(name, process.stdout)
    return process


def kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):  # the group is gone, or only a zombie is left (macOS)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def describe_exit_status(status: int) -> str:
    """Return ``exit status 1`` or ``SIGKILL`` for a return code."""
    return signal.Signals(-status).name if status < 0 else f"exit status {status}"


class Supervisor:
    """Processes started together form a stage; stages stop in reverse order. Everything runs in one thread: it sleeps
    for a tick, then looks at each process. The first stop signal requests a clean end, the second an immediate one."""

    def __init__(self, terminal: Terminal, config: SupervisorConfig | None = None) -> None:
        self._terminal = terminal
        self._policy = config or SupervisorConfig()
        self._stages: list[list[RunningPart]] = []
        self._stop_requests = 0

    @contextmanager
    def catch_stop_signals(self) -> Iterator[None]:
        """Treat SIGINT, SIGTERM and SIGHUP as stop requests inside the block."""
        before = {number: signal.signal(number, self._on_signal) for number in STOP_SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def start(self, *parts: ProcessSpec) -> None:
        """Start ``parts`` as one stage and return when all of them are ready. Raises StartFailed if one keeps ending or
        does not get ready, StopRequested on a signal."""
        stage = [RunningPart(part, self._terminal, self._policy) for part in parts]
        self._stages.append(stage)
        for running in stage:
            running.start()
        waiting = list(stage)
        deadline = time.monotonic() + self._policy.ready_timeout
        while waiting := [running for running in waiting if not self._ready(running)]:
            if time.monotonic() > deadline:
                reasons = ", ".join(f"{running.part.name} ({running.part.why_not()})" for running in waiting)
                raise StartFailed(f"Not ready after {self._policy.ready_timeout:.0f} s: {reasons}.")
            self._check_once()

    def run(self, name: str, command: ProgramCommand) -> None:
        """Run a one-time step. Raises StepFailed or StopRequested."""
        process = spawn_with_lines(name, command, self._terminal)
        try:
            while (status := process.poll()) is None:
                self._check_once()
        finally:
            kill_group(process)
        if status:
            raise StepFailed(f"{name} failed ({describe_exit_status(status)}): its lines above say why.")

    def run_until_stopped(self) -> None:
        while True:
            try:
                self._check_once()
            except StopRequested:
                return

    def stop(self) -> None:
        """Stop all processes, the last stage first; a process that exceeds its time, or lives after a second signal, is
        killed."""
        while self._stages:
            self._stop_stage(self._stages.pop())

    @property
    def pids(self) -> dict[str, int | None]:
        """Return ``{name: main process id}``; None while a process is being restarted."""
        return {running.part.name: running.pid for stage in self._stages for running in stage}

    def _ready(self, running: RunningPart) -> bool:
        if running.ends >= self._policy.starts_before_ready:
            raise StartFailed(f"{running.part.name} ended {running.ends} times before it was ready.")
        return running.pid is not None and running.part.is_ready()

    def _check_once(self) -> None:
        time.sleep(self._policy.tick)
        if self._stop_requests or self._terminal.gone:
            raise StopRequested("asked to stop")
        for stage in self._stages:
            for running in stage:
                running.restart_if_ended()

    def _stop_stage(self, stage: list[RunningPart]) -> None:
        for running in stage:
            running.ask_to_stop()
        deadline = time.monotonic() + max(running.part.stop_timeout for running in stage)
        while any(running.pid for running in stage) and time.monotonic() < deadline and self._stop_requests <= 1:
            time.sleep(self._policy.tick / 2)
        for running in stage:
            if running.pid is not None:
                self._terminal.write_line("up", f"{running.part.name} did not end in time: killed")
            running.finish()

    def _on_signal(self, number: int, _frame: object) -> None:
        self._stop_requests += 1

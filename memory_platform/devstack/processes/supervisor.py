"""Keep the processes of the stack alive and stop them in order."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

from memory_platform.devstack.config import SupervisorConfig
from memory_platform.devstack.errors import StartFailed, StepFailed, StopRequested
from memory_platform.devstack.processes.program_command import ProgramCommand
from memory_platform.devstack.processes.stack_processes import (
    ProcessSpec,
    RunningPart,
    describe_exit_status,
    kill_group,
    spawn_with_lines,
)
from memory_platform.devstack.processes.terminal import Terminal

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Supervisor:
    """Processes started together form a stage; stages stop in reverse order.

    Everything runs in one thread: it sleeps for a tick, then looks at each process. The first stop signal requests a
    clean end, the second an immediate one.
    """

    def __init__(self, terminal: Terminal, config: SupervisorConfig | None = None) -> None:
        self._terminal = terminal
        self._policy = config or SupervisorConfig()
        self._stages: list[list[RunningPart]] = []
        self._stop_requests = 0

    @contextmanager
    def signals(self) -> Iterator[None]:
        """Treat SIGINT, SIGTERM and SIGHUP as stop requests inside the block."""
        before = {number: signal.signal(number, self._on_signal) for number in STOP_SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def start(self, *parts: ProcessSpec) -> None:
        """Start ``parts`` as one stage and return when all of them are ready.

        Raises StartFailed if one keeps ending or does not get ready, StopRequested on a signal.
        """
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
            self._tick()

    def run(self, name: str, command: ProgramCommand) -> None:
        """Run a one-time step. Raises StepFailed or StopRequested."""
        process = spawn_with_lines(name, command, self._terminal)
        try:
            while (status := process.poll()) is None:
                self._tick()
        finally:
            kill_group(process)
        if status:
            raise StepFailed(f"{name} failed ({describe_exit_status(status)}): its lines above say why.")

    def run_until_stopped(self) -> None:
        while True:
            try:
                self._tick()
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

    def _tick(self) -> None:
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
                self._terminal.line("up", f"{running.part.name} did not end in time: killed")
            running.finish()

    def _on_signal(self, number: int, _frame: object) -> None:
        self._stop_requests += 1

"""Parts are kept alive with growing pauses and end cleanly, in order, with nothing left behind. Rows: D6."""

import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from memory_platform.devstack.config import SupervisorConfig
from memory_platform.devstack.errors import StartFailed, StepFailed, StopRequested
from memory_platform.devstack.processes.program_command import ProgramCommand
from memory_platform.devstack.processes.supervisor import ProcessSpec, Supervisor
from memory_platform.devstack.processes.terminal import Terminal

pytestmark = pytest.mark.processes

QUICK = SupervisorConfig(
    tick=0.02, first_pause=0.1, longest_pause=0.4, steady_after=5.0, ready_timeout=5.0, part_stop_timeout=1.0
)
SLEEPER = "import time; print('我在', flush=True); time.sleep(60)"
STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); time.sleep(60)"
)
PARENT = (
    "import subprocess, sys, time; child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']);"
    "print('child', child.pid, flush=True); time.sleep(60)"
)


def python(code: str) -> ProgramCommand:
    return ProgramCommand((sys.executable, "-c", code), dict(os.environ), Path.cwd())


def part(name: str, code: str, **options: object) -> ProcessSpec:
    return ProcessSpec(name, lambda: python(code), stop_timeout=1.0, **options)  # type: ignore[arg-type]  # options of Part


def until(condition: Callable[[], object], *, seconds: float = 5.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


@pytest.fixture
def screen() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def supervisor(screen: io.StringIO) -> Iterator[Supervisor]:
    supervisor = Supervisor(Terminal(screen), QUICK)
    yield supervisor
    supervisor.stop()


def watch_until(supervisor: Supervisor, condition: Callable[[], object]) -> None:
    """Let the supervisor watch; ask it to stop, by a signal as a person would, once the condition holds."""

    def interrupt() -> None:
        until(condition)
        os.kill(os.getpid(), signal.SIGTERM)

    with supervisor.catch_stop_signals():
        watcher = threading.Thread(target=interrupt, daemon=True)
        watcher.start()
        supervisor.run_until_stopped()
        watcher.join()


def test_lines_carry_the_name_of_their_part(supervisor: Supervisor, screen: io.StringIO) -> None:
    supervisor.start(part("web", SLEEPER))
    until(lambda: "web      | 我在\n" in screen.getvalue())


def test_a_killed_part_is_started_again_and_said_so_in_one_line(supervisor: Supervisor, screen: io.StringIO) -> None:
    supervisor.start(part("web", SLEEPER), part("worker", SLEEPER))
    before = supervisor.pids
    os.kill(before["worker"] or 0, signal.SIGKILL)
    watch_until(supervisor, lambda: supervisor.pids["worker"] not in {None, before["worker"]})
    assert supervisor.pids["web"] == before["web"]
    said = [line for line in screen.getvalue().splitlines() if line.startswith("up")]
    assert said == ["up       | worker ended (SIGKILL): starting it again in 0.1 s"]


def test_a_part_that_keeps_ending_is_started_with_growing_pauses(
    supervisor: Supervisor, screen: io.StringIO, tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    supervisor.start(part("web", f"import os, time\nwhile not os.path.exists({str(broken)!r}): time.sleep(0.02)"))
    broken.touch()
    watch_until(supervisor, lambda: "5 times in a row" in screen.getvalue())
    pauses = [line.split()[-2] for line in screen.getvalue().splitlines() if "starting it again" in line]
    assert pauses[:5] == ["0.1", "0.2", "0.4", "0.4", "0.4"]


def test_a_part_that_never_gets_ready_fails_the_start(supervisor: Supervisor) -> None:
    with pytest.raises(StartFailed, match="web ended 3 times"):
        supervisor.start(part("web", "raise SystemExit(3)", is_ready=lambda: False))


def test_a_part_that_does_not_get_ready_says_what_it_answered(screen: io.StringIO) -> None:
    hasty = Supervisor(Terminal(screen), SupervisorConfig(tick=0.02, ready_timeout=0.1))
    with pytest.raises(StartFailed, match=r"Not ready after 0 s: web \(said 503\)"):
        hasty.start(part("web", SLEEPER, is_ready=lambda: False, why_not=lambda: "said 503"))
    hasty.stop()


def test_prepare_runs_before_every_start(supervisor: Supervisor) -> None:
    calls: list[float] = []
    supervisor.start(part("postgres", SLEEPER, prepare=lambda: calls.append(time.monotonic())))
    os.kill(supervisor.pids["postgres"] or 0, signal.SIGKILL)
    watch_until(supervisor, lambda: len(calls) == 2)


def test_stop_ends_children_of_children_too(supervisor: Supervisor, screen: io.StringIO) -> None:
    supervisor.start(part("worker", PARENT))
    until(lambda: "child" in screen.getvalue())
    grandchild = int(screen.getvalue().split()[-1])
    supervisor.stop()
    until(lambda: not psutil.pid_exists(grandchild) or psutil.Process(grandchild).status() == psutil.STATUS_ZOMBIE)


def test_a_part_that_ignores_the_signal_is_killed_in_its_time(supervisor: Supervisor, screen: io.StringIO) -> None:
    supervisor.start(part("web", STUBBORN))
    until(lambda: "ready" in screen.getvalue())
    began = time.monotonic()
    supervisor.stop()
    assert time.monotonic() - began > 0.9
    assert "web did not end in time: killed" in screen.getvalue()


def test_the_last_stage_stops_first(supervisor: Supervisor, screen: io.StringIO) -> None:
    polite = (
        "import signal, sys, time; signal.signal(signal.SIGTERM, lambda *_: (print('bye', flush=True), sys.exit()));"
        "print('hello', flush=True); time.sleep(60)"
    )
    for name in ("postgres", "web"):
        supervisor.start(part(name, polite))
    until(lambda: screen.getvalue().count("hello") == 2)
    supervisor.stop()
    until(lambda: screen.getvalue().count("bye") == 2)
    said = [line.split()[0] for line in screen.getvalue().splitlines() if "bye" in line]
    assert said == ["web", "postgres"]


def test_a_second_signal_ends_everything_at_once(screen: io.StringIO) -> None:
    patient = Supervisor(Terminal(screen), SupervisorConfig(tick=0.02))
    with patient.catch_stop_signals():
        patient.start(ProcessSpec("web", lambda: python(STUBBORN), stop_timeout=90.0))
        until(lambda: "ready" in screen.getvalue())
        os.kill(os.getpid(), signal.SIGINT)
        patient.run_until_stopped()
        second = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        second.start()
        began = time.monotonic()
        patient.stop()
    assert time.monotonic() - began < 45, "a minute and a half is what it would have"


def test_a_failing_step_is_named_with_its_status(supervisor: Supervisor, screen: io.StringIO) -> None:
    with pytest.raises(StepFailed, match=r"migrate failed \(exit status 3\)"):
        supervisor.run("migrate", python("print('why'); raise SystemExit(3)"))
    until(lambda: "migrate  | why" in screen.getvalue())


def test_a_step_is_ended_by_a_signal(supervisor: Supervisor) -> None:
    with supervisor.catch_stop_signals():
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM)).start()
        with pytest.raises(StopRequested):
            supervisor.run("migrate", python(SLEEPER))


def test_a_closed_pipe_at_the_reader_stops_the_stack() -> None:
    code = (
        "import sys; from tests.memory_platform.devstack.processes.test_supervisor import *\n"
        "s = Supervisor(Terminal(sys.stdout), QUICK)\n"
        "s.start(part('web', 'import time\\nwhile True: print(1, flush=True); time.sleep(0.05)'))\n"
        "s.run_until_stopped(); s.stop(); print('stopped', file=sys.stderr)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=10) in {0, 120}  # 120: the interpreter could not flush the closed pipe
    assert b"stopped" in process.stderr.read()
    process.stderr.close()

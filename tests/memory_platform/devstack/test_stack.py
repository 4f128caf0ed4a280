"""One command starts the platform, a second one is refused, Ctrl-C leaves nothing behind. Rows: D6."""

import http.client
import io
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from django.core.management import call_command

from memory_platform.devstack.config import PROJECT_ROOT, StackOptions
from memory_platform.devstack.errors import CannotStart
from memory_platform.devstack.private_files import (
    DemoAccess,
    ensure_stack_secrets,
    read_demo_access,
    read_stack_file,
    write_stack_file,
)
from memory_platform.devstack.processes.stack_commands import MARK
from memory_platform.devstack.processes.terminal import Terminal
from memory_platform.devstack.stack import CANNOT_START, has_external_database, read_port, render_banner, run_stack

ADDRESSES = ("DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL", "CELERY_BROKER_URL", "SECRET_KEY", "KEY_PEPPER")
START_SECONDS = 90
STOP_SECONDS = 25


class RunningStack:
    """``manage.py up`` as a person starts it, without a demo world."""

    def __init__(self, data_dir: Path, port: int) -> None:
        self.data_dir = data_dir
        self.port = port
        environment = {name: value for name, value in os.environ.items() if name not in ADDRESSES}
        environment.pop("DJANGO_SETTINGS_MODULE", None)
        options = ("--no-seed", "--web-workers", "1", "--job-processes", "1")
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "up", "--data-dir", str(data_dir), "--port", str(port), *options],
            cwd=PROJECT_ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: list[str] = []

    def read_until(self, words: str, *, seconds: float = START_SECONDS) -> float:
        """Collect lines until one holds ``words``; return how long that took. Fails when the stack ends before."""
        began = time.monotonic()
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip())
            if words in line:
                return time.monotonic() - began
            assert time.monotonic() - began < seconds, self.tail()
        raise AssertionError(f"ended before {words!r}:\n{self.tail()}")

    def stop(self) -> float:
        """Send SIGINT, wait for the end, return the seconds it took."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        rest, _ = self.process.communicate(timeout=STOP_SECONDS + 5)
        self.lines += rest.splitlines()
        return time.monotonic() - began

    def programs(self) -> list[psutil.Process]:
        """Return every living process that carries this stack's mark."""
        return [process for process in psutil.process_iter() if _mark(process) == str(self.data_dir)]

    def part(self, program: str) -> psutil.Process | None:
        """Return the main process of a part by a word of its command line, None while it does not live."""
        for child in psutil.Process(self.process.pid).children():
            with suppress(psutil.Error):
                if program in " ".join(child.cmdline()):
                    return child
        return None

    def wait_for_process(self, program: str, *, instead_of: psutil.Process | None = None) -> psutil.Process:
        """Return the main process of a part as soon as it lives; ``instead_of`` one that was killed."""
        deadline = time.monotonic() + 30
        while (found := self.part(program)) in {None, instead_of}:
            assert time.monotonic() < deadline, self.tail()
            time.sleep(0.1)
        assert found is not None
        return found

    def ready(self) -> int:
        """Return the status of /health/ready, 0 while nobody answers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/health/ready")
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            connection.close()

    def tail(self) -> str:
        return "\n".join(self.lines[-30:])


def _mark(process: psutil.Process) -> str | None:
    try:
        return process.environ().get(MARK)
    except (psutil.Error, OSError):
        return None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def stack(open_directory: Path) -> Iterator[RunningStack]:
    running = RunningStack(open_directory / "stack", free_port())
    try:
        running.read_until("platform is ready")
        yield running
    finally:
        if running.process.poll() is None:
            running.stop()


@pytest.mark.processes
@pytest.mark.timeout(180)
@pytest.mark.xdist_group("stack")
class TestARunningStack:
    """In order: these tests share one stack, the last ones end it."""

    def test_it_answers(self, stack: RunningStack) -> None:
        assert stack.ready() == 200

    def test_its_secrets_are_private(self, stack: RunningStack) -> None:
        file = stack.data_dir / "stack.env"
        assert file.stat().st_mode & 0o777 == 0o600
        assert set(ADDRESSES) <= set(read_stack_file(stack.data_dir))

    def test_it_tells_other_commands_where_it_listens(self, stack: RunningStack) -> None:
        assert read_stack_file(stack.data_dir)["STACK_URL"] == f"http://127.0.0.1:{stack.port}"

    def test_a_second_start_on_the_same_data_is_refused(self, stack: RunningStack) -> None:
        screen = io.StringIO()
        assert run_stack(StackOptions(data_dir=stack.data_dir, port=free_port()), Terminal(screen)) == CANNOT_START
        assert f"Already running: {stack.data_dir} is in use by process {stack.process.pid}" in screen.getvalue()

    def test_a_port_in_use_is_named_with_a_way_out(self, stack: RunningStack, open_directory: Path) -> None:
        screen = io.StringIO()
        options = StackOptions(data_dir=open_directory / "other", port=stack.port)
        assert run_stack(options, Terminal(screen)) == CANNOT_START
        assert f"Port {stack.port} is in use" in screen.getvalue()
        assert f"make run PORT={stack.port + 1}" in screen.getvalue()

    @pytest.mark.parametrize("program", ["postgres", "redis-server", "gunicorn", "worker", "beat"])
    def test_a_killed_part_comes_back(self, stack: RunningStack, program: str) -> None:
        victim = stack.wait_for_process(program)  # it may itself be coming back from the end of the part before
        victim.kill()
        stack.read_until("starting it again", seconds=10)
        stack.wait_for_process(program, instead_of=victim)

    def test_it_answers_again_after_all_that(self, stack: RunningStack) -> None:
        deadline = time.monotonic() + 30
        while stack.ready() != 200:
            assert time.monotonic() < deadline, stack.tail()
            time.sleep(0.2)

    def test_ctrl_c_stops_everything_in_time(self, stack: RunningStack) -> None:
        before = psutil.Process(stack.process.pid).children(recursive=True)
        assert len(before) >= 5
        assert stack.stop() < STOP_SECONDS
        assert stack.process.returncode == 0, stack.tail()
        assert [process for process in before if process.is_running()] == []
        assert stack.programs() == []

    @pytest.mark.slow
    def test_the_next_start_takes_seconds_and_cleans_up_after_a_killed_one(self, stack: RunningStack) -> None:
        if stack.process.poll() is None:
            stack.stop()
        again = RunningStack(stack.data_dir, stack.port)
        assert again.read_until("platform is ready") < 30
        assert not any("migrating" in line for line in again.lines)
        again.process.kill()
        again.process.wait()
        assert again.programs()
        third = RunningStack(stack.data_dir, stack.port)
        try:
            third.read_until("platform is ready")
            assert any("left behind" in line for line in third.lines)
        finally:
            third.stop()
        assert third.programs() == []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [("EMBEDDER", "foo", "EMBEDDER: lists 'foo'"), ("CHAT_ROUTES", '{"judge": "x"}', "endpoints that do not exist")],
)
def test_a_bad_value_is_named_before_anything_is_started(
    open_directory: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(name, value)
    screen = io.StringIO()
    options = StackOptions(data_dir=open_directory / "never", port=free_port())
    assert run_stack(options, Terminal(screen)) == CANNOT_START
    assert said in screen.getvalue()
    assert "starting" not in screen.getvalue()
    assert not options.data_dir.exists()


@pytest.mark.parametrize("given", ["99999", "65536", "0", "-1", "abc", "", "80 00", "٨٠", "1" * 5_000])
def test_what_is_no_port_is_answered_with_the_range(given: str) -> None:
    with pytest.raises(CannotStart, match="whole number from 1 to 65535"):
        read_port(given)


def test_a_wrong_port_ends_the_command_with_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        call_command("up", port="99999")
    assert ended.value.code == CANNOT_START
    assert "The port must be a whole number from 1 to 65535, not '99999'" in capsys.readouterr().out


@pytest.mark.parametrize("given", ["1", "8000", "65535"])
def test_a_port_is_read(given: str) -> None:
    assert read_port(given) == int(given)


def test_half_a_database_of_ones_own_is_refused() -> None:
    with pytest.raises(CannotStart, match="DATABASE_URL is set alone"):
        has_external_database({"DATABASE_URL": "postgresql://app@/x"})
    assert has_external_database({"DATABASE_URL": "x", "DATABASE_OWNER_URL": "y"})
    assert not has_external_database({"DATABASE_URL": ""})


def test_secrets_are_made_once(tmp_path: Path) -> None:
    first = ensure_stack_secrets(tmp_path)
    write_stack_file(tmp_path, first | {"DATABASE_URL": "postgresql://a:p'w\\#1@/x?host=/run/家"})
    assert ensure_stack_secrets(tmp_path) == first
    assert min(map(len, first.values())) >= 32
    assert read_stack_file(tmp_path)["DATABASE_URL"] == "postgresql://a:p'w\\#1@/x?host=/run/家"


def test_the_banner_shows_the_ways_in_and_a_line_to_paste(tmp_path: Path) -> None:
    DemoAccess(logins={"operator": "secret", "sam": "pw"}, keys={"acme": "mk_a", "globex": "mk_g"}).save(tmp_path)
    assert (tmp_path / "demo.json").stat().st_mode & 0o777 == 0o600
    text = render_banner("http://127.0.0.1:8000", read_demo_access(tmp_path), seconds=3.21)
    for words in ("http://127.0.0.1:8000/console/", "sam / pw   (support, acme)", "mk_a", "mk_g", "控制台", "3.2 s"):
        assert words in text
    assert "curl -s http://127.0.0.1:8000/v1/subjects/ada/recall" in text


def test_without_a_demo_world_the_banner_names_the_commands(tmp_path: Path) -> None:
    text = render_banner("http://127.0.0.1:8000", read_demo_access(tmp_path), seconds=1.0)
    assert "manage.py create_key --tenant" in text


def test_a_broken_demo_file_counts_as_none(tmp_path: Path) -> None:
    (tmp_path / "demo.json").write_text("{")
    assert read_demo_access(tmp_path) is None

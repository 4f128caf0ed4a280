"""Real processes to kill: a Redis of our own, workers and beat, all at the test database."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx
from django.db import connection
from psycopg.conninfo import make_conninfo

from memory_platform.devstack.servers.redis import EmbeddedRedis

ROOT = Path(__file__).resolve().parents[2]
MARKING = "tests.flows.programs.worker_app"
"""The app whose handlers leave marks."""
PLATFORM = "memory_platform"
"""The app that serves."""
SERVING = "memory_platform.wsgi"
"""The web application that serves."""
LINGERING = "tests.flows.programs.lingering_wsgi"
"""The same, but it keeps the answers to posted messages to itself."""
POISON = "毒药"
"""The content of a message whose item kills the process that handles it."""
ROUND = "nap"
ROUND_JOB = "tests.round_job"
"""A scheduled job of the marking app, and its task."""
WEB = "web"
"""What a stage's only web process is called."""
PROGRAM = "stage"
"""What the processes' database connections are called."""


PATIENCE = 120.0
"""Seconds that a wait may last which proves nothing by its length: on a machine that is busy with other things, the
start of a worker alone can take most of a minute."""


def wait_until(condition: Callable[[], bool], seconds: float = PATIENCE, *, every: float = 0.05) -> float:
    """Wait until ``condition`` holds; return how long that took. Fails after ``seconds``."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, "it did not come to pass"
        time.sleep(every)
    return time.monotonic() - began


class Process:
    """One program in a process group of its own."""

    def __init__(self, log: Path, arguments: list[str], environment: dict[str, str]) -> None:
        self.log, self.arguments = log, arguments
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", *arguments],
                cwd=ROOT,
                env=environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def signal(self, number: int) -> None:
        """Send a signal to the program and its children."""
        os.killpg(self._process.pid, number)

    def kill(self) -> None:
        """End all of it as a crash would."""
        if self._process.poll() is None:
            self.signal(signal.SIGKILL)
            self._process.wait(10)

    def stop(self) -> float:
        """Ask it to end; return how long it took."""
        began = time.monotonic()
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(20)
        return time.monotonic() - began

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def read_log(self) -> str:
        """Return what it has written so far."""
        return self.log.read_text(errors="replace")


class Stage:
    """The processes of one test. ``addresses`` name another database than the test world's."""

    def __init__(self, home: Path, **addresses: str) -> None:
        self.home = home
        self._addresses = addresses
        self.redis = EmbeddedRedis(home / "redis", durable=False)
        self.redis.start()
        self._processes: list[Process] = []

    def worker(
        self,
        *,
        pause: float = 0.0,
        budget: float = 2.0,
        processes: int = 2,
        app: str = MARKING,
        limit: float | None = None,
    ) -> Process:
        """Start a worker. A drain of the marking app ends after ``budget`` seconds; ``limit`` is Celery's soft time
        limit for its jobs in seconds, the platform's unless given."""
        arguments = [app, "worker", "--concurrency", str(processes), "--without-gossip", "--without-mingle"]
        limits = {} if limit is None else {"TEST_LIMIT": str(limit)}
        return self._start_celery(arguments, TEST_PAUSE=str(pause), TEST_BUDGET=str(budget), **limits)

    def beat(self, *, app: str = MARKING) -> Process:
        """Start beat with the platform's timetable."""
        return self._start_celery([app, "beat", "--pidfile="])

    def web(self, name: str = WEB, *, application: str = SERVING, **extra: str) -> Process:
        """Start gunicorn on a socket of that name and return when it answers."""
        socket = self.socket(name)
        socket.unlink(missing_ok=True)  # a killed server leaves it behind
        command = ["gunicorn", application, "--bind", f"unix:{socket}", "--threads", "4"]
        process = self._program(command, name, **extra)

        def answers() -> bool:
            assert process.is_alive, process.read_log()
            try:
                with self.client(name) as client:
                    return client.get("/health/live").is_success
            except httpx.TransportError:
                return False

        wait_until(answers, 40)
        return process

    def socket(self, name: str = WEB) -> Path:
        """Return where the web of that name listens."""
        return self.redis.socket.with_name(f"{name}.sock")

    def client(self, web: str = WEB, **headers: str) -> httpx.Client:
        """Return a client of the web of that name; without it requests fail with ``httpx.TransportError``."""
        transport = httpx.HTTPTransport(uds=str(self.socket(web)))
        return httpx.Client(transport=transport, base_url="http://localhost", headers=headers, timeout=15)

    def read_logs(self) -> str:
        """Return all that the processes wrote, and where each thread of the marking workers stands."""
        for process in self._processes:
            if process.is_alive and MARKING in process.arguments:
                process.signal(signal.SIGUSR2)
        time.sleep(1)
        return "\n".join(f"== {process.log.name}\n{process.read_log()}" for process in self._processes)

    def close(self) -> None:
        """End everything."""
        for process in self._processes:
            process.kill()
        self.redis.stop()

    def _start_celery(self, arguments: list[str], **extra: str) -> Process:
        program = ["celery", "--quiet", "-A", *arguments, "--loglevel", "WARNING"]
        return self._program(program, arguments[1], **extra)

    def _program(self, program: list[str], name: str, **extra: str) -> Process:
        addresses = {
            "DATABASE_URL": make_conninfo(os.environ["DATABASE_URL"], dbname=str(connection.settings_dict["NAME"])),
            "REDIS_URL": self.redis.url,
            "CELERY_BROKER_URL": self.redis.broker_url,
            "PGAPPNAME": PROGRAM,
        }
        log = self.home / f"{len(self._processes)}-{name}.log"
        process = Process(log, program, {**os.environ, **addresses, **self._addresses, **extra})
        self._processes.append(process)
        return process

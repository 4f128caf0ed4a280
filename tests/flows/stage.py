"""Real processes to kill: a Redis of our own, workers and beat, all at the test database."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from django.db import connection
from psycopg.conninfo import make_conninfo

from memory_platform.devstack.redis import EmbeddedRedis

ROOT = Path(__file__).resolve().parents[2]
MARKING = "tests.flows.worker_app"
"""The app whose handlers leave marks."""
PLATFORM = "memory_platform"
"""The app that serves."""
POISON = "毒药"
"""The content of a message whose item kills the process that handles it."""
PROGRAM = "stage"
"""What the processes' database connections are called."""


def eventually(condition: Callable[[], bool], seconds: float = 20.0, *, every: float = 0.05) -> float:
    """Wait until ``condition`` holds; return how long that took. Fails after ``seconds``."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, "it did not come to pass"
        time.sleep(every)
    return time.monotonic() - began


class Process:
    """One program in a process group of its own."""

    def __init__(self, log: Path, arguments: list[str], environment: dict[str, str]) -> None:
        self.log = log
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "celery", "--quiet", "-A", *arguments],
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

    def said(self) -> str:
        """Return what it has written so far."""
        return self.log.read_text(errors="replace")


class Stage:
    """The processes of one test."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.redis = EmbeddedRedis(home / "redis", durable=False)
        self.redis.start()
        self._processes: list[Process] = []

    def worker(self, *, pause: float = 0.0, processes: int = 2, app: str = MARKING) -> Process:
        """Start a worker."""
        arguments = [app, "worker", "--concurrency", str(processes), "--without-gossip", "--without-mingle"]
        return self._started(arguments, TEST_PAUSE=str(pause))

    def beat(self, *, app: str = MARKING) -> Process:
        """Start beat with the platform's timetable."""
        return self._started([app, "beat", "--pidfile="])

    def close(self) -> None:
        """End everything."""
        for process in self._processes:
            process.kill()
        self.redis.stop()

    def _started(self, arguments: list[str], **extra: str) -> Process:
        addresses = {
            "DATABASE_URL": make_conninfo(os.environ["DATABASE_URL"], dbname=str(connection.settings_dict["NAME"])),
            "REDIS_URL": self.redis.url,
            "CELERY_BROKER_URL": self.redis.broker_url,
            "PGAPPNAME": PROGRAM,
        }
        log = self.home / f"{len(self._processes)}-{arguments[1]}.log"
        process = Process(log, [*arguments, "--loglevel", "WARNING"], {**os.environ, **addresses, **extra})
        self._processes.append(process)
        return process

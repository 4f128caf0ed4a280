"""Start the load generator's programs, run them in parallel, and stop them."""

import json
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import memory_platform
from lab.benchmarks.load.protocol import JsonObject
from lab.benchmarks.load.timings import Slice
from memory_platform.kernel.errors import Unavailable

ROOT = Path(memory_platform.__path__[0]).parent
END_S = 10


class ProgramGone(Unavailable):
    """A program of the load generator ended before its time."""

    code = "load_generator_gone"


class Program:
    """One program that serves :mod:`lab.benchmarks.load.protocol`; use it as a context manager."""

    def __init__(self, module: str, python: str = sys.executable, *variables: str) -> None:
        """Start a module of ours; ``variables`` such as ``NAME=value`` are added to its environment."""
        command = ["/usr/bin/env", *variables, python, "-m", module]
        self._process = subprocess.Popen(  # noqa: S603 - a module of ours
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.stdin:
            self._process.stdin.close()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()

    def send_order(self, order: JsonObject) -> None:
        try:
            if self._process.stdin:
                self._process.stdin.write(json.dumps(order) + "\n")
                self._process.stdin.flush()
        except OSError:
            raise ProgramGone("a program of the load generator ended") from None

    def read_reply(self) -> JsonObject:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise ProgramGone("a program of the load generator ended")
        told: JsonObject = json.loads(line)
        return told


class Crew:
    """Clients that work at the same time."""

    def __init__(self, clients: Sequence[Program]) -> None:
        self._clients = clients

    def run_orders(self, orders: Sequence[JsonObject]) -> Slice:
        busy = self._clients[: len(orders)]
        for client, order in zip(busy, orders, strict=True):
            client.send_order(order)
        return merge_replies([client.read_reply() for client in busy])


def start_crew(clients: int, stack: ExitStack) -> Crew:
    return Crew([stack.enter_context(Program("lab.benchmarks.load.client")) for _ in range(clients)])


def merge_replies(replies: Sequence[JsonObject]) -> Slice:
    """Return the measurements of several clients as one slice; it took as long as the slowest client."""
    return Slice(
        ms=tuple(ms for reply in replies for ms in reply["ms"]),
        wall_s=max(reply["wall_s"] for reply in replies),
        cpu_s=sum(reply["cpu_s"] for reply in replies),
        failed=sum(reply["failed"] for reply in replies),
        stages=tuple(stages for reply in replies for stages in reply["stages"]),
    )

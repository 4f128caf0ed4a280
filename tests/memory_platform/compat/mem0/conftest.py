"""The whole platform over HTTP with a worker beside it, and mem0's own clients to call it with."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import httpx
import pytest
from django.db import connection

from snapshots.jobs import HANDLERS
from snapshots.queue.draining.drain import drain_work
from tests.conftest import House, World
from tests.mem0_clients import load_client
from tests.serving import serve_app

PAUSE_S = 0.02
SETTLED_S = 60


@dataclass(frozen=True, slots=True)
class Mem0Site:
    """The address that a client gets as its host."""

    host: str
    world: World
    http: httpx.Client

    def call(self, method: str, path: str, house: House | None = None, **more: Any) -> httpx.Response:
        """Send one request; ``house`` None sends no key."""
        headers = {"Authorization": f"Token {house.token}"} if house else {}
        return self.http.request(method, f"{self.host}{path}", headers=headers | more.pop("headers", {}), **more)

    def native(self, method: str, path: str, house: House, **more: Any) -> httpx.Response:
        """Send one request to the REST API."""
        base = self.host.removesuffix("/compat/mem0")
        return self.http.request(method, f"{base}{path}", headers=house.headers, **more)

    def settle(self, told: dict[str, Any], house: House) -> dict[str, Any]:
        """Return what came of an `add` once the workers are done: the client's answer may say that they are not."""
        ends = time.monotonic() + SETTLED_S
        while told["status"] == "PENDING" and time.monotonic() < ends:
            told = self.call("GET", f"/v1/event/{told['event_id']}/", house).json()
        return told


@pytest.fixture(scope="module")
def site(shared_world: World) -> Iterator[Mem0Site]:
    """Serve for all tests of a module."""
    with WorkerBeside(shared_world), serve_app() as port, httpx.Client(timeout=60) as http:
        yield Mem0Site(f"http://127.0.0.1:{port}/compat/mem0", shared_world, http)


class WorkerBeside:
    """A worker in a thread, for the time of a block."""

    def __init__(self, world: World) -> None:
        self._houses = (world.acme, world.globex)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(timeout=30)

    def _work(self) -> None:
        while not self._over.wait(PAUSE_S):
            for house in self._houses:
                drain_work(house.tenant.id, HANDLERS)
        connection.close()


@pytest.fixture(scope="session")
def load_version(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    """Load the module of mem0's client of a version, once."""
    loaded: dict[str, Any] = {}

    def load(version: str) -> Any:
        if version not in loaded:
            loaded[version] = load_client(version, Path(tmp_path_factory.mktemp(f"mem0-{version}")))
        return loaded[version]

    return load

"""Both clients, asked by the same tests: at a scripted server, and at the platform over HTTP."""

import asyncio
from collections.abc import AsyncIterable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from memory_platform_client import AsyncMemory, Memory, Retries
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tenants.services.usage.quotas import set_limits
from tests.clients.python.scripted_server import Script, serve_script
from tests.conftest import House, World
from tests.serving import serve_app

QUICK = Retries(attempts=4, first_pause_s=0.01, longest_pause_s=0.02, longest_wait_s=5.0)
BOTH_WAYS = ("blocking", "awaiting")


@dataclass(frozen=True, slots=True)
class Asker:
    """One of the clients; what it returns is awaited where it has to be."""

    memory: Any
    runner: asyncio.Runner | None

    def __call__(self, outcome: Any) -> Any:
        """Return the answer of a call."""
        return self.runner.run(outcome) if self.runner else outcome

    def collect(self, listing: Any) -> list[Any]:
        """Return all objects of a listing, or all pages."""
        return self.runner.run(collect_all(listing)) if self.runner else list(listing)

    def close(self) -> None:
        """Close the client."""
        self(self.memory.close())
        if self.runner:
            self.runner.close()


async def collect_all(listing: AsyncIterable[Any]) -> list[Any]:
    return [one async for one in listing]


def make_asker(way: str, address: str, key: str, **options: Any) -> Asker:
    """Return a client of either kind."""
    if way == "blocking":
        return Asker(Memory(address, key, **options), None)
    return Asker(AsyncMemory(address, key, **options), asyncio.Runner())


@pytest.fixture(scope="module")
def script() -> Iterator[Script]:
    """A server that answers as told."""
    with serve_script() as script:
        yield script


@pytest.fixture(params=BOTH_WAYS)
def asker(request: pytest.FixtureRequest, script: Script) -> Iterator[Asker]:
    """A client of the scripted server, blocking and awaiting in turn."""
    asker = make_asker(request.param, script.address, "key-1", retries=QUICK)
    yield asker
    asker.close()


@pytest.fixture(scope="module")
def address(shared_world: World) -> Iterator[str]:
    """The platform, served over HTTP for the tests of a module; acme may ask as often as it likes."""
    lift_limits(shared_world.acme)
    with serve_app() as port:
        yield f"http://127.0.0.1:{port}"


def lift_limits(house: House) -> None:
    """Let a tenant ask as often as it likes."""
    with tenant_tx(house.tenant.id):
        set_limits({"requests_per_second": 100_000, "burst": 100_000}, by=COMMAND_LINE)


@pytest.fixture(scope="module")
def acme(shared_world: World) -> House:
    """The tenant of these tests."""
    return shared_world.acme


@pytest.fixture(params=BOTH_WAYS)
def platform(request: pytest.FixtureRequest, address: str, acme: House) -> Iterator[Asker]:
    """A client of the platform with acme's key, blocking and awaiting in turn."""
    asker = make_asker(request.param, address, acme.token)
    yield asker
    asker.close()

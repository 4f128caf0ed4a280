"""A proxy over real HTTP between OpenAI's own SDK and a model endpoint that tests make up."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any

import httpx
import pytest
from django.test import override_settings
from openai import OpenAI
from pytest_django.fixtures import Settings

from memory_platform.compat.openai.upstream_calls import OPEN_CALLS
from snapshots.jobs import HANDLERS
from snapshots.models import Message, Receipt
from snapshots.queue.draining.drain import drain_work
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tenants.services.upstreams.upstreams import set_upstream
from tests.conftest import House, World
from tests.memory_platform.compat.openai.fake_upstream import FakeUpstream, completion, fake_upstream
from tests.serving import serve_app

UPSTREAM_KEY = "sk-upstream-0123456789"
PEANUTS = "I am allergic to peanuts"
ADA = {"X-Subject-Id": "ada"}


@dataclass(frozen=True, slots=True)
class Proxy:
    """One tenant's way to its endpoint."""

    base_url: str
    house: House
    upstream: FakeUpstream

    @property
    def api(self) -> str:
        return self.base_url.removesuffix("/compat/openai/v1")

    def client(self, **options: Any) -> OpenAI:
        given = {"max_retries": 0, "timeout": 30.0, **options}
        return OpenAI(base_url=self.base_url, api_key=self.house.token, **given)

    def post(self, path: str, body: Any, **headers: str) -> httpx.Response:
        """Send a call without the SDK; names of headers with ``_`` for ``-``."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        content: Any = {"content": body} if isinstance(body, bytes) else {"json": body}
        return httpx.post(self.base_url + path, headers=self.house.headers | given, timeout=30, **content)

    def call_api(self, method: str, path: str, body: Any = None) -> Any:
        answer = httpx.request(method, self.api + path, json=body, headers=self.house.headers, timeout=30)
        assert answer.status_code < 300, answer.text
        return answer.json() if answer.content else None

    def list_said(self, subject: str = "ada") -> list[tuple[str, str]]:
        """Return what is stored of a subject once all turns of answered calls are kept: who said what."""
        wait_until(lambda: OPEN_CALLS.count == 0)
        with tenant_tx(self.house.tenant.id):
            rows = Message.objects.filter(subject__external_id=subject).order_by("conversation__created_at", "seq")
            return [(row.role, row.content) for row in rows]

    def receipts(self) -> list[Receipt]:
        """Return the tenant's receipts, the oldest first, once the replies to them are told."""
        wait_until(lambda: OPEN_CALLS.count == 0)
        with tenant_tx(self.house.tenant.id):
            return list(Receipt.objects.order_by("created_at"))

    def work(self) -> None:
        """Do what the workers would do."""
        drain_work(self.house.tenant.id, HANDLERS)


def wait_until(is_so: Callable[[], bool], seconds: float = 20.0) -> None:
    ends = monotonic() + seconds
    while not is_so():
        assert monotonic() < ends, "it did not happen in time"
        sleep(0.01)


def open_way(base: str, house: House, upstream: FakeUpstream) -> Proxy:
    """Set the tenant's endpoint; return its way there."""
    with override_settings(UPSTREAM_HOSTS=["127.0.0.1"]), tenant_tx(house.tenant.id):
        set_upstream(upstream.url, UPSTREAM_KEY, by=COMMAND_LINE)
    return Proxy(f"{base}/compat/openai/v1", house, upstream)


def remember_peanuts(proxy: Proxy, subject: str = "ada") -> None:
    """Give a subject a note that stands in every context."""
    proxy.call_api("POST", f"/v1/subjects/{subject}/notes", {"text": PEANUTS, "vital": True})


@pytest.fixture
def upstream() -> Iterator[FakeUpstream]:
    with fake_upstream(lambda heard: completion("Take the almonds.")) as found:
        yield found


@pytest.fixture(scope="session")
def app_port() -> Iterator[int]:
    with serve_app() as port:
        yield port


@pytest.fixture
def base(app_port: int, world: World, settings: Settings) -> Iterator[str]:
    """The platform's address. A turn is kept after its answer went out, and the database stays open until then."""
    settings.UPSTREAM_HOSTS = ["127.0.0.1"]
    yield f"http://127.0.0.1:{app_port}"
    wait_until(lambda: OPEN_CALLS.count == 0)


@pytest.fixture
def acme(base: str, world: World, upstream: FakeUpstream) -> Proxy:
    """acme's way to its endpoint; its subject is ada."""
    return open_way(base, world.acme, upstream)


@pytest.fixture
def globex(base: str, world: World, upstream: FakeUpstream) -> Proxy:
    """globex's way to the same endpoint; it must never see Ada."""
    return open_way(base, world.globex, upstream)

"""What the door costs beside the API's own call, measured against gunicorn as it serves. Rows: D7."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter, sleep
from typing import Any

import httpx
import orjson
import pytest
from django.db import connection
from psycopg.conninfo import make_conninfo

from memory_platform.compat.mcp.client_request import Visit
from memory_platform.compat.mcp.sdk_server import serve_message
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import authenticate_key
from tenants.services.usage.quotas import set_limits
from tests.conftest import World
from tests.memory_platform.compat.mcp.conftest import ACCEPT
from tests.memory_platform.compat.mcp.wire import LEGACY, MODERN, frame

pytestmark = [pytest.mark.processes, pytest.mark.slow, pytest.mark.timeout(600)]
ROOT = Path(__file__).parents[4]
START_S = 60
CALLS = 250
# The time of the API's own call, which a slow machine makes longer, too; measured were 1.05.
MOST_TIMES = 2
QUESTION = "What do I drink in the morning?"


@contextmanager
def serve_by_gunicorn(home: Path) -> Iterator[httpx.Client]:
    """Start gunicorn as it is deployed, on a socket; yield a client that keeps its connection."""
    address = str(home / "web.sock")
    database = make_conninfo(os.environ["DATABASE_URL"], dbname=str(connection.settings_dict["NAME"]))
    command = [sys.executable, "-m", "gunicorn", "memory_platform.wsgi", "--bind", f"unix:{address}", "--threads", "4"]
    environment = os.environ | {"DATABASE_URL": database}
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=log, stdout=log)
        try:
            client = httpx.Client(transport=httpx.HTTPTransport(uds=address), base_url="http://localhost", timeout=60)
            with client:
                wait_until_live(client)
                yield client
        finally:
            process.terminate()
            process.wait(timeout=20)


def wait_until_live(client: httpx.Client) -> None:
    ends = monotonic() + START_S
    while monotonic() < ends:
        try:
            if client.get("/health/live").status_code == 200:
                return
        except httpx.TransportError:
            sleep(0.2)
    raise AssertionError("gunicorn did not start")


def measure(calls: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Return the median of each call in milliseconds; the calls take turns, so that a slow moment meets all."""
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(CALLS + 20):
        for name, call in calls.items():
            started = perf_counter()
            call()
            if number >= 20:
                taken[name].append((perf_counter() - started) * 1_000)
    return {name: median(times) for name, times in taken.items()}


def test_a_tool_costs_little_more_than_the_call_behind_it(
    shared_world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    house = shared_world.acme
    with tenant_tx(house.tenant.id):
        set_limits({"requests_per_second": 100_000, "burst": 100_000}, by=COMMAND_LINE)
    headers = house.headers | {"Content-Type": "application/json", "Accept": ACCEPT}
    with serve_by_gunicorn(tmp_path) as client:
        client.headers.update(headers)
        for number in range(40):
            note = {"text": f"In the morning I drink tea number {number}"}
            assert client.post("/v1/subjects/ada/notes", json=note).status_code == 201

        def tool(name: str, version: str) -> Callable[[], Any]:
            sent, body = frame("tools/call", {"name": name, "arguments": {"query": QUESTION}}, version)
            return lambda: client.post("/mcp?subject=ada", content=body, headers=sent).raise_for_status()

        def native(path: str, body: dict[str, Any]) -> Callable[[], Any]:
            return lambda: client.post(f"/v1/subjects/ada/{path}", json=body).raise_for_status()

        found = measure(
            {
                "recall": native("tools/recall", {"arguments": {"query": QUESTION}}),
                f"recall {LEGACY}": tool("recall", LEGACY),
                f"recall {MODERN}": tool("recall", MODERN),
                "context": native("context", {"query": QUESTION, "format": "text"}),
                f"context {LEGACY}": tool("memory_context", LEGACY),
                f"context {MODERN}": tool("memory_context", MODERN),
            }
        )
    visit = Visit(authenticate_key(house.token), "ada")
    for version in (LEGACY, MODERN):
        said, body = frame("prompts/list", {}, version)
        sent = said | {"Content-Type": "application/json", "Accept": ACCEPT}
        found |= measure({f"SDK {version}": partial(serve_message, visit, sent, body)})
    with capsys.disabled():
        print(orjson.dumps(found, option=orjson.OPT_INDENT_2).decode())  # noqa: T201  # the figures of the page
    for name in ("recall", "context"):
        for version in (LEGACY, MODERN):
            assert found[f"{name} {version}"] < MOST_TIMES * found[name]

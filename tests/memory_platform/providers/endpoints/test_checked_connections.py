"""Connections go to the address that was checked; names that lead to private ones are refused. Rows: D10."""

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import httpx
import pytest

from memory_platform.providers.endpoints.checked_connections import AddressRefused, CheckedClient
from tests.model_server import QuietServer

PUBLIC = "93.184.216.34"


class FakeResolver:
    """Stands for the resolver of this machine: what a name leads to is the test's."""

    def __init__(self, places: dict[str, list[str]]) -> None:
        self.places = places
        self.asked: list[str] = []
        self._true = socket.getaddrinfo

    def __call__(self, host: Any, port: Any, *args: Any, **kwargs: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name not in self.places:
            return self._true(host, port, *args, **kwargs)
        self.asked.append(name)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (place, port)) for place in self.places[name]]


@pytest.fixture
def resolver(monkeypatch: pytest.MonkeyPatch) -> FakeResolver:
    fake = FakeResolver({})
    monkeypatch.setattr(socket, "getaddrinfo", fake)
    return fake


@pytest.fixture
def port() -> Iterator[int]:
    """A server on this machine, which must not be reached by a name of somebody else's."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.send_header("Set-Cookie", "a=b")
            self.end_headers()
            self.wfile.write((self.headers.get("Cookie") or "ok")[:2].encode())

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    server = QuietServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.005,), daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


def make_client(*allowed: str) -> httpx.Client:
    return CheckedClient(lambda name, port: name in allowed, kept=5, kept_s=5.0).get()


@pytest.mark.parametrize("places", [["127.0.0.1"], ["10.0.0.1"], [PUBLIC, "127.0.0.1"], ["169.254.169.254"]])
def test_a_name_that_leads_to_a_private_address_is_refused(
    resolver: FakeResolver, port: int, places: list[str]
) -> None:
    resolver.places["models.example"] = places
    with pytest.raises(AddressRefused):
        make_client().get(f"http://models.example:{port}/")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "127.1", "0.0.0.0", "2130706433"])
def test_this_machine_is_refused_by_every_name(port: int, host: str) -> None:
    with pytest.raises((AddressRefused, httpx.ConnectError)):
        make_client().get(f"http://{host}:{port}/")


def test_a_name_that_turns_private_after_it_was_checked_is_refused(resolver: FakeResolver, port: int) -> None:
    resolver.places["models.example"] = [PUBLIC]
    client = make_client()
    with pytest.raises((httpx.ConnectError, httpx.ConnectTimeout)):
        client.get(f"http://models.example:{port}/", timeout=0.2)
    resolver.places["models.example"] = ["127.0.0.1"]
    with pytest.raises(AddressRefused):
        client.get(f"http://models.example:{port}/")


def test_a_name_is_looked_up_once_for_a_connection(resolver: FakeResolver, port: int) -> None:
    resolver.places["models.example"] = ["127.0.0.1"]
    client = make_client("models.example")
    for _ in range(3):
        assert client.get(f"http://models.example:{port}/").text == "ok"
    assert resolver.asked == ["models.example"], "the connection is kept, and went to what was looked up"


def test_no_proxy_of_the_environment_is_used_and_no_cookie_kept(
    resolver: FakeResolver, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    client = make_client("127.0.0.1")
    assert [client.get(f"http://127.0.0.1:{port}/").text for _ in range(2)] == ["ok", "ok"]


def test_an_unknown_name_is_no_connection(port: int) -> None:
    with pytest.raises(httpx.ConnectError):
        make_client().get(f"http://no-such-host.invalid:{port}/")

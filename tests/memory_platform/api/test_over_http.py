"""What only a real server shows: chunked bodies, raw paths, bodies that end early. Rows: D1; matrix rows 46, 47."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import orjson
import psycopg
import pytest
from django.db import connection
from psycopg.conninfo import make_conninfo

from tests.conftest import World

pytestmark = pytest.mark.processes
START_S = 15
LIVE = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


@pytest.fixture
def server(world: World, tmp_path: Path) -> Iterator[str]:
    """gunicorn on a socket of its own, serving the test database; the value is the socket's path."""
    address = str(tmp_path / "web.sock")
    database = make_conninfo(os.environ["DATABASE_URL"], dbname=str(connection.settings_dict["NAME"]))
    command = [sys.executable, "-m", "gunicorn", "tests.memory_platform.api.probe_wsgi"]
    command += ["--bind", f"unix:{address}", "--threads", "4"]
    log = (tmp_path / "log").open("wb")
    process = subprocess.Popen(command, env=os.environ | {"DATABASE_URL": _url(database)}, stderr=log, stdout=log)
    try:
        _wait_for(address)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=20)
        log.close()


def _url(conninfo: str) -> str:
    """The environment table wants an address that libpq reads; key=value pairs are one too."""
    assert psycopg.conninfo.conninfo_to_dict(conninfo)["dbname"]
    return conninfo


def _wait_for(address: str) -> None:
    ends = monotonic() + START_S
    while monotonic() < ends:
        try:
            if b"200 OK" in exchange(address, LIVE):
                return
        except OSError:
            pass
        sleep(0.1)
    raise AssertionError("gunicorn did not start")


def exchange(address: str, sent: bytes) -> bytes:
    """Send bytes, return all that comes back."""
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(10)
        peer.connect(address)
        peer.sendall(sent)
        received = b""
        while piece := peer.recv(65_536):
            received += piece
        return received


def call(address: str, world: World, line: bytes, headers: bytes = b"", body: bytes = b"") -> tuple[int, bytes]:
    """Return ``(status, body)`` of one request with acme's key."""
    head = b"Host: localhost\r\nConnection: close\r\nAuthorization: Bearer " + world.acme.token.encode() + b"\r\n"
    answer = exchange(address, line + b" HTTP/1.1\r\n" + head + headers + b"\r\n" + body)
    top, _, rest = answer.partition(b"\r\n\r\n")
    assert b"x-request-id" in top.lower(), answer[:500]
    return int(top.split()[1]), rest


def test_addresses_as_they_come_over_the_wire(server: str, world: World) -> None:
    assert call(server, world, b"GET /v1/tenant/")[0] == 200
    for path in [b"/v1/subjects/a%2Fb", b"/v1/subjects/a%2fprofile", b"/v1/nothing/%FF", b"/v1/nothing/%00"]:
        status, body = call(server, world, b"GET " + path)
        assert (status, orjson.loads(body)["code"]) == (400, "invalid_input"), path
    status, body = call(server, world, b"GET /v1/nothing/%25FF")
    assert (status, orjson.loads(body)["code"]) == (404, "not_found")


JSON = b"Content-Type: application/json\r\n"


def test_a_body_that_is_announced_too_large_is_refused_unread(server: str, world: World) -> None:
    status, body = call(server, world, b"POST /v1/echo/ada", JSON + b"Content-Length: 99999999\r\n")
    assert (status, orjson.loads(body)["code"]) == (413, "payload_too_large")


def test_a_body_in_chunks_is_read_within_the_same_limit(server: str, world: World) -> None:
    chunked = JSON + b"Transfer-Encoding: chunked\r\n"
    status, body = call(server, world, b"POST /v1/echo/ada", chunked, b'b\r\n{"text":"hi\r\n2\r\n"}\r\n0\r\n\r\n')
    assert (status, orjson.loads(body)["text"]) == (200, "hi")
    status, _ = call(server, world, b"POST /v1/echo/ada", chunked, b"200000\r\n" + b"x" * 0x200000 + b"\r\n0\r\n\r\n")
    assert status == 413


def test_who_sends_too_much_still_reads_the_answer(server: str, world: World) -> None:
    body = b"x" * 10_000_000
    length = JSON + b"Content-Length: 10000000\r\n"
    assert call(server, world, b"POST /v1/echo/ada", length, body)[0] == 413
    assert call(server, world, b"POST /v1/nothing", length, body)[0] == 404


def test_a_body_that_ends_early_is_400_or_no_answer(server: str, world: World) -> None:
    sent = b"POST /v1/echo/ada HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + world.acme.token.encode()
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(10)
        peer.connect(server)
        peer.sendall(sent + b"\r\n" + JSON + b'Content-Length: 100\r\n\r\n{"text"')
        peer.shutdown(socket.SHUT_WR)
        answer = peer.recv(65_536)
    assert answer == b"" or answer.split()[1] == b"400"

"""What only a real server shows: chunked bodies, raw paths, bodies that end early, slow peers.

Rows: D1. Matrix: 46, 47.
"""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic, sleep

import orjson
import psycopg
import pytest
from django.db import connection
from psycopg.conninfo import make_conninfo

from memory_platform.api.config import API_CONFIG
from memory_platform.api.server.error_pages_and_slashes import PATIENCE
from tests.conftest import World

pytestmark = [pytest.mark.processes, pytest.mark.xdist_group("over http")]  # one server for all of them
START_S = 60
ROOT = Path(__file__).parents[3]
THREADS = 4
NEVER_S = 600.0
# Longer than an answer takes on any machine, and much shorter than NEVER_S: only a hang reaches it.
HANGS_S = 60.0
HTTPX_KEEPS_S = 5.0
"""For how long httpx keeps an idle connection unless told otherwise."""
LIVE = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


@pytest.fixture(scope="module")
def world(shared_world: World) -> World:
    return shared_world


@pytest.fixture(scope="module")
def server(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """gunicorn on a socket of its own, serving the test database; the value is the socket's path."""
    with serve(tmp_path_factory.mktemp("web")) as address:
        yield address


@pytest.fixture(scope="module")
def patient_server(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that waits for whole heads and bodies without end, so that only a pause ends a slow one."""
    with serve(tmp_path_factory.mktemp("patient"), head_s=NEVER_S, body_s=NEVER_S) as address:
        yield address


@contextmanager
def serve(home: Path, **limits: float) -> Iterator[str]:
    address = str(home / "web.sock")
    database = make_conninfo(os.environ["DATABASE_URL"], dbname=str(connection.settings_dict["NAME"]))
    command = [sys.executable, "-m", "gunicorn", "tests.memory_platform.api.probe_wsgi"]
    command += ["--bind", f"unix:{address}", "--threads", str(THREADS)]
    log = (home / "log").open("wb")
    environment = os.environ | {"DATABASE_URL": _url(database), "PROBE_LIMITS": json.dumps(limits)}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=log, stdout=log)
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
        peer.settimeout(HANGS_S)
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


@pytest.mark.slow
def test_addresses_as_they_come_over_the_wire(server: str, world: World) -> None:
    assert call(server, world, b"GET /v1/tenant/")[0] == 200
    for path in [b"/v1/subjects/a%2Fb", b"/v1/subjects/a%2fprofile", b"/v1/nothing/%FF", b"/v1/nothing/%00"]:
        status, body = call(server, world, b"GET " + path)
        assert (status, orjson.loads(body)["code"]) == (400, "invalid_input"), path
    status, body = call(server, world, b"GET /v1/nothing/%25FF")
    assert (status, orjson.loads(body)["code"]) == (404, "not_found")


JSON = b"Content-Type: application/json\r\n"


@pytest.mark.slow
def test_a_body_that_is_announced_too_large_is_refused_unread(server: str, world: World) -> None:
    status, body = call(server, world, b"POST /v1/echo/ada", JSON + b"Content-Length: 99999999\r\n")
    assert (status, orjson.loads(body)["code"]) == (413, "payload_too_large")


@pytest.mark.slow
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


def test_a_body_whose_chunks_are_broken_is_400(server: str, world: World) -> None:
    for body in [b"zz\r\n", b"2\r\n{}zz\r\n", b"2\r\n{}\r\n0\r\nno header\r\n\r\n"]:
        chunked = JSON + b"Transfer-Encoding: chunked\r\n"
        status, answer = call(server, world, b"POST /v1/echo/ada", chunked, body)
        assert (status, orjson.loads(answer)["code"]) == (400, "invalid_input"), body
        assert call(server, world, b"POST /v1/nothing", chunked, body)[0] == 404


UNREADABLE = (
    (b"GET /v1/subjects/kestrel\xff HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    (b"GET /v1/tenant HTTP/1.1\r\nHost: x\r\nX-A: kestrel\x00\r\n\r\n", 400),
    (b"POST /v1/echo/kestrel HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
    (b"POST /v1/echo/ada HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    (b"get /v1/tenant HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    (b"kestrel\r\n\r\n", 400),
    (b"GET /v1/tenant?" + b"a" * 9_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414),
    (b"POST /v1/echo/ada HTTP/1.1\r\nHost: x\r\nExpect: kestrel\r\nContent-Length: 2\r\n\r\n{}", 417),
    (b"GET /v1/tenant HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * 20_000 + b"\r\n\r\n", 431),
)


def test_what_is_no_request_is_a_problem_too_and_is_not_quoted_in_a_log(server: str) -> None:
    for sent, status in UNREADABLE:
        top, _, body = exchange(server, sent).partition(b"\r\n\r\n")
        assert int(top.split()[1]) == status, sent[:80]
        assert b"application/problem+json" in top
        assert orjson.loads(body)["status"] == status
        request_id = top.decode().partition("X-Request-Id: ")[2].partition("\r")[0]
        log = Path(server).with_name("log").read_text()
        assert any("request.refused" in line and request_id in line for line in log.splitlines()), sent[:80]
    assert "kestrel" not in log


def bearer(world: World) -> bytes:
    """The head of a request with acme's key and 990 bytes more than are sent."""
    return b"Authorization: Bearer " + world.acme.token.encode() + b"\r\n" + UNFINISHED


UNFINISHED = JSON + b"Content-Length: 1000\r\n\r\n" + b"{" + b" " * 9
POST = b"POST /v1/echo/ada HTTP/1.1\r\nHost: localhost\r\n"


@pytest.mark.slow
def test_a_connection_outlives_the_pauses_of_those_who_keep_it(server: str) -> None:
    """Clients keep an idle connection for some seconds; one that the server closes first fails who is just asking."""
    kept = LIVE.replace(b"Connection: close\r\n", b"")
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(10)
        peer.connect(server)
        for pause in (0.0, HTTPX_KEEPS_S + 1.0):
            sleep(pause)
            peer.sendall(kept)
            answer = b""
            while not answer.endswith(b"}"):  # head and body may come in two pieces
                answer += peer.recv(65_536)
            assert answer.startswith(b"HTTP/1.1 200 OK")


@pytest.mark.slow
def test_a_connection_that_says_nothing_is_closed_soon(server: str) -> None:
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(API_CONFIG.head_s + 5)
        peer.connect(server)
        assert peer.recv(1) == b""


@pytest.mark.slow
def test_a_body_that_stalls_is_408_and_the_connection_ends(patient_server: str, world: World) -> None:
    """Its pause ends it: its body's time is never over."""
    answer = exchange(patient_server, POST + bearer(world))
    assert answer.split()[1] == b"408"
    assert orjson.loads(answer.partition(b"\r\n\r\n")[2])["code"] == "request_timeout"


@pytest.mark.slow
def test_a_body_that_stalls_without_a_key_is_401_at_once(patient_server: str) -> None:
    """401, not the 408 of its pause, and what is still read for it ends before a pause is over."""
    assert exchange(patient_server, POST + UNFINISHED).split()[1] == b"401"
    assert PATIENCE[401] < API_CONFIG.pause_s


@pytest.mark.slow
def test_a_body_that_drips_is_408_when_its_time_is_over(server: str, world: World) -> None:
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(0.5)
        peer.connect(server)
        peer.sendall(POST + bearer(world))
        started, answer = monotonic(), b""
        while not answer and monotonic() - started < 60:
            try:
                answer = peer.recv(65_536)
            except TimeoutError:
                peer.sendall(b" ")
    assert answer.split()[1] == b"408"
    assert API_CONFIG.body_s - 1 < monotonic() - started


@pytest.mark.slow
def test_more_slow_peers_than_threads_do_not_stop_the_web(patient_server: str, world: World) -> None:
    """No peer leaves, and no head or body is ever too old: whoever holds a thread for more than a pause stops it."""
    live = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n"
    kinds = {
        "silent": b"",
        "half a head": live,
        "no key": POST + UNFINISHED,
        "a key": POST + bearer(world),
        "no body wanted": live + UNFINISHED,
        "chunked, no key": POST + JSON + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{",
    }
    for kind, sent in kinds.items():
        with ExitStack() as peers:
            for _ in range(2 * THREADS):
                peer = peers.enter_context(socket.socket(socket.AF_UNIX))
                peer.connect(patient_server)
                peer.sendall(sent)
            assert b"200 OK" in exchange(patient_server, LIVE), kind

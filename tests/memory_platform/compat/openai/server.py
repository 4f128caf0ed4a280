"""gunicorn as a deployment runs it, with short times for model endpoints."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import httpx
from django.db import connection
from psycopg.conninfo import make_conninfo

ROOT = Path(__file__).parents[4]
START_S = 60
FIRST_BYTE_S, PAUSE_S = 3.0, 1.5
CALLS, THREADS = 6, 8


@contextmanager
def serve(home: Path) -> Iterator[str]:
    """Serve the tests' database; yield the address."""
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        port = chosen.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "memory_platform.wsgi", "--no-control-socket"]
    command += ["--bind", f"127.0.0.1:{port}", "--threads", str(THREADS), "--graceful-timeout", "2"]
    own = {
        "DATABASE_URL": make_conninfo(os.environ["DATABASE_URL"], dbname=str(connection.settings_dict["NAME"])),
        "UPSTREAM_HOSTS": "127.0.0.1",
        "UPSTREAM_CALLS": str(CALLS),
        "UPSTREAM_FIRST_BYTE_SECONDS": str(FIRST_BYTE_S),
        "UPSTREAM_PAUSE_SECONDS": str(PAUSE_S),
    }
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=os.environ | own, stderr=log, stdout=log)
        try:
            base = f"http://127.0.0.1:{port}"
            _wait_for(base)
            yield base
        finally:
            process.terminate()
            process.wait(timeout=20)


def _wait_for(base: str) -> None:
    ends = monotonic() + START_S
    while monotonic() < ends:
        try:
            if httpx.get(f"{base}/health/live").status_code == httpx.codes.OK:
                return
        except httpx.TransportError:
            sleep(0.1)
    raise AssertionError("gunicorn did not start")

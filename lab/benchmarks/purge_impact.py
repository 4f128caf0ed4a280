"""The cost of a large purge to readers: recall before and during it, and waits for locks.

The world is that of ``bench build``: its named cohorts live, the memories of all other subjects expire. Recall goes at
a steady rate over HTTP, so that a slow answer does not lighten the load. Waits are those that Postgres itself knows of,
looked at every few milliseconds.
"""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, LiteralString
from uuid import UUID

import psycopg
from django.db import connections

from lab.benchmarks.load.client import HttpClient
from lab.benchmarks.load.load_target import MeasuredStack, RequestSpec
from lab.benchmarks.load.protocol import AskFailed
from lab.benchmarks.load.timings import percentile
from lab.benchmarks.worlds.world_spec import OTHERS, PREFIX
from memory_platform.env.environment import PROJECT_ROOT, environment
from snapshots.models import Snapshot
from tenants.isolation import tenant_tx

LOOK_S = 0.005
WAITS = "SELECT coalesce(max(extract(epoch FROM clock_timestamp() - waitstart)), 0) FROM pg_locks WHERE NOT granted"
# Of transactions that write or lock rows; one that only counts what has expired keeps nobody waiting.
OLDEST = """
SELECT max(extract(epoch FROM clock_timestamp() - xact_start)) FROM pg_stat_activity a
WHERE pid <> pg_backend_pid() AND backend_type = 'client backend' AND application_name = %s AND EXISTS (
  SELECT FROM pg_locks l WHERE l.pid = a.pid AND l.granted AND l.mode <> 'AccessShareLock' AND l.relation IS NOT NULL
)
"""
# What the connections of the purge are called.
PURGER = "bench-purge"
LOOKS: tuple[tuple[LiteralString, Sequence[str]], ...] = ((WAITS, ()), (OLDEST, (PURGER,)))

EXPIRE = """
UPDATE snapshot s SET expires_at = now() - interval '1 hour' FROM subject o
WHERE s.tenant_id = %s AND o.tenant_id = s.tenant_id AND o.id = s.subject_id AND o.external_id LIKE %s
"""


@dataclass(slots=True)
class Load:
    """Answers of a steady load: seconds each took, and how many failed."""

    seconds: list[float] = field(default_factory=list)
    failed: int = 0

    def compute_figures(self) -> dict[str, float]:
        shares = {f"p{share}_ms": percentile(self.seconds, share) * 1_000 for share in (50, 95, 99)}
        return {"answers": len(self.seconds), "failed": self.failed, **shares, "max_ms": max(self.seconds) * 1_000}


@dataclass(slots=True)
class Locks:
    """The longest wait for any lock, how many looks found one, and the longest transaction that writes; seconds.

    ``longest_transaction`` is None where no look met one: that is not known then, and no figure.
    """

    looks: int = 0
    longest_wait: float = 0.0
    looks_with_waits: int = 0
    longest_transaction: float | None = None

    def add_observation(self, wait: Sequence[Any], oldest: Sequence[Any]) -> None:
        self.looks += 1
        self.looks_with_waits += wait[0] > 0
        self.longest_wait = max(self.longest_wait, float(wait[0]))
        if oldest[0] is not None:
            self.longest_transaction = max(self.longest_transaction or 0.0, float(oldest[0]))

    def describe(self) -> str:
        """Return the longest lock wait and transaction in one line; "not seen" instead of a zero."""
        held = "not seen" if self.longest_transaction is None else f"{self.longest_transaction * 1000:.0f} ms"
        waited = f"{self.longest_wait * 1000:.0f} ms in {self.looks_with_waits} of {self.looks} looks"
        return f"longest wait for a lock {waited}, longest writing transaction {held}"


def expire_others(tenant_id: UUID) -> int:
    """Let the memories of all subjects outside the named cohorts have expired; return how many have."""
    with tenant_tx(tenant_id), connections["default"].cursor() as cursor:
        cursor.execute(EXPIRE, [tenant_id, f"{PREFIX}-{OTHERS}-%"])
    with connections["owner"].cursor() as cursor:
        cursor.execute("VACUUM (ANALYZE) snapshot")
    with tenant_tx(tenant_id):
        return Snapshot.objects.filter(expires_at__isnull=False).count()


@contextmanager
def steady_load(target: MeasuredStack, asks: Iterator[RequestSpec], per_second: float) -> Iterator[Load]:
    """Ask so many questions a second, without end, until the block ends."""
    load, over = Load(), threading.Event()

    def ask_on() -> None:
        client, due = HttpClient(target.host, target.port, target.key), time.perf_counter()
        for method, path, body in asks:
            due += 1 / per_second
            if over.wait(max(0.0, due - time.perf_counter())):
                return
            try:
                load.seconds.append(client.send_request(method, path, json.dumps(body).encode())[0])
            except AskFailed:
                load.failed += 1

    thread = threading.Thread(target=ask_on, daemon=True)
    thread.start()
    try:
        yield load
    finally:
        over.set()
        thread.join()


@contextmanager
def watch_locks() -> Iterator[Locks]:
    locks, over = Locks(), threading.Event()

    def look_on() -> None:
        # As the purge's own role: Postgres hides from any other one when a session's transaction began.
        with psycopg.connect(environment().database_url, autocommit=True) as connection:
            while not over.wait(LOOK_S):
                wait, oldest = (connection.execute(sql, args).fetchone() or (None,) for sql, args in LOOKS)
                locks.add_observation(wait, oldest)

    thread = threading.Thread(target=look_on, daemon=True)
    thread.start()
    try:
        yield locks
    finally:
        over.set()
        thread.join()


def purge_in_subprocess(slug: str) -> float:
    """Purge one tenant in a process of its own, as a worker does; return the seconds it took."""
    began = time.monotonic()
    command = [sys.executable, "manage.py", "care", "purge-expired", "--tenant", slug]
    subprocess.run(["/usr/bin/env", f"PGAPPNAME={PURGER}", *command], check=True, cwd=PROJECT_ROOT)  # noqa: S603 - ours
    return time.monotonic() - began

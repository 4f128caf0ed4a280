"""Whether this process can serve: small checks with a bounded wait, and their combined outcome."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooSlow
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from kombu.connection import Connection
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from memory_platform.kernel.number_sources import promised
from memory_platform.observability.logs import Event, log
from memory_platform.postgres.role_faults import list_role_faults


@dataclass(frozen=True, slots=True)
class HealthConfig:
    """Timeouts of the checks, seconds."""

    postgres_s: float = promised(1.0)
    other_s: float = promised(0.3)


HEALTH_CONFIG = HealthConfig()


class ProbeOutcome(StrEnum):
    """The state of one part."""

    OK = "ok"
    DEGRADED = "degraded"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True)
class Check:
    """One part: ``probe`` returns an outcome or raises; ``failed`` is the outcome of an error or a timeout."""

    name: str
    probe: Callable[[], ProbeOutcome]
    failed: ProbeOutcome = ProbeOutcome.DEGRADED
    wait_s: float = HEALTH_CONFIG.other_s


@dataclass(frozen=True, slots=True)
class Health:
    """The outcome of every part; the worst one is the outcome of all."""

    checks: Mapping[str, ProbeOutcome]

    @property
    def status(self) -> ProbeOutcome:
        order = (ProbeOutcome.UNAVAILABLE, ProbeOutcome.DEGRADED)
        return next((worst for worst in order if worst in self.checks.values()), ProbeOutcome.OK)


# One thread per part: a hung part (a black-holed server) blocks its own thread and is late, nothing else waits.
_threads: dict[str, ThreadPoolExecutor] = {}
# Before its first answer a part is waited for: a process that has just started reads much before it can ask.
_answered: set[str] = set()


def run_checks(checks: list[Check]) -> Health:
    """Run all checks in parallel and return the outcomes; none takes longer than its ``wait_s``."""
    for check in checks:
        _threads.setdefault(check.name, ThreadPoolExecutor(1, thread_name_prefix=f"health-{check.name}"))
    running = {check.name: _threads[check.name].submit(_run_probe, check) for check in checks}
    outcomes: dict[str, ProbeOutcome] = {}
    for check in checks:
        try:
            outcomes[check.name] = running[check.name].result(timeout=check.wait_s)
        except TooSlow:
            running[check.name].cancel()
            outcomes[check.name] = check.failed
            if check.name in _answered:
                log(Event.PROBE_FAILED, part=check.name, error="late")
            else:
                log(Event.PROBE_AWAITED, part=check.name)
    return Health(outcomes)


def probe_postgres() -> ProbeOutcome:
    """Return OK if Postgres answers, the schema matches the code, and the role cannot bypass tenant isolation."""
    is_fit = not list_role_faults(connection) and migrations_applied()
    return ProbeOutcome.OK if is_fit else ProbeOutcome.UNAVAILABLE


def migrations_applied() -> bool:
    """Return whether every migration is applied; a yes is cached by this process."""
    if not _schema["current"]:
        wanted = MigrationLoader(None, ignore_no_migrations=True).graph.leaf_nodes()
        applied = MigrationRecorder(connection).applied_migrations()
        _schema["current"] = all(node in applied for node in wanted)
    return _schema["current"]


_schema = {"current": False}


def probe_redis(url: str) -> ProbeOutcome:
    """Return OK if Redis answers a ping; raises otherwise, after 0.3 s at most."""
    wait = HEALTH_CONFIG.other_s
    client: Any = Redis.from_url(url, socket_timeout=wait, socket_connect_timeout=wait, retry=Retry(NoBackoff(), 0))
    with client:
        client.ping()
    return ProbeOutcome.OK


def probe_broker(url: str) -> ProbeOutcome:
    """Return OK if a broker such as RabbitMQ opens a connection; raises otherwise, after one attempt of 0.3 s."""
    wait = HEALTH_CONFIG.other_s
    with Connection(url, connect_timeout=wait) as broker:  # type: ignore[no-untyped-call]  # kombu is typed in part
        broker.ensure_connection(max_retries=1, interval_start=0, interval_step=0, timeout=wait)
    return ProbeOutcome.OK


def _run_probe(check: Check) -> ProbeOutcome:
    try:
        outcome = check.probe()
        _answered.add(check.name)
        return outcome
    except Exception as error:  # noqa: BLE001  # whatever is wrong with a part, the answer says that it is
        log(Event.PROBE_FAILED, part=check.name, error=type(error).__qualname__)
        return check.failed
    finally:
        connection.close()

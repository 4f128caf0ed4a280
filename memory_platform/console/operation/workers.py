"""The state of workers and beat, asked with a short timeout; unreachable when nobody answers."""

import math
from dataclasses import dataclass
from typing import Any

from celery import current_app
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from memory_platform.console.shared.policy import OPERATION
from snapshots.queue.figures.gauges import seconds_since_sweep


@dataclass(frozen=True, slots=True)
class Worker:
    """One worker that answered: name, processes, uptime in seconds, jobs done."""

    name: str
    processes: int
    up_s: int
    done: int


@dataclass(frozen=True, slots=True)
class BeatState:
    """``seconds_ago``: age of beat's last sweep, None if unknown. ``is_late``: longer than allowed."""

    seconds_ago: float | None
    is_late: bool


def workers_now(wait_s: float = OPERATION.workers_s) -> list[Worker] | None:
    """Return the workers that answered in time, by name; None if the broker is unreachable."""
    try:
        with current_app.connection_for_write(connect_timeout=wait_s) as broker:
            broker.ensure_connection(max_retries=1, interval_start=0, interval_step=0, timeout=wait_s)
            replies = current_app.control.broadcast("stats", reply=True, timeout=wait_s, connection=broker)
    except (KombuError, RedisError, OSError):
        return None
    return sorted(
        (_worker(name, told) for one in replies or () for name, told in one.items()), key=lambda one: one.name
    )


def beat_now() -> BeatState:
    seconds = seconds_since_sweep()
    return BeatState(None, False) if math.isnan(seconds) else BeatState(seconds, seconds > OPERATION.beat_late_s)


def _worker(name: str, told: Any) -> Worker:
    said = told if isinstance(told, dict) else {}
    processes = said.get("pool", {}).get("max-concurrency", 0)
    return Worker(name, int(processes), int(said.get("uptime", 0)), sum((said.get("total") or {}).values()))

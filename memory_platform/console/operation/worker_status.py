"""The state of workers and beat, asked with a short timeout; unreachable when nobody answers."""

import math
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from celery import current_app
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from memory_platform.console.shared.config import OPERATION_PAGE
from snapshots.queue.metrics import seconds_since_sweep


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """One worker that answered: name, processes, uptime in seconds, jobs done."""

    name: str
    processes: int
    up_s: int
    done: int


@dataclass(frozen=True, slots=True)
class BeatStatus:
    """``seconds_ago``: age of beat's last sweep, None if unknown. ``is_late``: longer than allowed."""

    seconds_ago: float | None
    is_late: bool


def ask_workers(wait_s: float = OPERATION_PAGE.worker_timeout_s) -> list[WorkerStatus] | None:
    """Return the workers that answered in time, by name; None if the broker is unreachable."""
    try:
        with current_app.connection_for_write(connect_timeout=wait_s) as broker:
            # One attempt: the page must not wait for a broker that is down.
            broker.ensure_connection(max_retries=1, interval_start=0, interval_step=0, timeout=wait_s)
            replies = current_app.control.broadcast("stats", reply=True, timeout=wait_s, connection=broker)
    except (KombuError, RedisError, OSError):
        return None
    workers = (_parse_worker(name, stats) for reply in replies or () for name, stats in reply.items())
    return sorted(workers, key=attrgetter("name"))


def load_beat_status() -> BeatStatus:
    seconds = seconds_since_sweep()
    return BeatStatus(None, False) if math.isnan(seconds) else BeatStatus(seconds, seconds > OPERATION_PAGE.beat_late_s)


def _parse_worker(name: str, stats: Any) -> WorkerStatus:
    stats = stats if isinstance(stats, dict) else {}
    processes = stats.get("pool", {}).get("max-concurrency", 0)
    return WorkerStatus(name, int(processes), int(stats.get("uptime", 0)), sum((stats.get("total") or {}).values()))

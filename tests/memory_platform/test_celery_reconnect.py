"""A worker that lost its broker looks for it at a steady pace, so that work is taken up soon. Rows: C3. Matrix: 29."""

from datetime import timedelta
from typing import Any, Self

from celery import current_app

from memory_platform.celery_reconnect import PatientConsumer
from memory_platform.celery_settings import beat_max_loop_interval
from memory_platform.timetable import TIMETABLE

PROMISED_SECONDS = 5.0
"""From Redis's return until its work is taken up, on a machine that has nothing else to do."""


class Broker:
    """A connection that notes with which pauses it is to be tried again."""

    pace: dict[str, float]

    def ensure_connection(self, *_: object, callback: object = None, **pace: float) -> Self:
        self.pace = pace
        return self


def find_longest_pause() -> float:
    consumer: Any = PatientConsumer.__new__(PatientConsumer)
    consumer.app, consumer.first_connection_attempt = current_app, False
    broker = Broker()
    consumer.ensure_connected(broker)
    assert broker.pace["interval_step"] == 0
    return max(broker.pace["interval_start"], broker.pace["interval_max"])


def test_a_lost_broker_is_looked_for_often_enough_to_keep_the_promise() -> None:
    """The worker's pause, and the sweep that wakes it for the work whose own wake-up was lost. Measured by pauses, not
    by a clock, which a busy machine would fail."""
    [sweep] = [job for job in TIMETABLE if job.name == "sweep-queue"]
    assert isinstance(sweep.every, timedelta)
    between_sweeps = max(sweep.every.total_seconds(), beat_max_loop_interval)
    assert find_longest_pause() + between_sweeps <= PROMISED_SECONDS

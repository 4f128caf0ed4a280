"""How the worker reconnects to a lost broker."""

from functools import partial
from typing import Any

from celery.worker.consumer import Consumer

# Work is taken up within 5 s of the broker's return; the sweep's own 2 s come on top of this pause.
RETRY_SECONDS = 2


class PatientConsumer(Consumer):  # type: ignore[misc]  # Celery has no types
    """Reconnects to a lost broker at a steady pace: Celery's own pauses grow to 30 s and cannot be configured."""

    def ensure_connected(self, conn: Any) -> Any:
        pace = {"interval_start": RETRY_SECONDS, "interval_step": 0, "interval_max": RETRY_SECONDS}
        conn.ensure_connection = partial(conn.ensure_connection, **pace)
        return super().ensure_connected(conn)

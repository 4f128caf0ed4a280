"""A sentence-transformers model in this process: loaded at first use, one text at a time.

The library comes with torch, gigabytes that are only installed on request: the dependency group ``models``.
"""

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from celery.exceptions import SoftTimeLimitExceeded

from memory_platform.kernel.errors import Unavailable
from memory_platform.observability.logs import Event, log
from memory_platform.providers.config import CIRCUIT, CircuitConfig
from memory_platform.providers.endpoints.circuit_breaker import Circuit
from memory_platform.providers.endpoints.time_limit import run_within

Result = TypeVar("Result")

NOT_INSTALLED = "The packages of local models are missing: make models."
NOT_WORKING = "The local model does not work."


class LocalModelFailed(Unavailable):
    """The library or the model's files are missing, or the model cannot do the work."""

    code = "local_model_failed"


class LocalModel:
    """Loads once and works under one lock, because tokenizers refuse two threads at a time. A waiting thread comes
    before the one just served: a plain lock goes to the running thread, which asks again at once."""

    def __init__(self, load: Callable[[], Any], config: CircuitConfig = CIRCUIT) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._next = threading.Lock()
        self._model: Any = None
        self._circuit = Circuit(config)

    @property
    def ready(self) -> bool:
        return self._model is not None and self._circuit.is_closed

    def run_with_model(self, work: Callable[[Any], Result], *, seconds: float | None = None) -> Result:
        """Return ``work(model)``; with ``seconds`` it waits no longer. Raises LocalModelFailed, CircuitOpen. Celery's
        soft time limit passes through: it ends the task, not the model."""
        self._circuit.refuse_while_open()
        try:
            result = (
                self._run_locked(work, -1)
                if seconds is None
                else run_within(seconds, partial(self._run_locked, work, seconds))
            )
        except SoftTimeLimitExceeded:
            raise  # the worker's time is up, which is no fault of the model
        except Exception as error:  # noqa: BLE001 -- the library passes on whatever files, names and texts provoke
            self._circuit.note_failure()
            log(Event.PROVIDER_FAILED, provider="sentence-transformers", error=type(error).__name__)
            raise LocalModelFailed(NOT_INSTALLED if isinstance(error, ImportError) else NOT_WORKING) from None
        self._circuit.note_success()
        return result

    def _run_locked(self, work: Callable[[Any], Result], patience_s: float) -> Result:
        self._acquire_lock(patience_s)
        try:
            if self._model is None:
                self._model = self._load()
            return work(self._model)
        finally:
            self._lock.release()

    def _acquire_lock(self, patience_s: float) -> None:
        """Take the lock; one thread waits for it at a time, the others for that one's place. Raises TimeoutError."""
        started = time.monotonic()
        if not self._next.acquire(timeout=patience_s):
            raise TimeoutError
        try:
            left = patience_s if patience_s < 0 else max(patience_s - (time.monotonic() - started), 0)
            if not self._lock.acquire(timeout=left):
                raise TimeoutError
        finally:
            self._next.release()

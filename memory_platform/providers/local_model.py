"""A model of the sentence-transformers library in this process: loaded at its first use, one text at a time (L1).

The library comes with torch, gigabytes that only those install who ask for it: the dependency group `models`.
"""

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from celery.exceptions import SoftTimeLimitExceeded

from memory_platform.kernel.errors import Unavailable
from memory_platform.observability.logs import Event, log
from memory_platform.providers.endpoints.circuit import Circuit
from memory_platform.providers.endpoints.time_box import run_within
from memory_platform.providers.policy import CIRCUIT, CircuitPolicy

Result = TypeVar("Result")

NOT_INSTALLED = "The packages of local models are missing: make models."
NOT_WORKING = "The local model does not work."


class LocalModelFailed(Unavailable):
    """The library or the model's files are not there, or the model cannot do what it was asked."""

    code = "local_model_failed"


class LocalModel:
    """Loads once, under a lock; works under the same lock, as tokenizers refuse two threads at a time.

    Who waits comes before who was just served: a lock alone goes to the thread that runs, which asks again at once.
    """

    def __init__(self, load: Callable[[], Any], policy: CircuitPolicy = CIRCUIT) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._next = threading.Lock()
        self._model: Any = None
        self._circuit = Circuit(policy)

    @property
    def ready(self) -> bool:
        """Whether the model is loaded and did not fail repeatedly."""
        return self._model is not None and self._circuit.is_closed

    def use(self, work: Callable[[Any], Result], *, seconds: float | None = None) -> Result:
        """Return ``work(model)``; with ``seconds`` it waits no longer. Raises LocalModelFailed, CircuitOpen.

        Celery's soft time limit passes through: it ends the task, not the model.
        """
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
        """Do the work when the model is free. Raises when the wait exceeds ``patience_s``, and never works later."""
        self._take_turn(patience_s)
        try:
            if self._model is None:
                self._model = self._load()
            return work(self._model)
        finally:
            self._lock.release()

    def _take_turn(self, patience_s: float) -> None:
        """Hold the lock; at most one waits for it at a time, the others for that one's place. Raises TimeoutError."""
        started = time.monotonic()
        if not self._next.acquire(timeout=patience_s):
            raise TimeoutError
        try:
            left = patience_s if patience_s < 0 else max(patience_s - (time.monotonic() - started), 0)
            if not self._lock.acquire(timeout=left):
                raise TimeoutError
        finally:
            self._next.release()

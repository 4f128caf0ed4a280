"""JSON calls to a model's HTTP endpoint: limited in time and size, careful retries, behind a circuit breaker.

httpx and stamina, not a vendor's SDK: three kinds of endpoint in several dialects share one set of timeouts, and only
the kind of a failure reaches a log or an error.
"""

import logging
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, partial
from typing import Any, TypeVar

import httpx
import orjson
import stamina
from stamina.instrumentation import set_on_retry_hooks

from memory_platform.kernel.errors import Unavailable
from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import PROVIDER_SECONDS
from memory_platform.providers.config import CIRCUIT, ENDPOINT, CircuitConfig, EndpointConfig
from memory_platform.providers.endpoints.circuit_breaker import Circuit, CircuitOpen
from memory_platform.providers.endpoints.endpoint_health import identify_endpoint, record_call
from memory_platform.providers.endpoints.time_limit import run_within
from memory_platform.providers.open_transaction_guard import forbid_open_transaction

# Both would log a failed call in their own lines, with addresses and causes. We log it ourselves, as one event.
logging.getLogger("httpx").setLevel(logging.WARNING)
set_on_retry_hooks(())

Answer = TypeVar("Answer")


@cache
def load_authorities() -> ssl.SSLContext:
    """Return whom HTTPS trusts: 20 ms of reading for each client, unless all of the process share it."""
    return httpx.create_ssl_context()


class Connections:
    """The connections to one endpoint; a hanging call does not block the others. Thread-safe.

    httpx limits the wait for each byte, not for an answer: an endpoint that sends one byte a second holds a connection
    and its thread for a day, and a hundred such calls would use up the pool. ``late_s``: how long after its deadline a
    call may still hold a connection.
    """

    def __init__(self, headers: Mapping[str, str], *, late_s: float) -> None:
        self._headers = headers
        self._late_s = late_s
        self._lock = threading.Lock()
        self._client = self._make_client()
        self._lent: dict[object, tuple[float, httpx.Client]] = {}

    @contextmanager
    def lend(self, ends: float) -> Iterator[httpx.Client]:
        """Lend the connections to a call with this deadline (``ends``, monotonic).

        If an earlier call is long past its deadline, all connections are closed and this call gets new ones; other open
        calls fail with ``httpx.TransportError``.
        """
        call = object()
        with self._lock:
            self._close_late_calls()
            client = self._client
            self._lent[call] = ends, client
        try:
            yield client
        finally:
            with self._lock:
                del self._lent[call]

    def _close_late_calls(self) -> None:
        late = time.monotonic() - self._late_s
        held = {client for ends, client in self._lent.values() if ends < late}
        if self._client in held:
            self._client = self._make_client()
        for client in held:
            client.close()

    def _make_client(self) -> httpx.Client:
        return httpx.Client(verify=load_authorities(), headers=dict(self._headers), follow_redirects=False)


class Failure(StrEnum):
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    OVERLOADED = "overloaded"
    BROKEN = "broken"
    DENIED = "denied"
    GONE = "gone"
    REFUSED = "refused"
    REDIRECTED = "redirected"
    TOO_LARGE = "too_large"
    WRONG_ANSWER = "wrong_answer"
    WRONG_DIMENSION = "wrong_dimension"
    CIRCUIT_OPEN = "circuit_open"


# Worth another attempt. A timeout is not: it has used up the time.
PASSING = frozenset({Failure.UNREACHABLE, Failure.OVERLOADED, Failure.BROKEN})


class CallFailed(Unavailable):
    """The endpoint gave nothing usable. Says how, never the content sent or received."""

    code = "provider_unavailable"

    def __init__(self, failure: Failure, *, retry_after_s: float | None = None) -> None:
        super().__init__(f"The model's endpoint gave no usable answer: {failure}.")
        self.failure = failure
        self.retry_after_s = retry_after_s


class WrongAnswer(CallFailed):
    """The answer is not one of this kind of model."""

    def __init__(self) -> None:
        super().__init__(Failure.WRONG_ANSWER)


class WrongDimension(CallFailed):
    """The vectors' length has changed: the endpoint serves another model."""

    def __init__(self) -> None:
        super().__init__(Failure.WRONG_DIMENSION)


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One request: ``path`` is relative to the endpoint's address; ``body`` None sends no body."""

    method: str
    path: str
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address of a kind of model. ``use`` names the kind in metrics and logs."""

    use: str
    base_url: str
    api_key: str = field(default="", repr=False)

    @property
    def identity(self) -> str:
        return identify_endpoint(self.use, self.base_url)


class JsonService:
    """One endpoint with its connections and its circuit breaker in this process. Thread-safe."""

    def __init__(
        self, endpoint: Endpoint, config: EndpointConfig = ENDPOINT, circuit_config: CircuitConfig = CIRCUIT
    ) -> None:
        self._endpoint = endpoint
        self._policy = config
        self._circuit = Circuit(circuit_config)
        headers = {"Accept-Encoding": "identity"}  # an unpacked answer could be larger than any bound on what arrives
        if endpoint.api_key:
            headers["Authorization"] = f"Bearer {endpoint.api_key}"
        self._connections = Connections(headers, late_s=config.late_s)

    @property
    def answering(self) -> bool:
        return self._circuit.is_closed

    def post(self, path: str, body: Mapping[str, Any], read: Callable[[Any], Answer], *, seconds: float) -> Answer:
        """Send ``body`` and return ``read`` of the JSON answer, within ``seconds`` for all attempts together. ``read``
        raises CallFailed. Raises CallFailed, ModelCallInTransaction inside a transaction."""
        return self.send(Outgoing("POST", path, body), read, seconds=seconds)

    def send(self, outgoing: Outgoing, read: Callable[[Any], Answer], *, seconds: float) -> Answer:
        """Send any request, as :meth:`post` does. A 403, 404 or 410 for a change or deletion is ``Failure.GONE``."""
        forbid_open_transaction()
        started = time.perf_counter()
        try:
            answer = self._call_through_circuit(outgoing, read, seconds)
        except CallFailed as failed:
            self._record(failed.failure, started)
            log(Event.PROVIDER_FAILED, provider=self._endpoint.use, error=failed.failure)
            raise
        self._record("ok", started)
        return answer

    def _call_through_circuit(self, outgoing: Outgoing, read: Callable[[Any], Answer], seconds: float) -> Answer:
        try:
            self._circuit.refuse_while_open()
        except CircuitOpen:
            raise CallFailed(Failure.CIRCUIT_OPEN) from None
        content = None if outgoing.body is None else orjson.dumps(outgoing.body)
        ends = time.monotonic() + seconds
        try:
            answer = read(run_within(seconds, partial(self._call_with_retries, outgoing, content, ends)))
        except TimeoutError:
            self._circuit.note_failure()
            raise CallFailed(Failure.TIMEOUT) from None
        except CallFailed as failed:
            # What was refused for its content says nothing about the service: another text may pass.
            if failed.failure not in _ABOUT_THE_CONTENT:
                self._circuit.note_failure()
            raise
        self._circuit.note_success()
        return answer

    def _call_with_retries(self, outgoing: Outgoing, content: bytes | None, ends: float) -> Any:
        """Return the JSON of the first successful attempt. Raises CallFailed, TimeoutError."""
        policy = self._policy
        attempts = stamina.retry_context(
            on=partial(wait_for, ends=ends),
            attempts=policy.attempts,
            timeout=None,
            wait_initial=policy.first_wait_s,
            wait_max=policy.longest_wait_s,
            wait_jitter=policy.jitter_s,
        )
        for attempt in attempts:
            with attempt:
                return self._send_once(outgoing, content, ends)
        raise AssertionError("stamina raises the last error")

    def _send_once(self, outgoing: Outgoing, content: bytes | None, ends: float) -> Any:
        left = ends - time.monotonic()
        if left <= 0:
            raise TimeoutError
        method, url = outgoing.method, self._endpoint.base_url.rstrip("/") + outgoing.path
        headers = {**({} if content is None else {"Content-Type": "application/json"}), **outgoing.headers}
        try:
            with (
                self._connections.lend(ends) as client,
                client.stream(method, url, content=content, headers=headers, timeout=left) as response,
            ):
                if method in _OF_WHAT_STANDS and response.status_code in _NOT_THERE:
                    raise CallFailed(Failure.GONE)
                refuse_status(response.status_code, response.headers.get("Retry-After"))
                return _parse_json(self._read_body(response, ends))
        except httpx.TimeoutException:
            raise TimeoutError from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError):
            raise CallFailed(Failure.UNREACHABLE) from None

    def _read_body(self, response: httpx.Response, ends: float) -> bytes:
        received = bytearray()
        for piece in response.iter_raw():
            received += piece
            if len(received) > self._policy.answer_bytes:
                raise CallFailed(Failure.TOO_LARGE)
            if time.monotonic() > ends:
                raise TimeoutError
        return bytes(received)

    def _record(self, outcome: str, started: float) -> None:
        seconds = time.perf_counter() - started
        PROVIDER_SECONDS.labels(use=self._endpoint.use, outcome=str(outcome)).observe(seconds)
        if outcome != Failure.CIRCUIT_OPEN:  # nothing was sent
            record_call(self._endpoint.identity, str(outcome), seconds, pause_s=self._circuit.pause_left_s)


_REFUSED_FOR_CONTENT = frozenset({400, 413, 422})
_ABOUT_THE_CONTENT = frozenset({Failure.REFUSED, Failure.GONE})
_OF_WHAT_STANDS, _NOT_THERE = frozenset({"PATCH", "DELETE"}), frozenset({403, 404, 410})
_OK, _REDIRECT, _CLIENT, _TOO_MANY, _SERVER = 200, 300, 400, 429, 500


def refuse_status(status: int, retry_after: str | None) -> None:
    """Raise CallFailed for an HTTP status without a usable answer."""
    if status == _OK:
        return
    after = _parse_retry_after(retry_after)
    if status == _TOO_MANY:
        raise CallFailed(Failure.OVERLOADED, retry_after_s=after)
    if status >= _SERVER:
        raise CallFailed(Failure.BROKEN, retry_after_s=after)
    if status in _REFUSED_FOR_CONTENT:
        raise CallFailed(Failure.REFUSED)
    raise CallFailed(Failure.REDIRECTED if _REDIRECT <= status < _CLIENT else Failure.DENIED)


def _parse_retry_after(retry_after: str | None) -> float | None:
    text = (retry_after or "").strip()
    return float(text) if text.isascii() and text.isdigit() else None


def wait_for(error: Exception, *, ends: float) -> bool | float:
    """Return whether stamina should retry: at its own pace, or after the time that the service requested."""
    if not isinstance(error, CallFailed) or error.failure not in PASSING:
        return False
    if error.retry_after_s is None:
        return True
    return error.retry_after_s if time.monotonic() + error.retry_after_s < ends else False


def _parse_json(received: bytes) -> Any:
    try:
        return orjson.loads(received)
    except orjson.JSONDecodeError:
        raise WrongAnswer from None

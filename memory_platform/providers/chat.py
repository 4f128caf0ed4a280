"""A chat model for one purpose: answers validated and repaired once, within a time, behind a circuit (L1).

Importing pydantic-ai takes seconds: only a process that is configured to chat pays for it, when it is first needed.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import TimeoutError as TooSlow
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from celery.exceptions import SoftTimeLimitExceeded

from memory_platform.env_chat import ChatEndpoint
from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import PROVIDER_SECONDS, PROVIDER_TOKENS
from memory_platform.providers.base import forbid_open_transaction
from memory_platform.providers.chat_output import Unusable, json_answer, schema_instructions, text_answer
from memory_platform.providers.circuit import Circuit, CircuitOpen
from memory_platform.providers.contracts import (
    Answered,
    ChatPrompt,
    ChatUnavailable,
    InvalidOutput,
    Shape,
    Usage,
)
from memory_platform.providers.endpoint import CallFailed, Failure
from memory_platform.providers.policy import CHAT, CIRCUIT, ChatPolicy, CircuitPolicy

if TYPE_CHECKING:
    from pydantic_ai.models import Model

    from memory_platform.providers.chat_vendors import Objection, Said
    from memory_platform.providers.chat_wire import Call

Answer = TypeVar("Answer")
USE = "chat"
INVALID = "invalid_output"


class Connection:
    """One endpoint in this process: its library, and one event loop in a thread that all purposes share."""

    def __init__(self, endpoint: ChatEndpoint, policy: ChatPolicy = CHAT) -> None:
        self.endpoint = endpoint
        self._policy = policy
        self._lock = threading.Lock()
        self._prepared: tuple[Model, asyncio.AbstractEventLoop] | None = None

    @property
    def ready(self) -> bool:
        """Whether the library is imported."""
        return self._prepared is not None

    def prepare(self) -> "tuple[Model, asyncio.AbstractEventLoop]":
        """Return the model and the loop that its calls run in, made once. Asks nothing. Raises ChatUnavailable."""
        with self._lock:
            if self._prepared is None:
                self._prepared = self._connected(), _running_loop()
            return self._prepared

    def _connected(self) -> "Model":
        try:
            from memory_platform.providers.chat_vendors import connected  # noqa: PLC0415 -- takes seconds

            return connected(self.endpoint, self._policy)
        except ImportError as missing:
            told = f"the packages for {self.endpoint.kind} are not installed: make chat"
            raise ChatUnavailable(told, failure="not_installed") from missing
        except SoftTimeLimitExceeded:
            raise  # the worker's time was up while the library loaded
        except Exception as error:  # noqa: BLE001 -- the libraries pass on whatever settings and credentials provoke
            told = f"{self.endpoint.kind} refuses its settings: {type(error).__name__}"
            raise ChatUnavailable(told, failure="misconfigured") from None


class Chat:
    """One purpose at one endpoint. Safe in threads; a late call is cancelled."""

    def __init__(
        self,
        connection: Connection,
        *,
        seconds: float,
        policy: ChatPolicy = CHAT,
        circuit_policy: CircuitPolicy = CIRCUIT,
    ) -> None:
        self.name = connection.endpoint.name
        self._connection = connection
        self._seconds = seconds
        self._policy = policy
        self._circuit = Circuit(circuit_policy)
        self._json_mode = True

    @property
    def ready(self) -> bool:
        """Whether the library is imported and the endpoint did not fail repeatedly."""
        return self._connection.ready and self._circuit.closed

    def prepare(self) -> None:
        """Import the library, without asking the endpoint. Raises ChatUnavailable."""
        self._connection.prepare()

    def structured(self, prompt: ChatPrompt, shape: type[Shape]) -> Answered[Shape]:
        """See :class:`ChatModel`."""
        told = replace(prompt, instructions=f"{prompt.instructions}\n\n{schema_instructions(shape)}")
        return self._answered(told, partial(json_answer, shape=shape), as_json=True)

    def text(self, prompt: ChatPrompt) -> Answered[str]:
        """See :class:`ChatModel`."""
        return self._answered(prompt, partial(text_answer, chars=self._policy.text_chars), as_json=False)

    def answer(self, instructions: str, content: str, shape: type[Shape]) -> Shape:
        """See :class:`ChatModel`."""
        return self.structured(ChatPrompt(instructions, content), shape).value

    def _answered(self, prompt: ChatPrompt, read: Callable[[str], Answer], *, as_json: bool) -> Answered[Answer]:
        forbid_open_transaction()
        try:
            self._circuit.refuse_while_open()
        except CircuitOpen as still_open:
            raise ChatUnavailable(still_open.detail, failure=Failure.CIRCUIT_OPEN) from None
        model, loop = self._connection.prepare()
        from memory_platform.providers.chat_wire import Call  # noqa: PLC0415 -- imported with the library

        started = time.perf_counter()
        call = Call(ends=time.monotonic() + self._seconds)
        coming = asyncio.run_coroutine_threadsafe(self._read(model, prompt, read, call, as_json), loop)
        try:
            value = coming.result(timeout=self._seconds)
        except SoftTimeLimitExceeded:  # the worker's time is up, which is no fault of the endpoint
            coming.cancel()
            raise
        except Exception as error:  # noqa: BLE001 -- the libraries pass on whatever the endpoint provokes, texts included
            coming.cancel()
            raise self._failed(error, started, call.usage) from None
        self._circuit.note_success()
        _count("ok", started, call.usage)
        return Answered(value, call.usage)

    async def _read(
        self, model: "Model", prompt: ChatPrompt, read: Callable[[str], Answer], call: "Call", as_json: bool
    ) -> Answer:
        """Ask, and once more with what was wrong. Raises Unusable, CallFailed."""
        from memory_platform.providers.chat_vendors import Objection  # noqa: PLC0415 -- imported with the library

        objections: list[Objection] = []
        while True:
            said = await self._said(model, prompt, objections, call, as_json)
            try:
                return read(said.text)
            except Unusable as unusable:
                if len(objections) == self._policy.repairs:
                    raise
                brief = " It was cut off: be brief." if said.cut else ""
                fault = f"That answer could not be used. {unusable}{brief} Answer again as the instructions say."
                objections.append(Objection(said.text[: self._policy.text_chars], fault))

    async def _said(
        self, model: "Model", prompt: ChatPrompt, objections: "Sequence[Objection]", call: "Call", as_json: bool
    ) -> "Said":
        """Ask once; an endpoint that refuses its kind's JSON mode, as some servers do, is asked without it ever after.

        Raises CallFailed.
        """
        from memory_platform.providers.chat_vendors import say  # noqa: PLC0415 -- imported with the library

        json_mode = as_json and self._json_mode
        try:
            return await say(model, prompt, objections, call, self._policy, as_json=json_mode)
        except CallFailed as failed:
            if not json_mode or failed.failure is not Failure.REFUSED:
                raise
        call.failure = None
        said = await say(model, prompt, objections, call, self._policy, as_json=False)
        self._json_mode = False
        return said

    def _failed(self, error: Exception, started: float, usage: Usage) -> ChatUnavailable:
        """Return what to raise, and note it: an answer that is at fault says nothing about the endpoint."""
        failure = _failure_of(error)
        _count(failure, started, usage)
        log(Event.PROVIDER_FAILED, provider=USE, error=failure)
        if failure == INVALID:
            self._circuit.note_success()
            return InvalidOutput("The chat model gave no valid answer.", failure=INVALID, usage=usage)
        if failure != Failure.REFUSED:
            self._circuit.note_failure()
        return ChatUnavailable(f"The chat model gave no usable answer: {failure}.", failure=failure, usage=usage)


def _failure_of(error: Exception) -> str:
    if isinstance(error, Unusable):
        return INVALID
    if isinstance(error, CallFailed):
        return str(error.failure)
    return str(Failure.TIMEOUT if isinstance(error, TooSlow) else Failure.WRONG_ANSWER)


def _count(outcome: str, started: float, usage: Usage) -> None:
    PROVIDER_SECONDS.labels(use=USE, outcome=outcome).observe(time.perf_counter() - started)
    PROVIDER_TOKENS.labels(use=USE).inc(usage.input_tokens + usage.output_tokens)


def _running_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="chat", daemon=True).start()
    return loop

"""A chat model for one purpose: answers validated and repaired once, with a timeout, behind a circuit breaker.

Importing pydantic-ai takes seconds: only a process with a configured chat model pays for it, at first use.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import TimeoutError as TooSlow
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from celery.exceptions import SoftTimeLimitExceeded

from memory_platform.env.chat_endpoints import ChatEndpoint
from memory_platform.observability import tracing
from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import PROVIDER_SECONDS, PROVIDER_TOKENS
from memory_platform.providers.chat_output import (
    UnusableAnswer,
    build_plain_schema,
    parse_json_answer,
    read_text_answer,
    schema_instructions,
)
from memory_platform.providers.config import CHAT, CIRCUIT, ChatConfig, CircuitConfig
from memory_platform.providers.contracts import (
    ChatPrompt,
    ChatUnavailable,
    InvalidOutput,
    JsonForm,
    ModelAnswer,
    Shape,
    Usage,
)
from memory_platform.providers.endpoints.circuit_breaker import Circuit, CircuitOpen
from memory_platform.providers.endpoints.endpoint import CallFailed, Failure
from memory_platform.providers.endpoints.endpoint_health import OK, identify_chat_endpoint, record_call
from memory_platform.providers.open_transaction_guard import forbid_open_transaction

if TYPE_CHECKING:
    from pydantic_ai.models import Model

    from memory_platform.providers.chat_vendors import Call, ModelText, Objection

Answer = TypeVar("Answer")
USE = "chat"
INVALID = "invalid_output"
FORMS = tuple(JsonForm)


@dataclass(frozen=True, slots=True)
class AnswerFormat(Generic[Answer]):
    """How an answer is read: ``read`` raises UnusableAnswer. A ``schema`` requests JSON, in one of ``forms``."""

    read: Callable[[str], Answer]
    repairs: int
    schema: Mapping[str, Any] | None = None
    forms: tuple[JsonForm, ...] = ()


class Connection:
    """One endpoint in this process: its library, one event loop in a thread, and the JSON forms that it refused."""

    def __init__(self, endpoint: ChatEndpoint, config: ChatConfig = CHAT) -> None:
        self.endpoint = endpoint
        # Of other makers only the plain JSON mode has been tried.
        self.forms = FORMS if endpoint.kind == "openai" else FORMS[FORMS.index(JsonForm.OBJECT) :]
        self._policy = config
        self._lock = threading.Lock()
        self._prepared: tuple[Model, asyncio.AbstractEventLoop] | None = None

    @property
    def ready(self) -> bool:
        return self._prepared is not None

    def prepare(self) -> "tuple[Model, asyncio.AbstractEventLoop]":
        with self._lock:
            if self._prepared is None:
                self._prepared = self._connect(), _running_loop()
            return self._prepared

    def _connect(self) -> "Model":
        try:
            from memory_platform.providers.chat_vendors import connect_model  # noqa: PLC0415 -- takes seconds

            return connect_model(self.endpoint, self._policy)
        except ImportError as missing:
            told = f"the packages for {self.endpoint.kind} are not installed: make chat"
            raise ChatUnavailable(told, failure="not_installed") from missing
        except SoftTimeLimitExceeded:
            raise  # the worker's time was up while the library loaded
        except Exception as error:  # noqa: BLE001 -- the libraries pass on whatever settings and credentials provoke
            told = f"{self.endpoint.kind} refuses its settings: {type(error).__name__}"
            raise ChatUnavailable(told, failure="misconfigured") from None


class Chat:
    """One purpose at one endpoint. Thread-safe; a late call is cancelled."""

    def __init__(
        self,
        connection: Connection,
        *,
        seconds: float,
        config: ChatConfig = CHAT,
        circuit_config: CircuitConfig = CIRCUIT,
    ) -> None:
        self.name = connection.endpoint.qualified_model_name
        self._connection = connection
        self._seconds = seconds
        self._policy = config
        self._circuit = Circuit(circuit_config)

    @property
    def ready(self) -> bool:
        return self._connection.ready and self._circuit.is_closed

    def prepare(self) -> None:
        self._connection.prepare()

    def ask_structured(self, prompt: ChatPrompt, shape: type[Shape]) -> ModelAnswer[Shape]:
        return self._ask_in_forms(prompt, shape, self._connection.forms, self._policy.repairs)

    def ask_structured_as(self, prompt: ChatPrompt, shape: type[Shape], form: JsonForm) -> ModelAnswer[Shape]:
        return self._ask_in_forms(prompt, shape, (form,), repairs=0)

    def text(self, prompt: ChatPrompt) -> ModelAnswer[str]:
        read = partial(read_text_answer, chars=self._policy.text_chars)
        return self._ask(prompt, AnswerFormat(read, self._policy.repairs))

    def answer(self, instructions: str, content: str, shape: type[Shape]) -> Shape:
        return self.ask_structured(ChatPrompt(instructions, content), shape).value

    def _ask_in_forms(
        self, prompt: ChatPrompt, shape: type[Shape], forms: tuple[JsonForm, ...], repairs: int
    ) -> ModelAnswer[Shape]:
        schema = build_plain_schema(shape)
        told = replace(prompt, instructions=f"{prompt.instructions}\n\n{schema_instructions(schema)}")
        return self._ask(told, AnswerFormat(partial(parse_json_answer, shape=shape), repairs, schema, forms))

    def _ask(self, prompt: ChatPrompt, answer_format: AnswerFormat[Answer]) -> ModelAnswer[Answer]:
        forbid_open_transaction()
        try:
            self._circuit.refuse_while_open()
        except CircuitOpen as still_open:
            raise ChatUnavailable(still_open.detail, failure=Failure.CIRCUIT_OPEN) from None
        model, loop = self._connection.prepare()
        from memory_platform.providers.chat_vendors import Call  # noqa: PLC0415 -- imported with the library

        endpoint = self._connection.endpoint
        started = time.perf_counter()
        call = Call(ends=time.monotonic() + self._seconds)
        with tracing.open_model_span(tracing.CHAT, model=endpoint.model, kind=endpoint.kind) as span:
            coming = asyncio.run_coroutine_threadsafe(self._read(model, prompt, answer_format, call), loop)
            try:
                value = coming.result(timeout=self._seconds)
            except SoftTimeLimitExceeded:  # the worker's time is up, which is no fault of the endpoint
                coming.cancel()
                raise
            except Exception as error:  # noqa: BLE001 -- the libraries pass on what the endpoint provokes, texts included
                coming.cancel()
                raise self._note_failure(error, started, call.usage) from None
            finally:
                span.describe(describe_usage(call.usage))
        self._circuit.note_success()
        self._count_call(OK, started, call.usage)
        return ModelAnswer(value, call.usage)

    async def _read(
        self, model: "Model", prompt: ChatPrompt, answer_format: AnswerFormat[Answer], call: "Call"
    ) -> Answer:
        from memory_platform.providers.chat_vendors import Objection  # noqa: PLC0415 -- imported with the library

        objections: list[Objection] = []
        while True:
            said = await self._ask_once(model, prompt, objections, call, answer_format)
            try:
                return answer_format.read(said.text)
            except UnusableAnswer as unusable:
                if len(objections) == answer_format.repairs:
                    raise
                brief = " It was cut off: be brief." if said.cut else ""
                fault = f"That answer could not be used. {unusable}{brief} Answer again as the instructions say."
                objections.append(Objection(said.text[: self._policy.text_chars], fault))

    async def _ask_once(
        self,
        model: "Model",
        prompt: ChatPrompt,
        objections: "Sequence[Objection]",
        call: "Call",
        answer_format: AnswerFormat[Answer],
    ) -> "ModelText":
        """Ask once; an endpoint that refuses a form of JSON is never asked in it again.

        Raises CallFailed.
        """
        from memory_platform.providers.chat_vendors import send_chat  # noqa: PLC0415 -- imported with the library

        if answer_format.schema is None:
            return await send_chat(model, prompt, objections, call, self._policy)
        for place, form in enumerate(answer_format.forms):
            try:
                said = await send_chat(
                    model, prompt, objections, call, self._policy, schema=answer_format.schema, form=form
                )
            except CallFailed as failed:
                if failed.failure is not Failure.REFUSED or form is answer_format.forms[-1]:
                    raise
                call.failure = None
            else:
                if place:
                    self._connection.forms = answer_format.forms[place:]
                return said
        raise AssertionError("the last form answers or raises")

    def _note_failure(self, error: Exception, started: float, usage: Usage) -> ChatUnavailable:
        """Count the failure and return the error to raise. A faulty answer does not open the circuit."""
        failure = _name_failure(error)
        log(Event.PROVIDER_FAILED, provider=USE, error=failure)
        if failure == INVALID:
            self._circuit.note_success()
        elif failure != Failure.REFUSED:
            self._circuit.note_failure()
        self._count_call(failure, started, usage)
        if failure == INVALID:
            return InvalidOutput("The chat model gave no valid answer.", failure=INVALID, usage=usage)
        return ChatUnavailable(f"The chat model gave no usable answer: {failure}.", failure=failure, usage=usage)

    def _count_call(self, outcome: str, started: float, usage: Usage) -> None:
        seconds = time.perf_counter() - started
        PROVIDER_SECONDS.labels(use=USE, outcome=outcome).observe(seconds)
        PROVIDER_TOKENS.labels(use=USE).inc(usage.input_tokens + usage.output_tokens)
        record_call(
            identify_chat_endpoint(self._connection.endpoint), outcome, seconds, pause_s=self._circuit.pause_left_s
        )


def _name_failure(error: Exception) -> str:
    if isinstance(error, UnusableAnswer):
        return INVALID
    if isinstance(error, CallFailed):
        return str(error.failure)
    return str(Failure.TIMEOUT if isinstance(error, TooSlow) else Failure.WRONG_ANSWER)


def describe_usage(usage: Usage) -> dict[str, int]:
    """Return the tokens of a call as attributes of its span."""
    return {
        tracing.TOKENS_READ: usage.input_tokens,
        tracing.TOKENS_WRITTEN: usage.output_tokens,
        tracing.TOKENS_CACHED: usage.cached_tokens,
    }


def _running_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="chat", daemon=True).start()
    return loop

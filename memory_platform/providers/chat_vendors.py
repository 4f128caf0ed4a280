"""The vendors' chat models behind one function, through pydantic-ai. Importing this module takes seconds.

Only :mod:`memory_platform.providers.chat` imports it, at the first use of a model.
"""

import logging
import ssl
import time
import warnings
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any
from urllib.parse import urlsplit

import httpx2
import stamina
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import ContentFilterError
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings

from memory_platform.env.chat_endpoints import OPENAI, ChatEndpoint
from memory_platform.providers.config import ENDPOINT, ChatConfig, EndpointConfig
from memory_platform.providers.contracts import ChatPrompt, JsonForm, Usage
from memory_platform.providers.endpoints.endpoint import CallFailed, Failure, refuse_status, wait_for
from memory_platform.providers.token_estimator import TokenEstimator


@dataclass(slots=True)
class Call:
    ends: float
    usage: Usage = field(default_factory=Usage)
    failure: Failure | None = None


CURRENT: ContextVar[Call] = ContextVar("chat_call")


@cache
def _load_authorities() -> ssl.SSLContext:
    """Return whom HTTPS trusts: 20 ms of reading for each client, unless all of the process share it."""
    return httpx2.create_ssl_context()


class BoundedClient(httpx2.AsyncClient):
    """The HTTP client under the vendors' libraries: limited in time and size, careful retries, no content in errors.

    The libraries would read any number of bytes, retry by their own rules and put answers into errors. This client
    returns complete good answers only; the kind of a failure is noted on the :class:`Call`.
    """

    def __init__(self, config: ChatConfig, waits: EndpointConfig = ENDPOINT) -> None:
        # No timeout here: each request brings its own.
        super().__init__(verify=_load_authorities(), follow_redirects=False, timeout=None)
        self._policy = config
        self._waits = waits

    async def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
        """Return a complete answer. Raises CallFailed, which the libraries wrap in errors of theirs."""
        call = CURRENT.get()
        # An unpacked answer could be larger than any bound on what arrives.
        request.headers["Accept-Encoding"] = "identity"
        try:
            return await self._send_with_retries(request, call)
        except CallFailed as failed:
            call.failure = failed.failure
            raise

    async def _send_with_retries(self, request: httpx2.Request, call: Call) -> httpx2.Response:
        attempts = stamina.retry_context(
            on=partial(wait_for, ends=call.ends),
            attempts=1 + self._policy.retries,
            timeout=None,
            wait_initial=self._waits.first_wait_s,
            wait_max=self._waits.longest_wait_s,
            wait_jitter=self._waits.jitter_s,
        )
        async for attempt in attempts:
            with attempt:
                return await self._send_once(request, call)
        raise AssertionError("stamina raises the last error")

    async def _send_once(self, request: httpx2.Request, call: Call) -> httpx2.Response:
        left = max(call.ends - time.monotonic(), 0.001)
        request.extensions = {**request.extensions, "timeout": httpx2.Timeout(left).as_dict()}
        try:
            response = await super().send(request, stream=True, follow_redirects=False)
            try:
                refuse_status(response.status_code, response.headers.get("Retry-After"))
                content = await self._read_body(response)
            finally:
                await response.aclose()
        except httpx2.TimeoutException:
            raise CallFailed(Failure.TIMEOUT) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError):
            raise CallFailed(Failure.UNREACHABLE) from None
        kind = response.headers.get("Content-Type", "application/json")
        return httpx2.Response(200, headers={"Content-Type": kind}, content=content, request=request)

    async def _read_body(self, response: httpx2.Response) -> bytes:
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise CallFailed(Failure.WRONG_ANSWER)
        received = bytearray()
        async for piece in response.aiter_raw():
            received += piece
            if len(received) > self._policy.answer_bytes:
                raise CallFailed(Failure.TOO_LARGE)
        return bytes(received)


# These libraries log addresses, and at DEBUG whole requests. We log a failed call ourselves, as one event.
for _name in ("httpx2", "httpcore2", "openai", "anthropic", "google_genai", "google.auth"):
    logging.getLogger(_name).setLevel(logging.ERROR)

# A model that thinks takes no temperature. The library leaves it out, as it should, and would say so in every process.
warnings.filterwarnings("ignore", message="Sampling parameters", category=UserWarning)

_ESTIMATE = TokenEstimator()

# Hosts that limit an answer by `max_completion_tokens`; other OpenAI-compatible servers use `max_tokens`.
_NEWER_FIELD = ("api.openai.com", ".openai.azure.com")


_ANTHROPIC = "https://api.anthropic.com"

# The library would take truncated thoughts for the answer, so only chat_output looks for them.
_NO_TAGS = ("\0<", "\0>")

_UNPAID = frozenset(Failure) - {Failure.TIMEOUT, Failure.TOO_LARGE, Failure.WRONG_ANSWER}


@dataclass(frozen=True, slots=True)
class ModelText:
    """The model's text; ``cut`` if it was truncated."""

    text: str
    cut: bool


@dataclass(frozen=True, slots=True)
class Objection:
    """An unusable answer and the objection to it."""

    answer: str
    fault: str


def connect_model(endpoint: ChatEndpoint, config: ChatConfig) -> Model:
    """Return an endpoint's model, without a call. Raises ImportError if its package is missing."""
    client = BoundedClient(config)
    match endpoint.kind:
        case "openai":
            return _openai(endpoint, client)
        case "anthropic":
            return _anthropic(endpoint, client)
        case "google" | "google-vertex":
            return _google(endpoint, client)


async def send_chat(  # noqa: PLR0913 -- a question, what it may cost, and how its answer is held to a shape
    model: Model,
    prompt: ChatPrompt,
    objections: Sequence[Objection],
    call: Call,
    config: ChatConfig,
    *,
    schema: Mapping[str, Any] | None = None,
    form: JsonForm = JsonForm.PROMPTED,
) -> ModelText:
    """Ask once and add the cost to ``call``; ``form`` says how the answer is bound to the ``schema``.

    Raises CallFailed without any content.
    """
    CURRENT.set(call)
    messages = _messages(prompt, objections)
    estimate = _ESTIMATE.count(prompt.instructions) + _ESTIMATE.count(prompt.content)
    before, call.usage = call.usage, call.usage + Usage(1, estimate)  # a late answer is paid for all the same
    try:
        response = await model_request(
            model,
            messages,
            model_settings=ModelSettings(temperature=0.0, max_tokens=config.answer_tokens),
            model_request_parameters=_request_parameters(model, schema, form),
        )
    except ContentFilterError:
        raise CallFailed(Failure.REFUSED) from None
    except Exception as error:  # noqa: BLE001 -- the libraries pass on whatever the endpoint provokes, texts included
        failure = call.failure or _classify_failure(error)
        if failure in _UNPAID:
            call.usage = before
        raise CallFailed(failure) from None
    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    call.usage = before + _read_usage(response, estimate, text)
    return ModelText(text, cut=response.finish_reason == "length")


def _classify_failure(error: Exception) -> Failure:
    asked_for_credentials = type(error).__module__.startswith("google.auth")
    return Failure.DENIED if asked_for_credentials else Failure.WRONG_ANSWER


def _messages(prompt: ChatPrompt, objections: Sequence[Objection]) -> list[ModelMessage]:
    said: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart(content=prompt.content)], instructions=prompt.instructions)
    ]
    for objection in objections:
        said.append(ModelResponse(parts=[TextPart(content=objection.answer or "-")]))
        said.append(ModelRequest(parts=[UserPromptPart(content=objection.fault)], instructions=prompt.instructions))
    return said


def _request_parameters(model: Model, schema: Mapping[str, Any] | None, form: JsonForm) -> ModelRequestParameters:
    if schema is not None and form is JsonForm.SCHEMA and model.profile.get("supports_json_schema_output", False):
        # OpenAI holds an answer to a schema only when it is strict; other servers of its form always do, and keep the
        # bounds of lists and texts, which a strict schema may not have.
        strict = True if model.profile.get("openai_chat_supports_max_completion_tokens", False) else None
        wanted = OutputObjectDefinition(json_schema=dict(schema), name="answer", strict=strict)
        return ModelRequestParameters(output_mode="native", output_object=wanted)
    if schema is not None and form is JsonForm.OBJECT and model.profile.get("supports_json_object_output", False):
        wanted = OutputObjectDefinition(json_schema={"type": "object"})
        return ModelRequestParameters(output_mode="prompted", output_object=wanted, prompted_output_template=False)
    return ModelRequestParameters()


def _read_usage(response: ModelResponse, estimate: int, text: str) -> Usage:
    counted = response.usage
    if not counted.input_tokens and not counted.output_tokens:
        return Usage(1, estimate, _ESTIMATE.count(text))
    return Usage(1, counted.input_tokens, counted.output_tokens, counted.cache_read_tokens)


def _openai(endpoint: ChatEndpoint, client: BoundedClient) -> Model:
    from openai import AsyncOpenAI  # noqa: PLC0415 -- of the kinds, only the one in use is imported
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
    from pydantic_ai.profiles.openai import OpenAIModelProfile  # noqa: PLC0415
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

    address = endpoint.base_url or OPENAI
    vendor = AsyncOpenAI(base_url=address, api_key=endpoint.api_key or "none", max_retries=0, http_client=client)
    profile = OpenAIModelProfile(
        thinking_tags=_NO_TAGS,
        openai_chat_supports_max_completion_tokens=(urlsplit(address).hostname or "").endswith(_NEWER_FIELD),
    )
    return OpenAIChatModel(endpoint.model, provider=OpenAIProvider(openai_client=vendor), profile=profile)


def _anthropic(endpoint: ChatEndpoint, client: BoundedClient) -> Model:
    from anthropic import AsyncAnthropic  # noqa: PLC0415
    from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415
    from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415

    vendor = AsyncAnthropic(
        api_key=endpoint.api_key, base_url=endpoint.base_url or _ANTHROPIC, max_retries=0, http_client=client
    )
    return AnthropicModel(endpoint.model, provider=AnthropicProvider(anthropic_client=vendor))


def _google(endpoint: ChatEndpoint, client: BoundedClient) -> Model:
    from pydantic_ai.models.google import GoogleModel  # noqa: PLC0415
    from pydantic_ai.providers.google import BaseGoogleProvider, GoogleProvider  # noqa: PLC0415
    from pydantic_ai.providers.google_cloud import GoogleCloudProvider  # noqa: PLC0415

    provider: BaseGoogleProvider
    if endpoint.kind == "google":
        provider = GoogleProvider(api_key=endpoint.api_key, http_client=client, base_url=endpoint.base_url or None)
    else:
        provider = GoogleCloudProvider(
            api_key=endpoint.api_key or None,
            project=endpoint.project or None,
            location=endpoint.region or None,
            http_client=client,
            base_url=endpoint.base_url or None,
        )
    return GoogleModel(endpoint.model, provider=provider)

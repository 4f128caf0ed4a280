"""A chat model behind an endpoint in OpenAI's form, answering in a shape that is validated and repaired once (L1).

Importing pydantic-ai takes 3 s: only a process that is configured to chat pays for it, at its warm-up.
"""

import asyncio
import logging
import threading
import time
from concurrent.futures import TimeoutError as TooSlow
from typing import Any, TypeVar

from pydantic import BaseModel

from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import PROVIDER_SECONDS, PROVIDER_TOKENS
from memory_platform.providers.base import forbid_open_transaction
from memory_platform.providers.circuit import Circuit, CircuitOpen
from memory_platform.providers.contracts import ChatUnavailable
from memory_platform.providers.endpoint import Endpoint
from memory_platform.providers.policy import CHAT, CIRCUIT, ChatPolicy, CircuitPolicy

Shape = TypeVar("Shape", bound=BaseModel)
USE = "chat"


class OpenAIChat:
    """One model for one purpose. The calls of a process share one event loop in a thread: a late one is cancelled."""

    def __init__(
        self,
        model: str,
        endpoint: Endpoint,
        *,
        seconds: float,
        policy: ChatPolicy = CHAT,
        circuit_policy: CircuitPolicy = CIRCUIT,
    ) -> None:
        self.name = f"openai:{model}"
        self._model_name = model
        self._endpoint = endpoint
        self._seconds = seconds
        self._policy = policy
        self._circuit = Circuit(circuit_policy)
        self._lock = threading.Lock()
        self._model: Any = None
        self._loop = asyncio.new_event_loop()

    @property
    def ready(self) -> bool:
        """Whether the library is imported and the endpoint did not fail repeatedly."""
        return self._model is not None and self._circuit.closed

    def prepare(self) -> None:
        """Import the library and start the loop, without asking the endpoint. Raises ChatUnavailable."""
        with self._lock:
            if self._model is None:
                self._model = self._connected()
                threading.Thread(target=self._loop.run_forever, name="chat", daemon=True).start()

    def answer(self, instructions: str, content: str, shape: type[Shape]) -> Shape:
        """Return the model's answer to ``content`` as ``shape``, within the purpose's time, repair included.

        Raises ChatUnavailable for whatever went wrong, ModelCallInTransaction inside a transaction.
        """
        forbid_open_transaction()
        try:
            self._circuit.refuse_while_open()
        except CircuitOpen as still_open:
            raise ChatUnavailable(still_open.detail) from None
        self.prepare()
        started = time.perf_counter()
        coming = asyncio.run_coroutine_threadsafe(self._run(instructions, content, shape), self._loop)
        try:
            found = coming.result(timeout=self._seconds)
        except Exception as error:  # noqa: BLE001 -- the library passes on whatever the endpoint provokes, texts included
            coming.cancel()
            self._circuit.note_failure()
            outcome = "timeout" if isinstance(error, TooSlow) else "failed"
            PROVIDER_SECONDS.labels(use=USE, outcome=outcome).observe(time.perf_counter() - started)
            log(Event.PROVIDER_FAILED, provider=USE, error=type(error).__name__)
            raise ChatUnavailable("The chat model gave no usable answer.") from None
        self._circuit.note_success()
        PROVIDER_SECONDS.labels(use=USE, outcome="ok").observe(time.perf_counter() - started)
        return found

    async def _run(self, instructions: str, content: str, shape: type[Shape]) -> Shape:
        from pydantic_ai import Agent, PromptedOutput  # noqa: PLC0415 -- 3 s; imported by prepare()

        agent = Agent(
            self._model,
            output_type=PromptedOutput(shape),
            instructions=instructions,
            retries=self._policy.repairs,
            model_settings={"temperature": 0.0, "max_tokens": self._policy.answer_tokens},
        )
        result = await agent.run(content)
        PROVIDER_TOKENS.labels(use=USE).inc(result.usage.total_tokens or 0)
        return result.output

    def _connected(self) -> Any:
        try:
            import httpx2  # noqa: PLC0415 -- what openai 3 speaks through
            from openai import AsyncOpenAI  # noqa: PLC0415
            from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
            from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415
        except ImportError as missing:
            raise ChatUnavailable("pydantic-ai-slim[openai] is not installed") from missing
        for name in ("httpx2", "openai"):
            logging.getLogger(name).setLevel(logging.WARNING)
        client = AsyncOpenAI(
            base_url=self._endpoint.base_url,
            api_key=self._endpoint.api_key or "none",
            max_retries=self._policy.retries,
            timeout=self._seconds,
            http_client=httpx2.AsyncClient(follow_redirects=False, timeout=self._seconds),
        )
        return OpenAIChatModel(self._model_name, provider=OpenAIProvider(openai_client=client))

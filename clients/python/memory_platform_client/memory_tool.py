"""Anthropic's memory tool with its files on a memory platform, for ``client.beta.messages.tool_runner``."""

from __future__ import annotations

import uuid
from typing import Any

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError

from memory_platform_client.call_declarations import read_json
from memory_platform_client.client import TIMEOUT_S
from memory_platform_client.encoding import encode_body
from memory_platform_client.errors import Invalid, TooLarge, UnreadableAnswer, make_problem
from memory_platform_client.flow_drivers import Options
from memory_platform_client.framework_connections import FlowCaller
from memory_platform_client.retries import Flow, Request, Retries, send_patiently

PATH = "/compat/anthropic/memory"


class _Files:
    """What both tools have: a person, and connections. ``http`` is a client of yours, which you close."""

    _HTTP = "http"

    def __init__(
        self,
        base_url: str,
        api_key: str,
        subject_id: str,
        *,
        timeout_s: float = TIMEOUT_S,
        retries: Retries | None = None,
        http: Any = None,
        cache_control: Any = None,
    ) -> None:
        super().__init__(cache_control=cache_control)  # type: ignore[call-arg]  # of the SDK's tool
        self._subject_id = subject_id
        self._caller = FlowCaller(base_url, api_key, timeout_s=timeout_s, retries=retries, **{self._HTTP: http})

    def _make_flow(self, command: Any) -> Flow[str]:
        return run_command(self._subject_id, command, self._caller.options)


class MemoryPlatformTool(_Files, BetaAbstractMemoryTool):
    """The files of one person, for blocking runners. ``http`` is an ``httpx.Client``."""

    def _run(self, command: Any) -> str:
        return self._caller.run(lambda: self._make_flow(command))

    view = create = str_replace = insert = delete = rename = _run


class AsyncMemoryPlatformTool(_Files, BetaAsyncAbstractMemoryTool):
    """The same, for awaiting runners. ``http`` is an ``httpx.AsyncClient``."""

    _HTTP = "async_http"

    async def _run(self, command: Any) -> str:
        return await self._caller.arun(lambda: self._make_flow(command))

    view = create = str_replace = insert = delete = rename = _run


def run_command(subject_id: str, command: Any, options: Options) -> Flow[str]:
    """Return the flow of one command. What the model can put right is a ToolError, which the runner tells it."""
    content = encode_body({"subject_id": subject_id, **command.to_dict()})
    headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
    request = Request("POST", PATH, headers=headers, content=content)
    reply = yield from send_patiently(request, options.retries, options.timeout_s)
    body = read_json(reply)
    if not reply.is_success:
        problem = make_problem(reply.status_code, body if isinstance(body, dict) else {}, reply.headers)
        if isinstance(problem, Invalid | TooLarge):
            raise ToolError(str(problem)) from problem
        raise problem
    if not isinstance(body, dict) or not isinstance(body.get("text"), str):
        raise UnreadableAnswer(f"The answer of status {reply.status_code} is no tool result. Is base_url right?")
    if body.get("is_error"):
        raise ToolError(body["text"])
    return str(body["text"])

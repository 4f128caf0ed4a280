"""The official SDK's server, run in the thread of a request: it speaks all versions of the protocol, we answer.

Imported at the first call only: the SDK takes half a second to load.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, TypeVar

import mcp_types as types
from django.http import HttpResponse
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError

from memory_platform.api.config import API_CONFIG
from memory_platform.api.v1.tools.guidance import GUIDANCE
from memory_platform.api.v1.tools.tool_definition import Language
from memory_platform.compat.mcp.api_calls import ApiRefusal
from memory_platform.compat.mcp.client_request import Profile, Visit
from memory_platform.compat.mcp.resources import PROMPT, RESOURCES, TEMPLATES, read_resource, write_prompt
from memory_platform.compat.mcp.served_tool import ToolResult
from memory_platform.compat.mcp.stepping_event_loop import SteppingLoop, borrow_loop, run_outside
from memory_platform.compat.mcp.tool_sets import TOOLS_OF, call_tool, list_tools
from memory_platform.kernel.errors import MemoryPlatformError
from memory_platform.kernel.release import RELEASE
from memory_platform.observability.request_logging import log_failure
from memory_platform.observability.tracing import open_tool_span

NAME = "memory-platform"
VISIT = "memory_platform.visit"
"""Where the request's scope holds the visit."""
Context = ServerRequestContext[Any, Any]
T = TypeVar("T")
HOUR_MS = 3_600_000
# Lists are the same for everybody until the server is replaced; what is read belongs to one person and changes.
LISTED = CacheHint(HOUR_MS, "public")
CACHE_HINTS: Mapping[Any, CacheHint] = {
    "server/discover": LISTED,
    "tools/list": LISTED,
    "prompts/list": LISTED,
    "resources/list": LISTED,
    "resources/templates/list": LISTED,
    "resources/read": CacheHint(0, "private"),
}


FindVisit = Callable[[Context], Visit]
"""Returns who asks. Called outside of the loop: it may ask the database."""


def find_visit_in_scope(context: Context) -> Visit:
    found: Visit = context.request.scope[VISIT]  # type: ignore[union-attr]  # a request by HTTP
    return found


class Doorkeeper:
    """The handlers of one server: they find out who asks, and answer outside of the loop."""

    def __init__(self, profile: Profile, language: Language, find_visit: FindVisit = find_visit_in_scope) -> None:
        self.profile, self.language, self.find_visit = profile, language, find_visit

    async def list_tools(self, context: Context, params: Any) -> types.ListToolsResult:
        return render_tool_list(self.profile, self.language)

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in TOOLS_OF[self.profile]:
            known = ", ".join(TOOLS_OF[self.profile])
            raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown tool. Tools here: {known}.")
        made = await self._answer(lambda: self._call_tool(self.find_visit(context), params))
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=made.text)],
            structured_content=made.data,
            is_error=made.is_error,
        )

    def _call_tool(self, visit: Visit, params: types.CallToolRequestParams) -> ToolResult:
        with open_tool_span(params.name, dict(params.meta or {}), visit.caller.tenant_id) as span:
            answer = call_tool(visit, params.name, dict(params.arguments or {}))
            if answer.is_error:
                span.fail("tool_error")
        return answer

    async def list_resources(self, context: Context, params: Any) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[types.Resource(**one.describe()) for one in RESOURCES])

    async def list_templates(self, context: Context, params: Any) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(
            resource_templates=[types.ResourceTemplate(**one.describe()) for one in TEMPLATES]
        )

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        address = str(params.uri)
        text = await self._answer(lambda: read_resource(self.find_visit(context), address))
        if text is None:
            raise MCPError(code=types.INVALID_PARAMS, message="Resource not found.", data={"uri": address})
        content = types.TextResourceContents(uri=address, mime_type="application/json", text=text)
        return types.ReadResourceResult(contents=[content])

    async def list_prompts(self, context: Context, params: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[types.Prompt(**PROMPT)])

    async def get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        text = await self._answer(
            lambda: write_prompt(self.find_visit(context), params.name, dict(params.arguments or {}))
        )
        if text is None:
            raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown prompt. Prompts here: {PROMPT['name']}.")
        message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(messages=[message])

    async def _answer(self, work: Callable[[], T]) -> T:
        """Run ``work`` outside of the loop and return its result; a refusal becomes an error of the protocol."""
        try:
            return await run_outside(work)
        except MemoryPlatformError as refused:
            raise MCPError(code=types.INVALID_PARAMS, message=refused.detail) from None
        except ApiRefusal as refusal:
            raise MCPError(code=types.INVALID_PARAMS, message=refusal.describe()) from None
        except Exception as error:  # noqa: BLE001  # the SDK would log it with its message, which may quote content
            log_failure(error)
            raise MCPError(code=types.INTERNAL_ERROR, message="The request failed here.") from None


def make_server(keeper: Doorkeeper) -> Server[Any]:
    server: Server[Any] = Server(
        NAME,
        title="Memory platform",
        version=RELEASE,
        instructions=GUIDANCE.choose_text(keeper.language) if keeper.profile == "memory" else None,
        cache_hints=CACHE_HINTS,
        get_tool_input_schema=lambda name: None,  # no argument of ours is repeated in a header
        on_list_tools=keeper.list_tools,
        on_call_tool=keeper.call_tool,
        on_list_resources=keeper.list_resources,
        on_list_resource_templates=keeper.list_templates,
        on_read_resource=keeper.read_resource,
        on_list_prompts=keeper.list_prompts,
        on_get_prompt=keeper.get_prompt,
    )
    server.middleware.clear()  # its span of OpenTelemetry, in whose place stands one of ours
    return server


@cache
def render_tool_list(profile: Profile, language: Language) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[types.Tool(**one) for one in list_tools(profile, language)])


@dataclass(slots=True)
class CollectedAnswer:
    """An ASGI answer as it comes."""

    status: int = 500
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    body: bytes = b""

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], list(message.get("headers", ()))
        else:
            self.body += message.get("body", b"")


def serve_message(visit: Visit, headers: Mapping[str, str], body: bytes) -> HttpResponse:
    """Return the answer to one POST, for a visitor who was let in."""
    sent = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "path": "/mcp",
        "query_string": b"",
        "headers": sent,
        VISIT: visit,
    }
    answer = CollectedAnswer()
    with borrow_loop() as loop:
        manager = find_manager(loop, visit.profile, visit.language)
        loop.run_steps(manager.handle_request(scope, partial(receive_body, iter([body])), answer.send))
    shown = {name.decode("latin-1"): value.decode("latin-1") for name, value in answer.headers}
    return HttpResponse(answer.body, status=answer.status, headers=shown)


async def receive_body(bodies: Any) -> dict[str, Any]:
    body = next(bodies, None)
    if body is None:
        await asyncio.Event().wait()  # the client stays: a broken connection shows when the answer is written
    return {"type": "http.request", "body": body, "more_body": False}


def find_manager(loop: SteppingLoop, profile: Profile, language: Language) -> StreamableHTTPSessionManager:
    """Return the SDK's transport for these tools, which lives in this loop."""
    known: dict[tuple[Profile, Language], StreamableHTTPSessionManager] = loop.kept
    found = known.get((profile, language))
    if found is None:
        found = known[profile, language] = StreamableHTTPSessionManager(
            make_server(Doorkeeper(profile, language)),
            json_response=True,
            stateless=True,
            max_request_body_size=API_CONFIG.body_bytes,
        )
        loop.run_steps(start_manager(loop, found))
    return found


async def start_manager(loop: SteppingLoop, manager: StreamableHTTPSessionManager) -> None:
    ready = asyncio.Event()

    async def live() -> None:
        async with manager.run():
            ready.set()
            await asyncio.Event().wait()

    loop.keep_alive(live())
    await ready.wait()

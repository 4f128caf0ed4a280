"""Which tools a connection has, in an order that never changes, and a call of one."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from memory_platform.api.v1.tools.tool_definition import Language
from memory_platform.compat.mcp.api_calls import ApiRefusal
from memory_platform.compat.mcp.chatgpt_tools import CHATGPT_TOOLS
from memory_platform.compat.mcp.client_request import Profile, ToolRefused, Visit
from memory_platform.compat.mcp.mem0_tools import MEM0_TOOLS
from memory_platform.compat.mcp.native_tools import NATIVE_TOOLS
from memory_platform.compat.mcp.served_tool import ServedTool, ToolResult

TOOLS_OF: Mapping[Profile, Mapping[str, ServedTool]] = {
    "memory": {one.name: one for one in (*NATIVE_TOOLS, *CHATGPT_TOOLS)},
    "mem0": {one.name: one for one in (*MEM0_TOOLS, *CHATGPT_TOOLS)},
}


@cache
def list_tools(profile: Profile, language: Language) -> list[dict[str, Any]]:
    """Return the members of ``tools/list``; nobody may change them."""
    return [one.describe(language) for one in TOOLS_OF[profile].values()]


def call_tool(visit: Visit, name: str, arguments: dict[str, Any]) -> ToolResult:
    """Return the result of a call; an error is a result, too, which the model reads and mends.

    Raises KeyError for an unknown tool.
    """
    tool = TOOLS_OF[visit.profile][name]
    try:
        return tool.call(visit, arguments)
    except ToolRefused as refused:
        return ToolResult(refused.detail, is_error=True)
    except ApiRefusal as refusal:
        return ToolResult(refusal.describe(), is_error=True)

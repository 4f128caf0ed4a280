"""Tool definitions in the form of each vendor, ready for a request.

OpenAI: a member of ``tools`` of Chat Completions. ``strict`` is false: strict schemas make every argument required.
Anthropic: a member of ``tools`` of the Messages API. MCP: a ``Tool`` of ``tools/list``, revision 2025-06-18.
"""

from collections.abc import Callable, Mapping
from typing import Any

from memory_platform.api.v1.tools.definitions import Language, Tool

Shape = Callable[[Tool, Language], dict[str, Any]]


def openai_tool(tool: Tool, language: Language) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description(language),
            "parameters": tool.schema(language),
            "strict": False,
        },
    }


def anthropic_tool(tool: Tool, language: Language) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description(language), "input_schema": tool.schema(language)}


def mcp_tool(tool: Tool, language: Language) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title.choose_text(language),
        "description": tool.description(language),
        "inputSchema": tool.schema(language),
        "annotations": {
            "title": tool.title.choose_text(language),
            "readOnlyHint": tool.effect == "reads",
            "destructiveHint": tool.effect == "erases",
            "idempotentHint": True,
            "openWorldHint": False,
        },
    }


SHAPES: Mapping[str, Shape] = {"openai": openai_tool, "anthropic": anthropic_tool, "mcp": mcp_tool}

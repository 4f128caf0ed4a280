"""A tool of the MCP server: the definition that the API's tools have, what it answers, and the function behind it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rest_framework.exceptions import ValidationError

from memory_platform.api.requests.fields import flatten_faults
from memory_platform.api.v1.tools.definitions import Arguments, Language, Tool, mcp_tool
from memory_platform.compat.mcp.fence import fence_json
from memory_platform.compat.mcp.visits import ToolRefused, Visit

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
OBJECT: Schema = {"type": "object"}


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call gave. ``data`` is the structured content, None for a tool without an output schema."""

    text: str
    data: dict[str, Any] | None = None
    is_error: bool = False


def show_fenced(data: dict[str, Any]) -> ToolResult:
    return ToolResult(fence_json(data), data)


@dataclass(frozen=True)
class ServedTool:
    """One tool. ``parses`` is false where the API checks the arguments itself. ``answers`` is the output schema."""

    tool: Tool
    run: Callable[[Visit, Arguments], ToolResult]
    answers: Schema | None = None
    parses: bool = True
    is_idempotent: bool = True

    @property
    def name(self) -> str:
        return self.tool.name

    def describe(self, language: Language) -> dict[str, Any]:
        """Return the member of ``tools/list``."""
        shown = mcp_tool(self.tool, language)
        shown["annotations"]["idempotentHint"] = self.is_idempotent
        return shown | ({"outputSchema": self.answers} if self.answers else {})

    def call(self, visit: Visit, arguments: Arguments) -> ToolResult:
        """Return the result of a call. Raises ToolRefused that names each bad argument; ApiRefusal."""
        return self.run(visit, self._parse(arguments) if self.parses else arguments)

    def _parse(self, arguments: Arguments) -> Arguments:
        try:
            return self.tool.parse(arguments)
        except ValidationError as error:
            faults = " ".join(f"{fault.field}: {fault.message}" for fault in flatten_faults(error.detail))
            raise ToolRefused(faults) from None


def make_object(required: tuple[str, ...] = (), **properties: Schema) -> Schema:
    """Return the schema of an object; members may be added later, so it is open."""
    return {"type": "object", "properties": properties, "required": list(required or properties)}


def make_list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def or_null(kind: str) -> Schema:
    return {"type": [kind, "null"]}

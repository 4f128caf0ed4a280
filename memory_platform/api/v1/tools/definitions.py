"""A tool without any vendor's form: a name, a description, and a JSON Schema of its arguments."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
Effect = Literal["reads", "writes", "erases"]


@dataclass(frozen=True, slots=True)
class BilingualText:
    """One text in both languages."""

    en: str
    zh: str

    def choose_text(self, language: Language) -> str:
        return self.zh if language == "zh" else self.en


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument; ``schema`` is its JSON Schema without the description."""

    name: str
    schema: Mapping[str, Any]
    about: BilingualText
    required: bool = False


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. ``lasting`` adds to ``purpose`` which facts may be saved and which may not."""

    name: str
    title: BilingualText
    purpose: BilingualText
    effect: Effect
    parameters: tuple[Parameter, ...] = field(default=())
    lasting: BilingualText | None = None

    def description(self, language: Language) -> str:
        purpose = self.purpose.choose_text(language)
        return f"{purpose}\n{self.lasting.choose_text(language)}" if self.lasting else purpose

    def schema(self, language: Language) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {
                one.name: {**one.schema, "description": one.about.choose_text(language)} for one in self.parameters
            },
            "required": [one.name for one in self.parameters if one.required],
            "additionalProperties": False,
        }


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


SHAPES: Mapping[str, Callable[[Tool, Language], dict[str, Any]]] = {
    "openai": openai_tool,
    "anthropic": anthropic_tool,
    "mcp": mcp_tool,
}

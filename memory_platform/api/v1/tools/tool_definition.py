"""A tool: a name, a description, and its arguments, of which the check and the JSON Schema are made."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from memory_platform.api.requests.fields import (
    AnyField,
    FlagField,
    JsonField,
    JsonObjectField,
    ListOfField,
    NumberField,
    OneOfField,
    WholeField,
)
from memory_platform.api.requests.serializers import Input

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
Effect = Literal["reads", "writes", "erases"]
Arguments = dict[str, Any]
ANY_VALUE = [
    {"type": "string"},
    {"type": "number"},
    {"type": "boolean"},
    {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "number"}]}},
    {"type": "object"},
]


@dataclass(frozen=True, slots=True)
class BilingualText:
    """One text in both languages."""

    en: str
    zh: str

    def choose_text(self, language: Language) -> str:
        return self.zh if language == "zh" else self.en


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument. ``field`` checks it; ``required`` is for one that a tool's own check requires."""

    name: str
    field: AnyField
    en: str
    zh: str
    required: bool = False


@dataclass(frozen=True)
class Tool:
    """One tool. ``lasting`` adds to ``purpose`` which facts may be saved and which may not. ``check`` runs once all
    arguments are valid on their own, and may change them; it raises ValidationError."""

    name: str
    title: BilingualText
    purpose: BilingualText
    effect: Effect
    parameters: tuple[Parameter, ...]
    lasting: BilingualText | None = None
    check: Callable[[Arguments], object] | None = None

    def description(self, language: Language) -> str:
        purpose = self.purpose.choose_text(language)
        return f"{purpose}\n{self.lasting.choose_text(language)}" if self.lasting else purpose

    def schema(self, language: Language) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {
                one.name: {**describe_field(one.field), "description": one.zh if language == "zh" else one.en}
                for one in self.parameters
            },
            "required": [one.name for one in self.parameters if one.required or one.field.required],
            "additionalProperties": False,
        }

    @cached_property
    def serializer(self) -> Input:
        """The check of each argument alone. It is shared: validation does not change it."""
        made: Input = type(self.name, (Input,), {one.name: one.field for one in self.parameters})()
        return made

    def parse(self, arguments: Arguments) -> Arguments:
        """Return the arguments of one call with defaults. Raises ValidationError for ``arguments.x``."""
        try:
            parsed = dict(self.serializer.run_validation(arguments))
            if self.check:
                self.check(parsed)
        except ValidationError as error:
            raise ValidationError({"arguments": error.detail}) from None
        return parsed


def describe_field(field: AnyField) -> dict[str, Any]:
    """Return the JSON Schema of an argument, without the description."""
    match field:
        case JsonObjectField():
            schema: dict[str, Any] = {"type": "object"}
        case JsonField():
            schema = {"anyOf": ANY_VALUE}
        case FlagField():
            schema = {"type": "boolean"}
        case OneOfField():
            schema = {"type": "string", "enum": list(field.choices)}
        case WholeField() | NumberField():
            kind = "integer" if isinstance(field, WholeField) else "number"
            schema = {"type": kind, "minimum": int(field.least), "maximum": int(field.most)}
        case ListOfField():
            schema = {"type": "array", "items": describe_field(field.child), "maxItems": field.most}
        case serializers.CharField():
            schema = {"type": "string", "minLength": 1, "maxLength": field.max_length}
        case _:
            raise TypeError(f"No JSON Schema for {type(field).__name__}.")
    return {**schema, "default": field.default} if isinstance(field.default, bool | str) else schema


def render_openai_tool(tool: Tool, language: Language) -> dict[str, Any]:
    """Return a member of ``tools`` of Chat Completions. Strict schemas would make every argument required."""
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description(language),
            "parameters": tool.schema(language),
            "strict": False,
        },
    }


def render_anthropic_tool(tool: Tool, language: Language) -> dict[str, Any]:
    """Return a member of ``tools`` of the Messages API."""
    return {"name": tool.name, "description": tool.description(language), "input_schema": tool.schema(language)}


def render_mcp_tool(tool: Tool, language: Language) -> dict[str, Any]:
    """Return a ``Tool`` of ``tools/list``, revision 2025-06-18."""
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
    "openai": render_openai_tool,
    "anthropic": render_anthropic_tool,
    "mcp": render_mcp_tool,
}

"""One definition of each tool, in every vendor's own shape and both languages. Rows: A1, A3."""

import hashlib
from typing import Any, get_args

import orjson
import pytest
from jsonschema import Draft202012Validator
from openai.types.chat import ChatCompletionFunctionToolParam
from pydantic import TypeAdapter
from rest_framework.exceptions import ValidationError

from memory_platform.api.v1.tools.guidance import GUIDANCE
from memory_platform.api.v1.tools.tool_catalogue import TOOLS
from memory_platform.api.v1.tools.tool_definition import LANGUAGES, SHAPES, Language, Tool

NAMES = ["save_preference", "save_tag", "save_profile_fact", "save_relationship", "forget", "recall"]
SAVING = [name for name in NAMES if name.startswith("save_")]
each_tool = pytest.mark.parametrize("tool", TOOLS.values(), ids=list(TOOLS))
each_language = pytest.mark.parametrize("language", LANGUAGES)


def format_tool(vendor: str, tool: Tool, language: Language = "en") -> dict[str, Any]:
    return SHAPES[vendor](tool, language)


def texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for inner in value.values() for text in texts(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in texts(inner)]
    return [value] if isinstance(value, str) else []


def test_the_six_tools_are_there() -> None:
    assert list(TOOLS) == NAMES


@each_tool
def test_openai_s_own_types_take_the_tool(tool: Tool) -> None:
    made = format_tool("openai", tool)
    assert TypeAdapter(ChatCompletionFunctionToolParam).validate_python(made) == made  # it drops what it does not know
    assert set(made["function"]) == {"name", "description", "parameters", "strict"}


@each_tool
def test_anthropic_and_mcp_get_exactly_their_members(tool: Tool) -> None:
    assert set(format_tool("anthropic", tool)) == {"name", "description", "input_schema"}
    made = format_tool("mcp", tool)
    assert set(made) == {"name", "title", "description", "inputSchema", "annotations"}
    assert made["inputSchema"]["type"] == "object"
    assert made["annotations"]["readOnlyHint"] is (tool.name == "recall")
    assert made["annotations"]["destructiveHint"] is (tool.name == "forget")


@each_tool
@each_language
def test_all_vendors_get_the_same_valid_schema(tool: Tool, language: Language) -> None:
    schema = format_tool("anthropic", tool, language)["input_schema"]
    Draft202012Validator.check_schema(schema)
    assert schema == format_tool("mcp", tool, language)["inputSchema"]
    assert schema == format_tool("openai", tool, language)["function"]["parameters"]


@each_tool
def test_what_a_schema_requires_is_required(tool: Tool) -> None:
    with pytest.raises(ValidationError) as refused:
        tool.parse({})
    missing = set(tool.schema("en")["required"]) - set(refused.value.detail["arguments"])  # type: ignore[call-overload]  # it is an object
    assert missing in (set(), {"relation"})


def test_models_read_the_same_as_before() -> None:
    """Whoever changes a text or a schema measures again how well models call the tools, and pins it anew."""
    all_forms = [
        shape(tool, language) for shape in SHAPES.values() for language in LANGUAGES for tool in TOOLS.values()
    ]
    digest = "3d2adca1baaec310772c2fbba9611157890950111d043c584f740484f35fc550"
    assert hashlib.sha256(orjson.dumps(all_forms)).hexdigest() == digest


@each_tool
def test_every_text_is_there_in_both_languages(tool: Tool) -> None:
    english, chinese = (texts(format_tool("mcp", tool, language)) for language in get_args(Language))
    assert not any("\u4e00" <= char <= "\u9fff" for text in english for char in text)
    told = [text for text in chinese if any("\u4e00" <= char <= "\u9fff" for char in text)]
    assert len(told) == 3 + len(tool.parameters)  # two titles, the description, and one for each argument


@pytest.mark.parametrize("name", SAVING)
@pytest.mark.parametrize(
    ("language", "words"), [("en", ["I avoid highways", "no highway today"]), ("zh", ["不走高速", "今天别走高速"])]
)
def test_saving_tools_teach_the_lasting_from_the_one_off(name: str, language: Language, words: list[str]) -> None:
    description = TOOLS[name].description(language)
    assert [word for word in words if word not in description] == []


@each_language
def test_the_guidance_names_only_tools_and_arguments_that_there_are(language: Language) -> None:
    text = GUIDANCE.choose_text(language)
    calls = [line.partition("-> ")[2] for line in text.splitlines() if "-> " in line]
    named = [call for call in calls if "(" in call]
    assert {call.partition("(")[0] for call in named} == set(NAMES) - {"recall"}
    for call in named:
        name, _, arguments = call.removesuffix(")").partition("(")
        assert {part.split()[0] for part in arguments.split(", ")} <= set(TOOLS[name].schema(language)["properties"])
    assert len(calls) - len(named) == 3

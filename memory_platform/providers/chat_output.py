"""Reads the output of a chat model: skips thoughts, code fences and prose around the JSON."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import orjson
from pydantic import BaseModel, ValidationError

from memory_platform.providers.contracts import Shape

_THOUGHT = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL)
_THOUGHT_BEGUN = re.compile(r"\A\s*<(think|thinking|reasoning)>")
# Some servers cut off the opening tag with the prompt's template.
_THOUGHT_ENDED = re.compile(r"\A(?:(?!<think).)*?</think>", re.DOTALL)

_STARTS = re.compile(r"[{\[]")
_STARTS_JSON = re.compile(r"""[{\[]\s*["{\[]""")
_DECODER = json.JSONDecoder()
_FAULTS_TOLD = 5


class UnusableAnswer(Exception):
    """The answer cannot be used. The message says why; only the model sees it."""


def remove_thoughts(text: str) -> str:
    """Return ``text`` without the thoughts before the answer; empty if there is no answer."""
    for pattern in (_THOUGHT, _THOUGHT_ENDED):
        text = pattern.sub("", text, count=1)
    return "" if _THOUGHT_BEGUN.match(text) else text.strip()


def read_text_answer(text: str, *, chars: int) -> str:
    """Return the answer alone. Raises UnusableAnswer if it is empty or has more than ``chars`` characters."""
    answer = remove_thoughts(text)
    if not answer:
        raise UnusableAnswer("There was no answer.")
    if len(answer) > chars:
        raise UnusableAnswer(f"The answer was longer than {chars} characters.")
    return answer


def parse_json_answer(text: str, shape: type[Shape]) -> Shape:
    """Return the JSON in ``text`` as a valid ``shape``; of several the longest, of equals the last. Raises
    UnusableAnswer. An example before the answer, or an empty object after it, is the shorter one."""
    found = list(_list_json_values(remove_thoughts(text)))[::-1]
    if not found:
        raise UnusableAnswer("There was no complete JSON object.")
    faults: ValidationError | None = None
    for written in sorted(found, key=len, reverse=True):
        try:
            return shape.model_validate_json(written)
        except ValidationError as invalid:
            faults = faults or invalid
    raise UnusableAnswer(_format_faults(faults))


def build_plain_schema(shape: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of ``shape`` without titles, which only repeat the names."""
    return {key: value for key, value in _drop_titles(shape.model_json_schema()).items() if key != "description"}


def schema_instructions(schema: Mapping[str, Any]) -> str:
    shown = orjson.dumps(schema).decode()
    return f"Answer with one JSON object that is valid under this JSON schema, and with nothing else:\n{shown}"


def _drop_titles(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_drop_titles(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _drop_titles(one) for key, one in schema.items() if key != "title" or not isinstance(one, str)}


def _list_json_values(text: str) -> Iterator[str]:
    """Yield each outermost JSON object and array in ``text``. An incomplete JSON value ends the search: only parts of
    the answer would be found inside it, and a part may look like a whole."""
    place = 0
    while start := _STARTS.search(text, place):
        begins = start.start()
        try:
            _, place = _DECODER.raw_decode(text, begins)
        except json.JSONDecodeError as broken:
            if broken.pos >= len(text) or _STARTS_JSON.match(text, begins):
                return
            place = begins + 1
        except RecursionError:
            return
        else:
            yield text[begins:place]


def _format_faults(faults: ValidationError | None) -> str:
    listed = faults.errors(include_input=False, include_url=False)[:_FAULTS_TOLD] if faults else []
    return "; ".join(f"{'.'.join(map(str, fault['loc'])) or 'the answer'}: {fault['msg']}" for fault in listed)

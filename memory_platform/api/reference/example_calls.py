"""The example calls of the OpenAPI document: requests, and the answers that the real API gave to them.

They stand in ``calls/*.json`` in an order that works on a new tenant. ``tests/.../reference/test_example_calls.py``
makes every call and compares the answers; ``RECORD_EXAMPLES=1`` writes them anew. ``{{create_note.id}}`` in a request
stands for a member of the latest answer of that operation.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import orjson

FOLDER = Path(__file__).parent / "calls"
# The order in which they are made: later files use what earlier ones stored.
FILES = ("messages", "recall", "profiles", "memories", "tools", "policies", "administration")
_REFERENCE = re.compile(r"\{\{(\w+)\.([\w.]+)\}\}")


@dataclass(frozen=True, slots=True)
class ExampleCall:
    """One call. ``work`` lets the workers finish first; ``answer`` is None where there is no JSON."""

    operation: str
    name: str
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    status: int = 200
    answer: Any = None
    work: bool = False


def calls_of(file: str) -> list[ExampleCall]:
    path = FOLDER / f"{file}.json"
    return [ExampleCall(**call) for call in orjson.loads(path.read_bytes())] if path.exists() else []


def fill_references(value: Any, answers: Mapping[str, Any]) -> Any:
    """Return ``value`` with its references replaced; ``answers`` holds the latest answer by operation.

    A reference to an answer that is not recorded yet stays as it is.
    """
    if isinstance(value, Mapping):
        return {key: fill_references(inner, answers) for key, inner in value.items()}
    if isinstance(value, list):
        return [fill_references(inner, answers) for inner in value]
    if not isinstance(value, str):
        return value
    return _REFERENCE.sub(lambda found: str(_member(answers.get(found[1]), found[2]) or found[0]), value)


@cache
def examples() -> Mapping[str, list[ExampleCall]]:
    """Return the calls by operation, their references filled from the recorded answers."""
    answers: dict[str, Any] = {}
    found: dict[str, list[ExampleCall]] = {}
    for call in (call for file in FILES for call in calls_of(file)):
        path, query, body = (fill_references(part, answers) for part in (call.path, call.query, call.body))
        filled = ExampleCall(call.operation, call.name, path, query, body, call.status, call.answer)
        found.setdefault(call.operation, []).append(filled)
        answers[call.operation] = call.answer
    return found


def _member(answer: Any, dotted: str) -> Any:
    for part in dotted.split("."):
        answer = answer and answer[int(part) if isinstance(answer, list) else part]
    return answer

"""A client that was written against the first version still gets the answers it knows. Rows: C1.

``tests/data/wire/calls.jsonl`` holds its calls, ``answers.jsonl`` the answers that were recorded. Sentences in errors
may change, and fields may be added: everything else may not. ``RECORD_WIRE=1`` records anew, after a change of the
contract only.
"""

import os
import re
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.http import HttpResponse
from django.test import Client

from memory_platform.kernel.clock import utc_now
from snapshots.jobs import drain_work_job
from tests.conftest import HANDLER, House, World

WIRE = Path(__file__).resolve().parents[2] / "data" / "wire"
CALLS = WIRE / "calls.jsonl"
ANSWERS = WIRE / "answers.jsonl"
HEADERS = ("Content-Type", "ETag", "Location", "Idempotent-Replayed", "Retry-After")
# Sentences for people, and figures of a clock or a counter.
FREE = frozenset(
    {"detail", "title", "message", "meaning", "description", "instructions", "question", "source", "timings_ms"}
    | {"oldest_seconds", "created_by", "fingerprint", "signature", "request_id", "stage_ms", "prefix_hash"}
    | {"next_cursor", "actor", "day", "tables"}
)
ETAG = re.compile(r'^(W/)?"[0-9a-f]{12}-\d+"$')
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)")
# A fence's nonce, and the day of this run behind a note that was doubted today.
OF_THIS_RUN = re.compile(r' nonce="[a-z]+"|(?<=\(until )[^)]+')
HASH = re.compile(r"[0-9a-f]{32,}")

KINDS = {"<id>": UUID, "<time>": TIME, "<hash>": HASH, "<etag>": ETAG, "<run>": OF_THIS_RUN}


def read_lines(path: Path) -> list[Any]:
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


class PinnedClient:
    """Makes the recorded calls one after the other and fills in the ids that earlier answers brought."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.captured: dict[str, str] = {}
        self.client = Client(raise_request_exception=False)
        self.client.handler = HANDLER

    def make(self, call: dict[str, Any]) -> dict[str, Any]:
        """Return the normalised answer to one call."""
        if "drain" in call:
            drain_work_job(tenant_id=str(self.house.tenant.id))
            return {"name": call["name"]}
        method, path = call["call"].split(" ", 1)
        body = call["raw"].encode() if "raw" in call else orjson.dumps(call["body"]) if "body" in call else b""
        headers = self.house.headers | call.get("headers", {})
        response: Any = self.client.generic(
            method, path.format(**self.captured), body, content_type="application/json" if body else "", headers=headers
        )
        is_streamed = response.streaming
        if is_streamed:
            response = HttpResponse(b"".join(response), status=response.status_code, headers=dict(response.items()))
        answer = parse_body(response)
        for name, place in call.get("capture", {}).items():
            self.captured[name] = pick(answer, place)
        return {
            "name": call["name"],
            "status": response.status_code,
            "headers": {name: normalise(response[name]) for name in HEADERS if name in response},
            "body": normalise(summarise_lines(answer) if is_streamed else answer),
        }


def parse_body(response: HttpResponse) -> Any:
    lines = response.content.splitlines()
    return orjson.loads(response.content) if len(lines) == 1 else [orjson.loads(line) for line in lines]


def summarise_lines(lines: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Return the fields of each type of line: how many lines an export has depends on what was learned."""
    fields: dict[str, set[str]] = {}
    for line in lines:
        fields.setdefault(line["type"], set()).update(line)
    return {kind: sorted(names) for kind, names in fields.items()}


def pick(value: Any, place: str) -> str:
    found = value
    for step in place.split("."):
        found = found[int(step)] if step.isdigit() else found.get(step)
    assert found is not None, f"the answer has no {place}: {value}"
    return str(found)


def normalise(value: Any) -> Any:
    """Return the value with ids, times, hashes and measured times replaced by their kind."""
    match value:
        case dict():
            return {key: "..." if key in FREE and item is not None else normalise(item) for key, item in value.items()}
        case list():
            items = [normalise(item) for item in value]
            return (
                sorted(items, key=orjson.dumps)
                if all(isinstance(item, dict) and "key" in item for item in items)
                else items
            )
        case str():
            for kind, pattern in KINDS.items():
                value = pattern.sub(kind, value)
            return value.replace(f"\n{utc_now():%-d %b %Y}:\n", "\n<today>:\n")
        case float():
            return round(value, 2)
    return value


def missing_from(recorded: Any, answered: Any, place: str = "") -> list[str]:
    """Return the places where an answer differs from the recorded one; a field that was added is no difference."""
    if isinstance(recorded, dict) and isinstance(answered, dict):
        lost = [f"{place}.{key} is gone" for key in recorded.keys() - answered.keys()]
        both = recorded.keys() & answered.keys()
        return lost + [line for key in both for line in missing_from(recorded[key], answered[key], f"{place}.{key}")]
    if is_list_of_settings(recorded) and is_list_of_settings(answered):
        old, new = ({f"{one['section']}.{one['field']}": one for one in told} for told in (recorded, answered))
        return missing_from(old, new, place)
    if isinstance(recorded, list) and isinstance(answered, list) and len(recorded) == len(answered):
        pairs = enumerate(zip(recorded, answered, strict=True))
        return [line for at, (old, new) in pairs for line in missing_from(old, new, f"{place}.{at}")]
    if isinstance(recorded, float) and isinstance(answered, int | float):
        return [] if abs(recorded - answered) < 0.02 else [f"{place}: {recorded} was {answered}"]
    return [] if recorded == answered else [f"{place}: {recorded!r} became {answered!r}"]


def is_list_of_settings(told: Any) -> bool:
    """Return whether a list describes settings by their names: a policy may get further ones."""
    return isinstance(told, list) and all(isinstance(one, dict) and {"section", "field"} <= one.keys() for one in told)


def test_a_pinned_client_gets_the_answers_it_knows(world: World) -> None:
    client = PinnedClient(world.acme)
    answers = [client.make(call) for call in read_lines(CALLS)]
    if os.environ.get("RECORD_WIRE"):
        ANSWERS.write_bytes(b"".join(orjson.dumps(answer) + b"\n" for answer in answers))
        pytest.skip("recorded the answers anew")
    recorded = read_lines(ANSWERS)
    assert len(recorded) == len(answers) >= 60
    lost = [line for old, new in zip(recorded, answers, strict=True) for line in missing_from(old, new, old["name"])]
    assert not lost, "\n".join(lost)

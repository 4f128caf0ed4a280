"""Settings, SQL and Python of the pages chat.md, log-in.md, prompt-cache.md, audit.md and export-import.md work.

Rows: D15, D16.
"""

import subprocess
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from django.db import connections

from memory_platform.env.environment import Environment
from tests.conftest import World
from tests.contracts.documents.blocks import ROOT, read_blocks
from tests.memory_platform.api.conftest import Caller

# What each block of settings sets, and what a page elsewhere has the reader set beside it.
SETTINGS: dict[str, dict[str, Any]] = {
    "docs/models/chat.md#1": {"chat_model": "gpt-5-mini"},
    "docs/models/chat.md#2": {
        "chat_routes": {"rewrite": "small", "extract": "gemini", "judge": "claude", "summarise": ""}
    },
    "docs/contexts/prompt-cache.md#2": {"prompt_cache_endpoint": "gemini"},
    "docs/console/log-in.md#1": {"console_oidc_client_id": "memory-console", "secure_cookies": True},
    "docs/console/log-in.md#2": {},
}


def read_code(name: str) -> str:
    """Return the text of one block of code."""
    page, _, number = name.partition("#")
    (text,) = (block.text for block in read_blocks(page) if block.number == int(number))
    return text


@pytest.mark.processes
@pytest.mark.parametrize("name", SETTINGS)
def test_settings_are_accepted_as_they_stand(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = f"set -a\n{read_code(name)}\nexec env -0"
    printed = subprocess.run(["/bin/bash", "-ec", lines], env={}, capture_output=True, check=True, text=True).stdout
    given = dict(line.split("=", 1) for line in printed.split("\0") if line)
    assert len(given) > 1
    for key, value in given.items():
        monkeypatch.setenv(key, value)
    read = Environment(_env_file=None).model_dump()  # type: ignore[call-arg]  # settings of pydantic
    assert {key: read[key] for key in SETTINGS[name]} == SETTINGS[name]
    known = {field.upper() for field in Environment.model_fields} | {"PWD", "SHLVL", "_", "PATH", "OLDPWD"}
    assert given.keys() <= known


def test_old_audit_records_are_deleted_as_the_page_says(world: World) -> None:
    lines = read_code("docs/operations/audit.md#3").replace("ID OF THE TENANT", str(world.acme.tenant.id))
    statements = [line.strip() for line in lines.split(";\n") if line.strip()]
    assert [statements[0], statements[-1].rstrip(";")] == ["BEGIN", "COMMIT"]
    with connections["owner"].cursor() as cursor:
        cursor.execute(lines)
        cursor.execute("SELECT count(*) FROM tenant")
        assert cursor.fetchone() == (2,)


def test_an_export_is_cut_into_pieces_that_are_exports(world: World) -> None:
    acme = Caller(world.acme)
    for text in ("Ada sings in a choir.", "林悦的弟弟住在苏州。", "Ada has a dog."):
        acme("POST", "/v1/subjects/ada/snapshots", {"text": text})
    lines = acme("GET", "/v1/subjects/ada/export").content.splitlines(keepends=True)
    names: dict[str, object] = {}
    exec(compile(read_code("docs/data/export-import.md#1"), "docs/data/export-import.md", "exec"), names)  # noqa: S102 - our page
    pieces = [list(piece) for piece in cut(names, iter(lines))]
    assert len(pieces) > 1
    rows = 0
    for piece in pieces:
        header, _subject, *body, end = map(orjson.loads, piece)
        assert (header["type"], end["type"]) == ("header", "end")
        rows += len(body)
        assert sum(end["counts"].values()) == len(body)
        sent = b"".join(line.rstrip(b"\n") + b"\n" for line in piece)
        answer = acme("POST", "/v1/import?subject_id=grace", sent, Content_Type="application/x-ndjson")
        assert answer.status_code == 202, answer.content
    assert rows == len(lines) - 3


def cut(names: dict[str, object], lines: Iterator[bytes]) -> Iterator[list[bytes]]:
    pieces = names["pieces"]
    assert callable(pieces)
    found: Iterator[list[bytes]] = pieces(lines, most=800)
    return found


def test_the_pages_are_there() -> None:
    assert all((ROOT / name.partition("#")[0]).exists() for name in SETTINGS)

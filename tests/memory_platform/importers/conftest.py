"""Imports by the command, as an operator runs it."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.core.management import call_command

from tests.conftest import World
from tests.memory_platform.api.conftest import Caller

Verdicts = list[dict[str, Any]]
Import = Callable[..., Verdicts]


@pytest.fixture
def acme(world: World) -> Caller:
    """acme's key: its subject is ada."""
    return Caller(world.acme)


@pytest.fixture
def globex(world: World) -> Caller:
    """globex's key: it must never see Ada."""
    return Caller(world.globex)


@pytest.fixture
def import_file(world: World, tmp_path: Path) -> Import:
    """Import a file and return the verdicts."""

    def run(system: str, path: Path, *options: str, tenant: str = "acme") -> Verdicts:
        verdicts = tmp_path / "verdicts.jsonl"
        arguments = (system, str(path), "--tenant", tenant, "--verdicts", str(verdicts), *options)
        call_command("import_from", *arguments, stdout=StringIO(), stderr=StringIO())
        return [orjson.loads(line) for line in verdicts.read_bytes().splitlines()]

    return run

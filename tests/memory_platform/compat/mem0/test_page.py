"""The page for users of mem0's clients: its lines run as they stand there. Rows: D3, G1."""

import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
import pytest

from tests.flows.stage import wait_until
from tests.memory_platform.compat.mem0.conftest import Mem0Site

PAGE = (Path(__file__).resolve().parents[4] / "docs" / "clients" / "mem0.md").read_text(encoding="utf-8")
MOST_WORDS = 800
HOST = "http://127.0.0.1:8000"


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.M | re.S)


def test_the_page_is_short() -> None:
    assert sum(any(sign.isalnum() for sign in word) for word in PAGE.split()) < MOST_WORDS


def test_the_client_s_lines_run(
    site: Mem0Site,
    load_version: Callable[[str], Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (lines,) = blocks("python")
    package = ModuleType("mem0")
    package.__dict__["MemoryClient"] = load_version("2.2.1").MemoryClient
    monkeypatch.setitem(sys.modules, "mem0", package)
    base = site.host.removesuffix("/compat/mem0")
    names: dict[str, Any] = {"KEY": site.world.acme.token}
    exec(lines.replace(HOST, base), names)  # noqa: S102 - a page of ours
    assert capsys.readouterr().out.startswith("[")  # empty where workers took longer than the client waits
    search = partial(names["client"].search, "What does Ruth play?", filters={"user_id": "ann"})
    wait_until(lambda: "plays the cello" in str(search()["results"]))


def test_the_lines_for_self_hosters_run(site: Mem0Site) -> None:
    (lines,) = blocks("sh")
    names = {"BASE": site.host.removesuffix("/compat/mem0"), "KEY": site.world.acme.token}
    done = subprocess.run(["/bin/bash", "-ec", lines], env=names, capture_output=True, timeout=60, check=True)
    added, listed = (orjson.loads(part) for part in done.stdout.replace(b"}{", b"}\n{").split(b"\n"))
    assert added["status"] in {"SUCCEEDED", "PENDING"}
    assert "results" in listed

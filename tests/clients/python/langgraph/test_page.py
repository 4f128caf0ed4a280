"""The example of docs/clients/langgraph.md does what the page says. Rows: C6, D8, D16."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import House

ROOT = Path(__file__).resolve().parents[4]
PAGE = (ROOT / "docs" / "clients" / "langgraph.md").read_text(encoding="utf-8")


def read_block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.slow
def test_the_example_prints_what_the_page_says(address: str, acme: House) -> None:
    given = {"MEMORY_PLATFORM_URL": address, "MEMORY_PLATFORM_KEY": acme.token}
    ran = subprocess.run(
        [sys.executable, "-c", read_block("python")],
        env=os.environ | given | {"PYTHONPATH": str(ROOT / "clients" / "python")},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert ran.stderr == ""
    assert ran.stdout == read_block("text")

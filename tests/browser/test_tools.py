"""Tools beside the tests say in a sentence what they miss. Rows: D16."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lab.measuring.golden_sets import load_file
from memory_platform.devstack.private_files import DemoAccess
from tests.browser.program import CHROMIUM

ROOT = Path(__file__).resolve().parents[2]


def test_a_file_that_is_not_there_is_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="/nofile is no file of labelled lines of JSON"):
        load_file(Path("/nofile"))
    (tmp_path / "words").write_text("no JSON", encoding="utf-8")
    with pytest.raises(SystemExit, match="words is no file of labelled lines of JSON"):
        load_file(tmp_path / "words")


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
@pytest.mark.processes
def test_pictures_of_a_stack_that_is_away_are_refused_in_a_sentence(tmp_path: Path) -> None:
    DemoAccess(logins={"operator": "x"}, keys={}).save(tmp_path)
    environment = {**os.environ, "DATA_DIR": str(tmp_path), "STACK_URL": "http://127.0.0.1:1"}
    command = [sys.executable, "-m", "tests.browser.screenshots", str(tmp_path / "out")]
    told = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert told.returncode == 1
    assert told.stderr.startswith("http://127.0.0.1:1 does not answer")
    assert len(told.stderr.splitlines()) == 1

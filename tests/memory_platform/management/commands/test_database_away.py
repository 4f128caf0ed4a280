"""A stranger's first mistake: a command while nothing runs. Rows: T2."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]


@pytest.mark.parametrize("arguments", [["create_key", "--tenant", "acme"], ["create_tenant", "initech"]])
def test_a_database_that_is_away_is_said_in_one_sentence(arguments: list[str], tmp_path: Path) -> None:
    nowhere = f"postgresql://memory_app@/memory?host={tmp_path}"
    environment = os.environ | {"DATABASE_URL": nowhere, "DATABASE_OWNER_URL": nowhere}
    ran = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert ran.stderr.strip() == (
        "CommandError: The database does not answer. Start the stack (make run), or check DATABASE_URL."
    )

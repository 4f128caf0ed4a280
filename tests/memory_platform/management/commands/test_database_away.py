"""A stranger's first mistakes: a command while nothing runs, or after an update without a start. Rows: T2."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import ProgrammingError, connection

from memory_platform.management.base_command import PlatformCommand

ROOT = Path(__file__).resolve().parents[4]


@pytest.mark.processes
@pytest.mark.parametrize("arguments", [["create_key", "--tenant", "acme"], ["create_tenant", "initech"]])
@pytest.mark.slow
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


class Asking(PlatformCommand):
    """Asks the database one thing."""

    def __init__(self, sql: str) -> None:
        super().__init__()
        self.sql = sql

    def handle(self, **_: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute(self.sql)


@pytest.mark.parametrize("sql", ["SELECT not_yet_there FROM tenant", "SELECT 1 FROM not_yet_there"])
def test_a_database_of_other_code_is_said_with_what_helps(database: None, sql: str) -> None:
    with pytest.raises(CommandError, match="Start the stack anew"):
        call_command(Asking(sql))


def test_a_fault_of_our_own_is_not_explained_away(database: None) -> None:
    with pytest.raises(ProgrammingError):
        call_command(Asking("SELEKT 1"))

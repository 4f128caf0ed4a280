"""A worker that is killed in the middle of a round: the next one goes on there. Rows: E9. Matrix: 65."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection
from psycopg.conninfo import make_conninfo

from tenants.models import JobRun
from tests.conftest import World
from tests.flows.stage import ROOT, wait_until

pytestmark = pytest.mark.processes


def start_round(seconds: float, log: Path) -> "subprocess.Popen[bytes]":
    address = make_conninfo(os.environ["DATABASE_URL"], dbname=str(connection.settings_dict["NAME"]))
    command = [sys.executable, "-m", "tests.flows.programs.round_program", str(seconds)]
    with log.open("wb") as output:
        return subprocess.Popen(command, cwd=ROOT, env={**os.environ, "DATABASE_URL": address}, stdout=output)


@pytest.mark.slow
def test_a_round_goes_on_where_its_worker_was_killed_and_two_share_nothing(world: World, tmp_path: Path) -> None:
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    stuck = start_round(600, first)
    try:
        wait_until(lambda: JobRun.objects.filter(rows=1).exists())
        assert start_round(0, second).wait(60) == 0
        assert second.read_text() == "", "somebody is at it"
    finally:
        stuck.kill()
        stuck.wait(10)
    run = JobRun.objects.get()
    assert run.ended_at is None
    JobRun.objects.update(lease_until=run.started_at)  # as if its lease had passed
    assert start_round(0, third).wait(60) == 0
    assert third.read_text().split()[:2] == [first.read_text().split()[0], str(run.reached_within)]
    run.refresh_from_db()
    assert (run.rows, run.errors, run.reached) == (3, 0, None)
    assert run.ended_at is not None

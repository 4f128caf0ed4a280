"""Runs the shell lines of a page as a reader pastes them, against the platform of the test."""

import os
import re
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.db.models.functions import Now
from psycopg.conninfo import make_conninfo

from snapshots.jobs import drain_work_job, run_asked_jobs_job
from snapshots.models import Job, JobStatus, Work, WorkState
from tenants.isolation import tenant_tx
from tests.conftest import House
from tests.contracts.documents.blocks import ROOT

# `curl` fails on an error of HTTP, which it does not by itself. A pause lasts until all work is done, however long that
# takes. The id of what the page made last stands for the ids that the page prints.
PRELUDE = """\
set -euo pipefail
curl() { command curl --fail-with-body --max-time 180 "$@"; echo; }
sleep() { touch "$PAUSE"; while [ -e "$PAUSE" ]; do command sleep 0.02; done; }
last_id() { grep '"id"' "$ANSWERS" | tail -1 | grep -o '"id":"[^"]*"' | head -1 | cut -d'"' -f4; }
"""
PRINTED_ID = re.compile(r"^(\w+)=01a2[\w-]*\.\.\..*$", re.MULTILINE)
LOCAL = "http://127.0.0.1:8000"
# Nothing is proved by how long a page takes: a shell that never ends is stopped before the test's own limit.
LONGEST_S = 280.0
# Work that an outage puts back comes again after 15 seconds; what comes later is not what a page waits for.
SOON = timedelta(seconds=20)


def prepare_folder(folder: Path) -> None:
    """Make a folder look like the checkout that a reader works in; what the lines write stays in it."""
    (folder / "manage.py").symlink_to(ROOT / "manage.py")
    python = folder / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)


def name_databases() -> dict[str, str]:
    """Return the environment of a program at the test's database."""
    name = str(connection.settings_dict["NAME"])
    return {key: make_conninfo(os.environ[key], dbname=name) for key in ("DATABASE_URL", "DATABASE_OWNER_URL")}


def fit_lines(lines: str, address: str) -> str:
    """Return lines with the test's address and with real ids and keys in the place of printed ones."""
    return PRINTED_ID.sub(r"\1=$(last_id)", lines.replace(LOCAL, address).replace("KEY=mk_live_...", "KEY=$KEY"))


def finish_work(house: House, *, until: float) -> None:
    """Do all work of the tenant, at the longest until this monotonic time.

    One run of a worker is not enough on a busy machine: it ends after ten seconds, and work that met no free connection
    comes back later.
    """
    while True:
        drain_work_job(tenant_id=str(house.tenant.id))
        run_asked_jobs_job(tenant_id=str(house.tenant.id))
        if not is_work_due_soon(house) or time.monotonic() > until:
            return
        time.sleep(0.02)


def is_work_due_soon(house: House) -> bool:
    """Return whether work waits or runs, or will within ``SOON``."""
    soon = Now() + SOON
    with tenant_tx(house.tenant.id):
        work = Work.objects.filter(state__in=[WorkState.READY, WorkState.LEASED], due_at__lte=soon)
        jobs = Job.objects.filter(status__in=[JobStatus.QUEUED, JobStatus.RUNNING, JobStatus.FAILED], due_at__lte=soon)
        return work.exists() or jobs.exists()


def run_lines(blocks: list[str], folder: Path, house: House, address: str) -> str:
    """Run the blocks of one page, one after another in one shell; return what they print.

    Fails if a line fails: a program that ends with an error, or an answer of HTTP 400 and above.
    """
    prepare_folder(folder)
    answers, pause, errors = folder / "answers", folder / "pause", folder / "errors"
    given = {"BASE": address, "KEY": house.token, "ANSWERS": str(answers), "PAUSE": str(pause)}
    script = PRELUDE + "\n".join(fit_lines(block, address) for block in blocks)
    with answers.open("wb") as out, errors.open("wb") as complaints:
        shell = subprocess.Popen(
            ["/bin/bash", "-c", script],
            cwd=folder,
            env=os.environ | name_databases() | given,
            stdout=out,
            stderr=complaints,
        )
    end = time.monotonic() + LONGEST_S
    while shell.poll() is None:
        if pause.exists():
            finish_work(house, until=end)
            pause.unlink()
        time.sleep(0.02)
        if time.monotonic() > end:
            shell.kill()
            shell.wait()
            pytest.fail(f"The lines did not end within {LONGEST_S:.0f} s; errors: {read_end(errors)}")
    said = answers.read_text(encoding="utf-8")
    assert shell.returncode == 0, f"{read_end(errors)}\n{said[-2000:]}"
    return said


def read_end(path: Path) -> str:
    return path.read_text(encoding="utf-8")[-2000:]

"""Runs the shell lines of a guide as its reader pastes them, at the servers of the test."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from memory_platform.devstack.processes.program_command import find_unprivileged_identity
from tests.contracts.documents.blocks import ROOT, read_blocks
from tests.contracts.documents.shell import prepare_folder


def read_block(name: str) -> str:
    """Return the code of a block by its name, such as ``docs/operations/rabbitmq.md#1``."""
    page, _, number = name.partition("#")
    (text,) = (block.text for block in read_blocks(page) if block.number == int(number))
    return text


def read_shown_block(page: str, number: int) -> str:
    """Return a block of a page that only shows something; the first one has the number 1."""
    return [block.text for block in read_blocks(page) if block.number == 0][number - 1]


def run_block(
    name: str, folder: Path, environment: Mapping[str, str], *, then: str = "", as_nobody: bool = False
) -> str:
    """Run a block in a folder that looks like the checkout; return what it and the line ``then`` print.

    ``as_nobody``: as the user whom Postgres runs as, who reads no file of the checkout. Fails if a line fails.
    """
    if not as_nobody and not (folder / "manage.py").exists():
        prepare_folder(folder)
    identity = find_unprivileged_identity() if as_nobody else None
    ran = subprocess.run(
        ["/bin/bash", "-euo", "pipefail", "-c", f"{read_block(name)}\n{then}"],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        user=identity.uid if identity else None,
        group=identity.gid if identity else None,
        extra_groups=[] if identity else None,
    )
    assert ran.returncode == 0, f"{ran.stderr}\n{ran.stdout}"
    return ran.stdout


def manage(*arguments: str, **environment: str) -> str:
    """Run one of the platform's commands in a process of its own; return what it prints."""
    command = [".venv/bin/python", "manage.py", *arguments]
    ran = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout

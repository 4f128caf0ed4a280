"""One process to run: command, directory, environment, and the system user that runs it.

Postgres refuses to run as root. When root starts the stack, as in most containers, the server runs as an unprivileged
user, who may have no access to root's own folders."""

import os
import pwd
import stat
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from memory_platform.devstack.errors import StartFailed

CANDIDATES = ("postgres", "nobody")


@dataclass(frozen=True, slots=True)
class Identity:
    """A system user other than the present one."""

    name: str
    uid: int
    gid: int


def find_unprivileged_identity() -> Identity | None:
    if os.geteuid() != 0:
        return None
    for name in CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid != 0:
            return Identity(name, entry.pw_uid, entry.pw_gid)
    raise StartFailed(f"Postgres refuses to run as root and neither of {', '.join(CANDIDATES)} exists: make one.")


def can_reach(path: Path, identity: Identity | None) -> bool:
    """Return whether ``identity`` may enter ``path`` and all its parents; parts that do not exist yet count as open."""
    if identity is None:
        return True
    existing = [step for step in (path, *path.parents) if step.exists()]
    return all(_may_enter(step.stat(), identity) for step in existing)


def change_owner(path: Path, identity: Identity | None) -> None:
    if identity is not None:
        os.chown(path, identity.uid, identity.gid)


def _may_enter(entry: os.stat_result, identity: Identity) -> bool:
    if entry.st_uid == identity.uid:
        return bool(entry.st_mode & stat.S_IXUSR)
    if entry.st_gid == identity.gid:
        return bool(entry.st_mode & stat.S_IXGRP)
    return bool(entry.st_mode & stat.S_IXOTH)


@dataclass(frozen=True, slots=True)
class ProgramCommand:
    """``env`` is the whole environment, not an addition to ours. ``run_as`` None means the current user."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path
    run_as: Identity | None = None

    def spawn(self, output: int | IO[bytes]) -> subprocess.Popen[bytes]:
        """Start the process in its own session, so that Ctrl-C reaches only the supervisor. Standard output and error
        go to ``output``; there is no input."""
        return subprocess.Popen(  # noqa: S603 - argv is built by this room, no shell
            self.argv,
            env=dict(self.env),
            cwd=self.cwd,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            user=self.run_as.uid if self.run_as else None,
            group=self.run_as.gid if self.run_as else None,
            extra_groups=[] if self.run_as else None,
        )

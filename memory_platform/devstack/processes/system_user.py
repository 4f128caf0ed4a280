"""Find the system user that runs the embedded Postgres, and its access.

Postgres refuses to run as root. When root starts the stack, as in most containers, the server runs as an unprivileged
user, who may have no access to root's own folders.
"""

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path

from memory_platform.devstack.errors import StartFailed

CANDIDATES = ("postgres", "nobody")


@dataclass(frozen=True, slots=True)
class Identity:
    """A system user other than the present one."""

    name: str
    uid: int
    gid: int


def unprivileged_identity() -> Identity | None:
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

"""The directories of the embedded servers: as near to the data directory as the system allows."""

import hashlib
import os
import tempfile
from pathlib import Path

from memory_platform.devstack.config import ServerConfig
from memory_platform.devstack.errors import StartFailed
from memory_platform.devstack.processes.system_user import Identity, can_reach, change_owner

SYSTEM_HOME = Path("/var/lib/memory-platform")


def server_home(directory: Path, identity: Identity | None, *, durable: bool) -> Path:
    """Return the directory for a server's files: ``directory`` itself, or a place that ``identity`` can reach.

    A clone below root's home is closed to the unprivileged user. Its data then lives in the system's place for such
    data (or in the temporary folder when it need not last), and ``directory/elsewhere`` points to it.
    """
    directory.mkdir(parents=True, exist_ok=True)
    if can_reach(directory, identity):
        return directory
    base = SYSTEM_HOME if durable else Path("/tmp/memory-platform")  # noqa: S108 - the folder inside is checked for its owner
    home = base / _digest(directory)
    home.mkdir(parents=True, exist_ok=True)
    link = directory / "elsewhere"
    if link.is_symlink():
        link.unlink()
    link.symlink_to(home)
    return home


def socket_directory(home: Path, identity: Identity | None, *, longest_name: int) -> Path:
    """Return a private directory whose socket paths are short enough for the system (about 100 characters).
    ``longest_name`` is the length of the longest socket name. Raises StartFailed when no such place exists."""
    limit = ServerConfig().socket_path_limit - longest_name - 1
    name = f"mp-{_digest(home)}"
    places = (home / "run", Path(tempfile.gettempdir()) / name, Path("/tmp") / name)  # noqa: S108 - owner is checked below
    for place in places:
        if len(os.fsencode(place)) <= limit and can_reach(place.parent, identity):
            return private_directory(place, identity)
    raise StartFailed(f"No place for a socket: {home} is too deep. Choose a shorter data directory.")


def private_directory(path: Path, identity: Identity | None) -> Path:
    """Make ``path`` a directory that only its owner may enter. Raises StartFailed if it belongs to somebody else."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    owner = path.lstat().st_uid
    expected = {os.geteuid()} | ({identity.uid} if identity else set())
    if owner not in expected or path.is_symlink():
        raise StartFailed(f"{path} belongs to somebody else: remove it.")
    path.chmod(0o700)
    change_owner(path, identity)
    return path


def _digest(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:12]

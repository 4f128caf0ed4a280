"""Paths of memory files, read as a file system reads them and never above ``/memories``, and bullets of lines."""

import posixpath
import unicodedata

from snapshots.memory_files.command_types import CommandRefused
from snapshots.memory_files.config import MEMORY_FILES

ROOT = "/memories"
PROFILE = f"{ROOT}/profile.md"
NOTES = f"{ROOT}/notes.md"
GENERATED = (NOTES, PROFILE)
# What may stand before the words of a line.
BULLETS = "-*• \t\r"
# Control, format and unassigned characters, surrogates, line and paragraph ends: a listing shows one path in a line.
_HIDDEN = frozenset({"Cc", "Cf", "Cn", "Cs", "Zl", "Zp"})


def normalise_path(path: str) -> str:
    """Return the path in its one form, without dots and repeated strokes. Raises CommandRefused."""
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise CommandRefused(f"Path must start with {ROOT}, got: {path}")
    below = posixpath.normpath(ROOT + "/" + path[len(ROOT) :].lstrip("/"))
    if below != ROOT and not below.startswith(f"{ROOT}/"):
        raise CommandRefused(f"Path {path} would escape {ROOT} directory")
    return below


def check_new_path(path: str) -> None:
    """Raise CommandRefused for a path (in its one form) that no new file may have."""
    if any(unicodedata.category(one) in _HIDDEN for one in path):
        raise CommandRefused("The path holds invisible or control characters. Use visible ones.")
    if len(path.encode()) > MEMORY_FILES.path_bytes:
        raise CommandRefused(f"The path is too long. At most {MEMORY_FILES.path_bytes} bytes are allowed.")
    if path.count("/") - 1 > MEMORY_FILES.parts:
        raise CommandRefused(f"The path is too deep. At most {MEMORY_FILES.parts} parts below {ROOT} are allowed.")


def list_parents(path: str) -> list[str]:
    """Return the folders above a path, ``/memories`` left out."""
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(3, len(parts))]


def is_below(path: str, folder: str) -> bool:
    return path.startswith(f"{folder}/")

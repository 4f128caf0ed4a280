"""Answers of the memory tool, word for word those of the tool of Anthropic's SDK that keeps files on a disk.

Source: ``BetaLocalFilesystemMemoryTool`` of anthropic 2.12.0.
"""

from collections.abc import Iterable, Mapping, Sequence

from snapshots.memory_files.command_types import CommandRefused
from snapshots.memory_files.config import MEMORY_FILES
from snapshots.memory_files.paths import is_below

_KIB = 1024
_UNITS = "BKMG"


def render_folder(path: str, folder: str, sizes: Mapping[str, int]) -> str:
    """Return the listing of a folder, as ``path`` names it, from the bytes of each file by path. The size of a folder
    is that of all files below it."""
    below = {one: size for one, size in sizes.items() if is_below(one, folder)}
    lines = [f"{render_size(sum(below.values()))}\t{path}"]
    lines += [f"{render_size(size)}\t{path}/{name}" for name, size in _list_folder_entries(folder, below)]
    head = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
    return "\n".join([head, *lines])


def render_file(path: str, text: str, view_range: Sequence[int]) -> str:
    """Return the lines of a file with their numbers."""
    lines = text.split("\n")
    if len(lines) > MEMORY_FILES.lines:
        raise CommandRefused(f"File {path} exceeds maximum line limit of {MEMORY_FILES.lines:,} lines.")
    first, last = 0, len(lines)
    if len(view_range) == 2:  # noqa: PLR2004  # a first and a last line
        first = max(1, view_range[0]) - 1
        last = len(lines) if view_range[1] == -1 else view_range[1]
    shown = number_lines(lines[first:last], first + 1)
    return "\n".join([f"Here's the content of {path} with line numbers:", *shown])


def render_snippet(text: str, changed_line: int) -> str:
    """Return the lines around a change; ``changed_line`` counts from 0."""
    lines = text.split("\n")
    first = max(0, changed_line - MEMORY_FILES.snippet_lines)
    shown = number_lines(lines[first : changed_line + MEMORY_FILES.snippet_lines + 1], first + 1)
    head = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
    return "\n".join([head, *shown])


def number_lines(lines: Iterable[str], first: int) -> list[str]:
    return [f"{number:>{MEMORY_FILES.number_width}}\t{line}" for number, line in enumerate(lines, first)]


def render_size(size: int) -> str:
    """Return a number of bytes as ``0B``, ``12B``, ``1.5K``."""
    power = min(max(0, (size.bit_length() - 1) // 10), len(_UNITS) - 1)
    shown = size / _KIB**power
    return f"{int(shown)}{_UNITS[power]}" if shown == int(shown) else f"{shown:.1f}{_UNITS[power]}"


def _list_folder_entries(folder: str, below: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return name and size of the entries of a listing, folders with a slash, each before its files."""
    found: dict[tuple[str, ...], int] = {}
    folders: set[tuple[str, ...]] = set()
    for path, size in below.items():
        parts = tuple(path[len(folder) + 1 :].split("/"))
        for depth in range(1, min(len(parts), MEMORY_FILES.listed_depth) + 1):
            if parts[depth - 1].startswith("."):
                break
            found[parts[:depth]] = found.get(parts[:depth], 0) + size
            if depth < len(parts):
                folders.add(parts[:depth])
    return [("/".join(parts) + "/" * (parts in folders), found[parts]) for parts in sorted(found)]

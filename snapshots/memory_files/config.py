"""Limits of memory files."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import measured, promised


@dataclass(frozen=True, slots=True)
class MemoryFilesConfig:
    """``path_bytes`` fit into one row of an index. ``parts`` counts the folders and the name below ``/memories``."""

    file_bytes: int = promised(64 * 1024)
    files: int = promised(200)
    path_bytes: int = promised(500)
    parts: int = promised(8)
    added_lines: int = promised(20)
    added_line_bytes: int = promised(2_000)
    shown_notes: int = promised(500)
    lines: int = measured(999_999, source="MAX_LINES of anthropic 2.12.0, lib/tools/_beta_builtin_memory_tool.py")
    number_width: int = measured(6, source="LINE_NUMBER_WIDTH of anthropic 2.12.0, the same file")
    listed_depth: int = measured(2, source="collect_items of anthropic 2.12.0, the same file")
    snippet_lines: int = measured(2, source="str_replace of anthropic 2.12.0, the same file")


MEMORY_FILES = MemoryFilesConfig()

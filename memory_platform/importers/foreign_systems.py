"""The systems whose files can be imported, by the name that the command uses."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from memory_platform.importers.chat_logs import read_chat_logs
from memory_platform.importers.file_reading import Advance
from memory_platform.importers.foreign_rows import ForeignRow, ReadingOptions
from memory_platform.importers.letta import read_letta
from memory_platform.importers.mem0 import read_mem0
from memory_platform.importers.preference_tables import read_preferences
from memory_platform.importers.zep import read_zep

ReadFile = Callable[[Path, ReadingOptions, Advance], Iterator[ForeignRow]]


@dataclass(frozen=True, slots=True)
class ForeignSystem:
    """One kind of file: its name in commands and ids, a description, and its reader."""

    name: str
    file: str
    read: ReadFile


SYSTEMS: Mapping[str, ForeignSystem] = {
    system.name: system
    for system in (
        ForeignSystem("mem0", "JSON of get_all or of an export, or history.db of the open-source version", read_mem0),
        ForeignSystem("zep", "JSON of Zep or Graphiti with edges, episodes and messages", read_zep),
        ForeignSystem("letta", "an agent file (.af), or JSON with archival passages", read_letta),
        ForeignSystem("chats", 'JSON lines of {"messages": [...]}, or conversations.json of ChatGPT', read_chat_logs),
        ForeignSystem("preferences", "CSV whose header names key, value and when", read_preferences),
    )
}

"""Foreign memories as lines of our own export, so that the one import takes them."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from memory_platform.importers.field_reading import check_period
from memory_platform.importers.foreign_rows import ForeignMemory, UnusableRow
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import stable_id
from profiles.config import BELIEFS
from profiles.provenance_and_verdict import Provenance
from snapshots.models import SnapshotKind
from snapshots.portability.line_kinds import KIND_BY_NAME
from snapshots.portability.parse_line import ColumnFault, read_row

SNAPSHOT = "snapshot"
# Keys of the metadata that tell where a memory came from.
SYSTEM_KEY, ID_KEY = "imported_from", "imported_id"
_SNAPSHOT_LINE = KIND_BY_NAME[SNAPSHOT]


def make_origin(system: str) -> UUID:
    """Return the id that stands for the exported subject: ids of one system never meet those of another."""
    return stable_id("importer", system)


def build_line(system: str, memory: ForeignMemory) -> dict[str, Any]:
    """Return the line of a memory, checked as an import checks it. Equal keys give equal ids. Raises UnusableRow."""
    now = utc_now()
    said_at = memory.said_at or now
    ends = [one for one in (memory.invalid_at, said_at, now) if one is not None]
    valid_at = memory.valid_at or min(ends)
    check_period(valid_at, memory.invalid_at)
    if memory.expires_at is not None and memory.expires_at <= now:
        raise UnusableRow("expired", "The memory expired in the other system.")
    line = {
        "type": SNAPSHOT,
        "id": str(stable_id("importer", system, memory.key)),
        "kind": SnapshotKind.MANUAL.value,
        "text": memory.text,
        "category": memory.category,
        "topics": list(memory.topics),
        "provenance": Provenance.IMPORTED.value,
        "confidence": BELIEFS.ceiling(Provenance.IMPORTED),
        "said_at": said_at.isoformat(),
        "valid_at": valid_at.isoformat(),
        "invalid_at": memory.invalid_at.isoformat() if memory.invalid_at else None,
        "expires_at": memory.expires_at.isoformat() if memory.expires_at else None,
        "metadata": {**memory.metadata, SYSTEM_KEY: system, ID_KEY: memory.key},
    }
    check_line(line)
    return line


def check_line(line: Mapping[str, Any]) -> None:
    """Raise UnusableRow for a line that an import would refuse."""
    try:
        read_row(_SNAPSHOT_LINE, line)
    except ColumnFault as fault:
        raise UnusableRow("malformed", f"{fault.column}: {fault.message}") from None

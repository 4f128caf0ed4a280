"""Fixed numbers of the importers."""

from dataclasses import dataclass
from datetime import timedelta

from memory_platform.kernel.number_sources import promised


@dataclass(frozen=True, slots=True)
class ImporterConfig:
    """How much of a file is in memory at once, and which times are believed.

    ``batch_rows``: rows in one transaction; a stop loses at most these, and a repeat stores them. ``line_bytes``: of
    one line of JSON lines. ``whole_file_bytes``: of a file whose form must be read as a whole.
    ``export_bytes``: of a written export; an import accepts 16 MiB. ``clock_tolerance``: how
    far ahead a time may lie at which something was said. ``far_future``: an end that lies further ahead means never.
    """

    batch_rows: int = promised(200)
    line_bytes: int = promised(16 * 1024 * 1024)
    whole_file_bytes: int = promised(64 * 1024 * 1024)
    export_bytes: int = promised(15_000_000)
    clock_tolerance: timedelta = promised(timedelta(days=1))
    far_future: timedelta = promised(timedelta(days=36_525))


IMPORTERS = ImporterConfig()

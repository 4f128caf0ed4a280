"""Fixed numbers of export and import."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import assumed


@dataclass(frozen=True, slots=True)
class PortabilityConfig:
    """How much is in memory at once: rows of an export, lines of one part of an import."""

    export_rows: int = assumed(500, owner="portability", settle_by="memory of a web worker while large subjects leave")
    export_ids: int = assumed(20_000, owner="portability", settle_by="time of an export of a million rows")
    import_lines: int = assumed(500, owner="portability", settle_by="time of a part with a slow embedding service")


PORTABILITY = PortabilityConfig()

"""Numbers with a source: every tunable value says where it comes from.

A config is a frozen dataclass whose fields use :func:`measured` or :func:`assumed`. ``assumed` fields are a visible
debt: :func:`source_of_numbers` lists them, and a test keeps the list from growing unseen.
"""

from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class NumberSource:
    """The source of a number. ``kind`` is ``measured``, ``assumed`` or ``promised``."""

    kind: str
    source: str


def measured(value: Any, *, source: str) -> Any:
    """Declare a field whose default was measured; ``source`` names the run or the publication."""
    return field(default=value, metadata={"provenance": NumberSource("measured", source)})


def promised(value: Any) -> Any:
    """Declare a field whose default is promised to users in docs/features.md."""
    return field(default=value, metadata={"provenance": NumberSource("promised", "docs/features.md")})


def assumed(value: Any, *, owner: str, settle_by: str) -> Any:
    """Declare a field whose default is a guess; ``settle_by`` names the measurement that will replace it."""
    return field(default=value, metadata={"provenance": NumberSource("assumed", f"{owner}: {settle_by}")})


def source_of_numbers(config: type) -> dict[str, NumberSource]:
    """Return ``{field: NumberSource}`` of a config class. Raises KeyError for a field that declares none."""
    return {f.name: f.metadata["provenance"] for f in fields(config)}

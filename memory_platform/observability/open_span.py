"""A span that is open, whether traces are on or off."""

from collections.abc import Mapping
from typing import Any


class OpenSpan:
    """The span of a block; while traces are off it describes nothing."""

    __slots__ = ("_span",)

    def __init__(self, span: Any = None) -> None:
        self._span = span

    def describe(self, attributes: Mapping[str, object]) -> None:
        """Add attributes: numbers as they are, all else as text; None is left out."""
        for name, value in attributes.items() if self._span is not None else ():
            if value is not None:
                self._span.set_attribute(name, value if isinstance(value, bool | int | float) else str(value))

    def rename(self, name: str) -> None:
        if self._span is not None:
            self._span.update_name(name)

    def fail(self, error: str) -> None:
        """Mark the span as failed; ``error`` is the name of a class, or a status."""
        if self._span is not None:
            from opentelemetry.trace import Status, StatusCode  # noqa: PLC0415 - an optional package

            self._span.set_status(Status(StatusCode.ERROR))
            self._span.set_attribute("error.type", error)

"""Preferences in a CSV file whose header names ``key`` and ``value``, and ``subject``, ``when``, ``category``,
``statement`` as far as there are any."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from memory_platform.importers.field_reading import read_object, read_subject, read_text, read_time_said
from memory_platform.importers.file_reading import Advance, read_table
from memory_platform.importers.foreign_rows import (
    FilePiece,
    ForeignPreference,
    ForeignRow,
    ReadingOptions,
    RowFault,
    UnusableRow,
)
from memory_platform.kernel.character_checks import find_text_fault
from memory_platform.kernel.product_ids import find_product_id_fault

NEEDED = ("key", "value")
# The category of a row that names none.
GENERAL = "general"
CATEGORY_CHARS, VALUE_CHARS = 100, 20_000
# A spreadsheet would compute it: what it shows is not what the person prefers, and opened again it may do harm.
_FORMULA = re.compile(r"[\t\r ]*(=|[+@-](?=.*[(|!]))", re.DOTALL)


def read_preferences(path: Path, options: ReadingOptions, advance: Advance) -> Iterator[ForeignRow]:
    """Yield the rows of a CSV file."""
    for piece in read_table(path, NEEDED, options.encoding, advance):
        yield piece if isinstance(piece, RowFault) else _read_piece(piece, options)


def _read_piece(piece: FilePiece, options: ReadingOptions) -> ForeignRow:
    try:
        return _read_preference(piece.place, piece.content, options)
    except UnusableRow as fault:
        return RowFault(piece.place, fault.reason, fault.message)


def _read_preference(place: str, row: Mapping[str, str], options: ReadingOptions) -> ForeignPreference:
    for name, cell in row.items():
        _check_cell(name, cell)
    read_object(row)
    said_at = read_time_said(row, options, "when", "said_at", "date")
    if said_at is None:
        raise UnusableRow("no_time", "The row does not say when. Fill its column `when`, or give one time: --when.")
    return ForeignPreference(
        place=place,
        subject_id=read_subject(row, options, "subject", "subject_id"),
        category=_check_name("category", row.get("category", "").strip() or GENERAL, CATEGORY_CHARS),
        key=_check_name("key", read_text(row, "key").strip()),
        value=read_text(row, "value"),
        said_at=said_at,
        statement=row.get("statement", "").strip(),
    )


def _check_cell(name: str, cell: str) -> None:
    if _FORMULA.match(cell):
        raise UnusableRow("formula", f"{name} is a formula of a spreadsheet. Write the value itself.")
    if len(cell) > VALUE_CHARS:
        raise UnusableRow("too_long", f"{name} may have {VALUE_CHARS:,} characters.")
    fault = find_text_fault(cell)
    if fault:
        hint = "Is the file in another encoding? Name it: --encoding gb18030."
        raise UnusableRow(fault[0], f"{name} {fault[1][0].lower()}{fault[1][1:]} {hint}")


def _check_name(field: str, value: str, most: int | None = None) -> str:
    fault = find_product_id_fault(value)
    if fault or (most and len(value) > most):
        reason = fault[1] if fault else f"Must have at most {most} characters."
        raise UnusableRow(f"not_a_{field}", f"{field}: {reason}")
    return value

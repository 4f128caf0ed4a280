"""Reading single fields of rows: texts, ids and times, each checked before anything is stored."""

import hashlib
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import orjson

from memory_platform.importers.config import IMPORTERS
from memory_platform.importers.foreign_rows import ReadingOptions, UnusableRow
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import stable_id
from memory_platform.kernel.product_ids import find_product_id_fault

_EPOCH_DIGITS = re.compile(r"\d{9,13}(\.\d+)?")
# Seconds since 1970 of the year 5138: what is larger counts milliseconds.
_LARGEST_SECONDS = 1e11
NO_SUBJECT = UnusableRow("no_subject", "The row names no subject. Name one for all rows: --subject ID.")


def read_object(value: Any) -> Mapping[str, Any]:
    """Return a row that is a JSON object which can be stored. Raises UnusableRow."""
    if not isinstance(value, dict):
        raise UnusableRow("not_an_object", "The row is not a JSON object.")
    _encode_json(value)
    return value


def read_text(row: Mapping[str, Any], *names: str) -> str:
    """Return the first text among the named fields. Raises UnusableRow if there is none with words."""
    for name in names:
        value = row.get(name)
        if isinstance(value, str) and value.strip():
            return value
    raise UnusableRow("no_text", f"The row has no text in {' or '.join(names)}.")


def read_subject(row: Mapping[str, Any], options: ReadingOptions, *names: str) -> str:
    """Return the product's id of the row's subject. Raises UnusableRow."""
    if options.subject_id is not None:
        return options.subject_id
    found = find_first(row, *names)
    if not found:
        raise NO_SUBJECT
    return check_subject_id(found)


def check_subject_id(value: str) -> str:
    fault = find_product_id_fault(value)
    if fault:
        raise UnusableRow("not_a_subject_id", f"The subject's id {fault[1][0].lower()}{fault[1][1:]} Use --subject ID.")
    return value


def find_first(row: Mapping[str, Any], *names: str) -> str:
    """Return the first of the named fields that is an id, a text or a whole number; "" without one."""
    for name in names:
        value = row.get(name)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""


def make_product_id(foreign_id: str) -> str:
    """Return the other system's id where it can be one of a product here, else one that is derived from it."""
    return str(stable_id("foreign", foreign_id)) if find_product_id_fault(foreign_id) else foreign_id


def hash_content(value: Any) -> str:
    """Return a name for a row without an id: equal content has the same name. Raises UnusableRow."""
    return hashlib.sha256(_encode_json(value)).hexdigest()[:32]


def _encode_json(value: Any) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # lone surrogates, whole numbers above 64 bits, a nesting of hundreds
        message = "The row holds half a character, too large a number or too deep a nesting."
        raise UnusableRow("unstorable", message) from None


def read_time(row: Mapping[str, Any], options: ReadingOptions, *names: str) -> datetime | None:
    """Return the time in the first of the named fields that is filled, in UTC; None without one. Raises UnusableRow."""
    for name in names:
        if row.get(name) not in (None, ""):
            return parse_time(name, row[name], options)
    return None


def read_time_said(row: Mapping[str, Any], options: ReadingOptions, *names: str) -> datetime | None:
    """Return when something was said, which cannot lie ahead. Raises UnusableRow."""
    found = read_time(row, options, *names) or options.default_time
    if found is not None and found > utc_now() + IMPORTERS.clock_tolerance:
        raise UnusableRow("in_future", f"The time in {' or '.join(names)} lies more than a day ahead.")
    return found


def read_end_time(row: Mapping[str, Any], options: ReadingOptions, *names: str) -> datetime | None:
    """Return when something ends or ended; None for never, which some systems write as a year like 9999."""
    found = read_time(row, options, *names)
    return None if found is not None and found > utc_now() + IMPORTERS.far_future else found


def parse_time(name: str, value: Any, options: ReadingOptions) -> datetime:
    """Return a time: ISO 8601, or seconds or milliseconds since 1970. Raises UnusableRow."""
    try:
        if isinstance(value, str) and not _EPOCH_DIGITS.fullmatch(value):
            moment = datetime.fromisoformat(value.strip())
            return (moment if moment.tzinfo else moment.replace(tzinfo=options.zone)).astimezone(UTC)
        seconds = math.nan if isinstance(value, bool) else float(value)
        return datetime.fromtimestamp(seconds / 1000 if seconds > _LARGEST_SECONDS else seconds, UTC)
    except (ValueError, TypeError, OverflowError, OSError):
        message = f"{name} is not a time as 2026-03-01T10:00:00Z, nor seconds since 1970."
        raise UnusableRow("not_a_time", message) from None


def check_period(valid_at: datetime | None, invalid_at: datetime | None) -> None:
    """Raise UnusableRow for something that ends before it begins, or that begins in a future nobody can mean."""
    if valid_at is not None and invalid_at is not None and invalid_at < valid_at:
        raise UnusableRow("ends_before_it_begins", "The end lies before the beginning.")
    if valid_at is not None and valid_at > utc_now() + IMPORTERS.far_future:
        raise UnusableRow("in_future", "The beginning lies more than a hundred years ahead.")

"""Refuses characters that Postgres cannot store or that make text slow to handle."""

import re
import sys
import unicodedata
from functools import cache

# Combining marks in a row.
MAX_COMBINING_RUN = 32
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def find_text_fault(text: str) -> tuple[str, str] | None:
    """Return ``(code, message)`` of a fault in the characters of ``text``, or None. A long run of combining marks makes
    normalisation quadratic: 3 s for 40,000 marks."""
    if UNSTORABLE.search(text):
        return "unstorable_character", "Must not contain a NUL or a lone surrogate."
    if not text.isascii() and _mark_run().search(text):
        return "combining_run", f"Must not contain more than {MAX_COMBINING_RUN} combining marks in a row."
    return None


def has_control(text: str) -> bool:
    return CONTROL.search(text) is not None


@cache
def _mark_run() -> re.Pattern[str]:
    """Return the pattern of too many combining marks (Unicode category M) in a row. It takes 0.1 s to build."""
    return re.compile(f"[{_mark_ranges()}]{{{MAX_COMBINING_RUN + 1}}}")


def _mark_ranges() -> str:
    ranges: list[list[int]] = []
    for code in range(0x300, sys.maxunicode + 1):
        if not unicodedata.category(chr(code)).startswith("M"):
            continue
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{re.escape(chr(low))}-{re.escape(chr(high))}" for low, high in ranges)

"""Cleans the text of one block: normal form, nothing invisible, no control characters, no runs of blanks.

Invisible characters go because a person who checks a document cannot see them, and a model reads them.
"""

import re

from memory_platform.kernel.text import normalise, remove_invisible

_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]+")
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_BLANKS = re.compile(r"[^\S\n]+")
_EMPTY_LINES = re.compile(r"\n{3,}")
# Deeper than any real indentation: what is longer pads.
_PADDING = re.compile(r"[^\S\n]{64,}")


def clean_prose(text: str) -> str:
    """Return ``text`` with single blanks and lines without margins. Linear in its length."""
    text = _BLANKS.sub(" ", _clean_characters(text))
    return _EMPTY_LINES.sub("\n\n", text.replace(" \n", "\n").replace("\n ", "\n")).strip()


def clean_line(text: str) -> str:
    """Return ``text`` as one line with single blanks."""
    return " ".join(_clean_characters(text).split())


def clean_layout(text: str) -> str:
    """Return ``text`` with its indentation, for code, lists and tables. Linear in its length."""
    text = _PADDING.sub(" ", _clean_characters(text).expandtabs(4))
    lines = [line.rstrip() for line in text.split("\n")]
    return _EMPTY_LINES.sub("\n\n", "\n".join(lines)).strip("\n")


def _clean_characters(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return _CONTROL.sub("", remove_invisible(normalise(_LINE_ENDS.sub("\n", text))))

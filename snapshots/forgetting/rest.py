"""What stays of a text without the spans that were forgotten."""

import re
from collections.abc import Iterable

from snapshots.forgetting.values import Span
from snapshots.understanding.heard.turns import tells_something

_WHITE = re.compile(r"\s+")
_LOOSE = " ,;:、"


def stays_of(rest: str, text: str) -> str:
    """Return what stays of a note's ``text`` as words of their own; "" where the rest tells nothing."""
    whole = _WHITE.sub(" ", rest).strip(_LOOSE)
    return whole if whole and whole != text and tells_something(whole) else ""


_BLANKS = re.compile(r"\S+")


def rest_of(text: str, spans: Iterable[Span]) -> str:
    """Return ``text`` with blanks in place of ``spans``, of the same length: all else keeps its place."""
    for start, end in spans:
        text = text[:start] + _BLANKS.sub(lambda found: " " * len(found.group()), text[start:end]) + text[end:]
    return text

"""The place of a chunk in the text of its document."""

from dataclasses import dataclass

# Characters that are shown before and after a chunk.
AROUND_CHARS = 600


@dataclass(frozen=True, slots=True)
class MarkedPassage:
    """A part of a text: the words before the chunk, the chunk itself, and the words after it. ``is_cut_before`` and
    ``is_cut_after``: the text goes on there."""

    before: str
    marked: str
    after: str
    is_cut_before: bool
    is_cut_after: bool


def cut_passage(text: str, start: int, end: int) -> MarkedPassage:
    """Return the characters from ``start`` to ``end`` with the words around them."""
    first, last = max(0, start - AROUND_CHARS), min(len(text), end + AROUND_CHARS)
    return MarkedPassage(text[first:start], text[start:end], text[end:last], first > 0, last < len(text))

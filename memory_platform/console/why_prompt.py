"""A prompt as it was sent, with the place of every candidate in it. Pure functions.

A receipt keeps a prompt and the order of its candidates, not where each begins. What we write is found again by its own
markup: stored text inside it is escaped, so it holds none. A caller's system prompt and the query may hold some; they
stand before and after ours, so the elements are matched from the last to the first.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from snapshots.context.fence import MEMORY, escaped_attribute, unforged
from snapshots.context.values import SectionName
from snapshots.receipts.values import Rendered

PASSAGES = {"documents": "document", "tasks": "task", "summary": "conversation_summary"}
"""The element of a lane whose candidates are no memories."""
_ELEMENT = re.compile(rf"<({MEMORY}|{'|'.join(PASSAGES.values())})\b([^<>]*)>[^<]*</\1>")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a prompt; ``position`` of the candidate that it shows, None where it shows none."""

    text: str
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """One message of a prompt in pieces; ``role`` is "" where the prompt is one text."""

    role: str
    pieces: tuple[Piece, ...]
    name: str = ""
    calls: Any = None


@dataclass(frozen=True, slots=True)
class _Place:
    message: int
    start: int
    end: int
    position: int


def said_in(
    rendered: Rendered, candidates: Iterable[Mapping[str, Any]], sections: Iterable[Mapping[str, Any]]
) -> list[Said]:
    """Return the prompt of a receipt, message by message, with the places of its candidates."""
    told = [str(message.get("content") or "") for message in rendered.messages] or [rendered.text or ""]
    searched = _ours(told, rendered, sections)
    places = list(_places(searched, [one for one in candidates if one["context_position"] is not None]))
    pieces = [tuple(_pieces(text, [one for one in places if one.message == at])) for at, text in enumerate(told)]
    if not rendered.messages:
        return [Said("", pieces[0])] if rendered.text else []
    return [
        Said(str(message.get("role", "")), held, str(message.get("name") or ""), message.get("tool_calls"))
        for message, held in zip(rendered.messages, pieces, strict=True)
    ]


def _ours(told: Sequence[str], rendered: Rendered, sections: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the texts in which our elements may stand: before the turns, or before the query."""
    if not rendered.messages:
        query = unforged(rendered.query)
        return [told[0].removesuffix(query) if query else told[0]]
    turns = sum(one["items"] for one in sections if one["name"] == SectionName.WINDOW)
    return list(told[: max(0, len(told) - turns - 1)])


def _places(texts: Sequence[str], kept: Iterable[Mapping[str, Any]]) -> Iterator[_Place]:
    """Yield the place of each candidate in the prompt that is found, the last one first."""
    found = [(at, element) for at, text in enumerate(texts) for element in _ELEMENT.finditer(text)]
    for candidate in sorted(kept, key=lambda one: -one["context_position"]):
        last = next((n for n in reversed(range(len(found))) if _shows(found[n][1], candidate)), None)
        if last is not None:
            at, element = found[last]
            del found[last:]
            yield _Place(at, element.start(), element.end(), candidate["context_position"])


def _shows(element: re.Match[str], candidate: Mapping[str, Any]) -> bool:
    if element[1] != PASSAGES.get(candidate["lane"], MEMORY):
        return False
    return element[1] != MEMORY or element[2].startswith(f' source="{escaped_attribute(candidate["kind"])}"')


def _pieces(text: str, places: Iterable[_Place]) -> Iterator[Piece]:
    done = 0
    for place in sorted(places, key=lambda one: one.start):
        if place.start > done:
            yield Piece(text[done : place.start])
        yield Piece(text[place.start : place.end], place.position)
        done = place.end
    if done < len(text):
        yield Piece(text[done:])

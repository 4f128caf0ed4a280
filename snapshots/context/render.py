"""How each thing is written into a prompt, and what that costs (X4, X9).

Every piece ends with a line end and is counted as it stands; the prompt is nothing but pieces one after another, so
the sum of their tokens bounds the whole.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date
from typing import Any

from memory_platform.kernel.text import collapse_spaces
from memory_platform.providers.contracts import TokenCounter
from snapshots.context.budget import Piece, Shelf
from snapshots.context.fence import MEMORY, element, escaped, opening, shown, unforged
from snapshots.context.guide import CAUTION, heading
from snapshots.context.values import Format, Language, MemoryItem, Passage, SectionName, WindowTurn

Chosen = Mapping[SectionName, Sequence[Piece]]

_ATTRIBUTES = ("source", "confidence", "provenance", "valid_since", "category")
_SOURCES = {"reply": "assistant_said"}
"""Kinds of memories whose source is called otherwise: what the assistant said is not known of the user."""
_PASSAGE_ELEMENTS = {"documents": "document", "tasks": "task", "summary": "conversation_summary"}
_SENT_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""Names that chat endpoints accept in a message's ``name``; others are refused with a 400."""
_MESSAGE_1 = (SectionName.MEMORY, SectionName.TASK, SectionName.KNOWLEDGE, SectionName.SUMMARY)


@dataclass(frozen=True, slots=True)
class Scribe:
    """Writes pieces of one response: counts with ``counter``, marks memories of message 1 with ``nonce``."""

    counter: TokenCounter
    nonce: str
    language: Language
    format: Format
    message_overhead: int
    _openings: dict[tuple[object, ...], Piece] = field(default_factory=dict, init=False, repr=False, compare=False)

    def block(self, text: str, *, messages: int = 0) -> Piece:
        """Return ``text`` on lines of its own; "" costs nothing but the framing of ``messages`` messages."""
        block = text + "\n" if text else ""
        return Piece(block, self.counter.count(block) + messages * self.message_overhead)

    def heading(self, section: SectionName) -> Piece:
        """Return what stands above the section, after an empty line."""
        return self.block("\n" + heading(section, self.language, nonce=self.nonce))

    def memory(self, item: MemoryItem, *, in_prefix: bool = False) -> Piece:
        """Return ``item`` as one ``user_memory`` element; in the prefix without the nonce, to stay the same."""
        since = item.valid_since.astimezone(UTC).date() if item.valid_since else None
        opened = self._opened(item, since, in_prefix=in_prefix)
        body = item.text if item.looks and item.looks.plain else escaped(item.text)
        rest = f"{body}</{MEMORY}>\n"
        return Piece(opened.text + rest, opened.tokens + self.counter.count(rest), item)

    def passage(self, passage: Passage) -> Piece:
        """Return ``passage`` as one element named for what it is."""
        attributes = {"label": passage.label} if passage.label else {}
        if passage.untrusted_instruction:
            attributes["caution"] = CAUTION[self.language]
        return self._piece(element(_PASSAGE_ELEMENTS[passage.lane], attributes, passage.text), passage)

    def turn(self, turn: WindowTurn) -> Piece:
        """Return ``turn``: for messages the tokens of what is sent, for text an element."""
        if self.format == "text":
            return self._piece(_turn_element(turn), turn)
        sent = [part if isinstance(part, str) else _json(part) for part in message_of(turn).values() if part]
        return Piece("", sum(map(self.counter.count, sent)) + self.message_overhead, turn)

    def query(self, query: str) -> Piece:
        """Return the query, whole; in text format as an element under a heading: nothing else says who speaks, and
        where the words end."""
        if self.format == "text":
            return self.block(self.heading(SectionName.QUERY).text + element("query", {}, query), messages=1)
        return self.block(unforged(query), messages=1)

    def _opened(self, item: MemoryItem, since: date | None, *, in_prefix: bool) -> Piece:
        """Return the opening tag of a memory. Many memories of one response share theirs: each is counted once."""
        key = (item.kind, item.confidence, item.provenance, since, item.category, in_prefix)
        if key not in self._openings:
            confidence = f"{item.confidence:.2f}".rstrip("0").rstrip(".")
            source = _SOURCES.get(item.kind, item.kind)
            values = (source, confidence, item.provenance, since.isoformat() if since else "unknown", item.category)
            attributes = dict(zip(_ATTRIBUTES, values, strict=True)) | ({} if in_prefix else {"nonce": self.nonce})
            tag = opening(MEMORY, attributes)
            self._openings[key] = Piece(tag, self.counter.count(tag))
        return self._openings[key]

    def _piece(self, text: str, origin: MemoryItem | Passage | WindowTurn) -> Piece:
        block = text + "\n"
        return Piece(block, self.counter.count(block), origin)


def message_of(turn: WindowTurn) -> dict[str, Any]:
    """Return ``turn`` as a chat message; a name that endpoints refuse stands before the content instead."""
    content = None if turn.content is None else unforged(turn.content)
    message: dict[str, Any] = {"role": turn.role, "content": content}
    if turn.name and _SENT_NAME.fullmatch(turn.name):
        message["name"] = turn.name
    elif turn.name:
        message["content"] = f"{collapse_spaces(unforged(turn.name))}: {content or ''}"
    if turn.tool_calls:
        message["tool_calls"] = [_call_of(call) for call in turn.tool_calls]
    if turn.tool_call_id:
        message["tool_call_id"] = turn.tool_call_id
    return message


def prefix_of(chosen: Chosen, shelves: Mapping[SectionName, Shelf]) -> str:
    """Return message 0: system prompt, usage guide, profile."""
    guide = chosen[SectionName.GUIDE][:1]
    return _joined([*chosen[SectionName.SYSTEM], *guide, *_section(SectionName.PROFILE, chosen, shelves)])


def brief_of(chosen: Chosen, shelves: Mapping[SectionName, Shelf]) -> str:
    """Return message 1: phase guidance, memory, tasks, knowledge, summary."""
    guide = chosen[SectionName.GUIDE][1:]
    return _joined([*guide, *(piece for name in _MESSAGE_1 for piece in _section(name, chosen, shelves))])


def as_messages(chosen: Chosen, shelves: Mapping[SectionName, Shelf]) -> tuple[dict[str, Any], ...]:
    """Return the messages to send. A system message without content is left out: endpoints refuse it."""
    system = (prefix_of(chosen, shelves), brief_of(chosen, shelves))
    turns = (piece.origin for piece in chosen[SectionName.WINDOW])
    return (
        *({"role": "system", "content": content} for content in system if content),
        *(message_of(turn) for turn in turns if isinstance(turn, WindowTurn)),
        {"role": "user", "content": _joined(chosen[SectionName.QUERY])},
    )


def as_text(chosen: Chosen, shelves: Mapping[SectionName, Shelf]) -> str:
    """Return the same context as one text, for models that take no messages."""
    turns = _joined(_section(SectionName.WINDOW, chosen, shelves))
    parts = (prefix_of(chosen, shelves), brief_of(chosen, shelves), turns, _joined(chosen[SectionName.QUERY]))
    return "\n\n".join(filter(None, parts))


def _turn_element(turn: WindowTurn) -> str:
    attributes = {"role": turn.role, **({"name": turn.name} if turn.name else {})}
    calls = [_json([dict(call) for call in turn.tool_calls])] if turn.tool_calls else []
    return element("turn", attributes, "\n".join([turn.content or "", *calls]))


def _call_of(call: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool call that forges nothing; its id stays, by which its result is told apart."""
    return {key: one if key == "id" else _unforged_in(one) for key, one in call.items()}


def _unforged_in(value: Any) -> Any:
    """Return a JSON value with nothing forged in its strings. Arguments are JSON themselves, where every sign counts:
    they stay to the letter where they hold nothing, and are looked at without escapes as well."""
    if isinstance(value, Mapping):
        return {unforged(key): _unforged_in(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_unforged_in(one) for one in value]
    if not isinstance(value, str):
        return value
    told = unforged(value)
    if told != shown(value):
        value = told
    if "\\" not in value:
        return value
    try:
        meant = json.loads(value)
        told = _unforged_in(meant)
    except (ValueError, RecursionError):
        return value
    return value if told == meant else _json(told)


def _section(name: SectionName, chosen: Chosen, shelves: Mapping[SectionName, Shelf]) -> list[Piece]:
    pieces, opening = chosen[name], shelves[name].opening
    return [opening, *pieces] if pieces and opening else list(pieces)


def _joined(pieces: Sequence[Piece]) -> str:
    return "".join(piece.text for piece in pieces).strip("\n")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

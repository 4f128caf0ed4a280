"""Render each item into the prompt and count its tokens.

Every piece ends with a line end and is counted as it stands; the prompt is the pieces one after another, so the sum of
their tokens bounds the whole.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from memory_platform.kernel.text import collapse_spaces
from memory_platform.providers.contracts import TokenCounter
from profiles.wording import in_chinese
from snapshots.context.budget import Frame, Piece, Shelf
from snapshots.context.policy import ContextPolicy
from snapshots.context.values import ContextRequest, Language, MemoryItem, Passage, SectionName, WindowTurn
from snapshots.context.writing.fence import MEMORY, element, escaped, escaped_attribute, opening, shown, unforged
from snapshots.context.writing.guide import CAUTION, SIGNS, date_of, day_line, heading, speaker, today_line, until
from snapshots.context.writing.prompt_text import PromptText

Chosen = Mapping[SectionName, Sequence[Piece]]

_ATTRIBUTES = ("source", "confidence", "provenance", "valid_since", "category")
# The source of the assistant's words, which are nothing that is known of the user.
REPLIED = "assistant_said"
# Sources by kind of memory; all other memories are from the user.
_SOURCES = {
    "reply": REPLIED,
    "manual": "product",
    "conversation": "summary",
    "segment": "summary",
    "episode": "task",
}
_PASSAGE_ELEMENTS = {"documents": "document", "tasks": "task", "summary": "conversation_summary"}
# Names that chat endpoints accept in a message's `name`; others are refused with a 400.
_SENT_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MESSAGE_1 = (SectionName.MEMORY, SectionName.TASK, SectionName.KNOWLEDGE, SectionName.SUMMARY)


@dataclass(frozen=True, slots=True)
class Scribe:
    """Renders the pieces of one response: counts with ``counter``, marks memories of message 1 with ``nonce``."""

    counter: TokenCounter
    nonce: str
    language: Language
    request: ContextRequest
    policy: ContextPolicy
    _counted: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)
    _frames: dict[tuple[object, ...], Frame] = field(default_factory=dict, init=False, repr=False, compare=False)

    def block(self, text: str, *, messages: int = 0) -> Piece:
        """Return ``text`` on lines of its own; "" costs only the framing of ``messages`` messages."""
        block = text + "\n" if text else ""
        return Piece(block, self.counter.count(block) + messages * self.policy.message_overhead)

    def heading(self, section: SectionName) -> Piece:
        return self.block("\n" + heading(section, self.language))

    def today(self) -> Piece | None:
        """Return the date of the question, with which message 1 begins; None where it has none."""
        return replace(self.block(today_line(at, self.language)), part="date") if (at := self.request.at) else None

    def memory(self, item: MemoryItem, *, in_prefix: bool = False) -> Piece:
        """Return ``item`` as a line under its date, in its group's element; or as an element of its own.

        The prefix has no nonce and whole dates, to stay the same.
        """
        today = None if in_prefix or self.request.at is None else self.request.at.date()
        is_plain = self.request.format == "plain" and not item.untrusted_instruction  # orders never go without a fence
        if self.request.style == "full" and not is_plain:
            return self._element(item, today, in_prefix=in_prefix)
        mark = self._until(item, today) or (f" ({self._since(item, today)})" if is_plain and item.valid_since else "")
        begin = self._begin(item) if is_plain or self.request.style == "compact" else "- "
        line = f"{begin}{self._labelled(item)}{mark}\n"
        frames = () if is_plain else (self._group(item, in_prefix=in_prefix), *self._dates(item, today))
        return Piece(line, self.counter.count(line), item, frames)

    def _labelled(self, item: MemoryItem) -> str:
        """Return the words of an item, a slot's label in the language of the context."""
        body = _body(item, one_line=True)
        label, told = (escaped_attribute(item.category), body) if item.lane == "profile" else ("", body)
        if item.lane == "preferences" and ": " in body:
            label, told = body.split(": ", 1)
        if not label:
            return body
        return f"{in_chinese(label) if self.language == 'zh' else label}: {told}"

    def _begin(self, item: MemoryItem) -> str:
        """Return the start of a line without attributes: how sure it is, and who said it where not the user."""
        sign = SIGNS[confidence_band(item.confidence, self.policy)]
        return f"{sign} {speaker(source_of(item), self.language)}"

    def _until(self, item: MemoryItem, today: date | None) -> str:
        """Return until when an item held, or may have held, or the day of a past plan; "" for all else."""
        over = item.ended_at or item.doubted_since
        last = over.date() if over else item.planned_until
        if last and (over or (today and last < today)):
            return f" ({until(last, self.language, today)}{'' if item.ended_at or not over else '?'})"
        return ""

    def _since(self, item: MemoryItem, today: date | None) -> str:
        return date_of(item.valid_since.date(), self.language, today) if item.valid_since else ""

    def _dates(self, item: MemoryItem, today: date | None) -> tuple[Frame, ...]:
        """Return the date above the lines of its day; vital lines have their own, because they stand first."""
        if item.valid_since is None:
            return ()
        line = day_line(self._since(item, today), self.language)
        return (Frame(line, "", self._count(line), block="vital" if item.vital else ""),)

    def passage(self, passage: Passage) -> Piece:
        label = {"label": passage.label} if passage.label else {}
        told = label | self._caution(passage)
        return self._piece(element(_PASSAGE_ELEMENTS[passage.lane], told, passage.text), passage)

    def turn(self, turn: WindowTurn) -> Piece:
        """Return ``turn``: for messages the tokens of what is sent, for text an element."""
        if self.request.format == "text":
            return self._piece(_turn_element(turn), turn)
        sent = [part if isinstance(part, str) else _json(part) for part in message_of(turn).values() if part]
        return Piece("", sum(map(self.counter.count, sent)) + self.policy.message_overhead, turn)

    def query(self, query: str) -> Piece:
        """Return the query whole; in text format under a heading, because nothing else says who speaks."""
        if self.request.format == "text":
            return self.block(self.heading(SectionName.QUERY).text + element("query", {}, query), messages=1)
        return self.block(unforged(query), messages=1)

    def _element(self, item: MemoryItem, today: date | None, *, in_prefix: bool) -> Piece:
        confidence = f"{item.confidence:.2f}".rstrip("0").rstrip(".")
        since = item.valid_since.date().isoformat() if item.valid_since else "unknown"
        values = (REPLIED if item.kind == "reply" else item.kind, confidence, item.provenance, since, item.category)
        told = dict(zip(_ATTRIBUTES, values, strict=True)) | self._caution(item)
        tag = self._tag(told, in_prefix=in_prefix)
        rest = f"{_body(item)}{self._until(item, today)}</{MEMORY}>\n"
        return Piece(tag + rest, self._count(tag) + self.counter.count(rest), item)

    def _group(self, item: MemoryItem, *, in_prefix: bool) -> Frame:
        """Return the element of an item's group, made once for all that it holds."""
        source, band = source_of(item), confidence_band(item.confidence, self.policy)
        is_compact = self.request.style == "compact"
        told = {} if is_compact else {"source": source, "confidence": band, "provenance": item.provenance}
        group = (*told.values(), item.untrusted_instruction, in_prefix)
        if group not in self._frames:
            told |= self._caution(item)
            opening, closing = self._tag(told, in_prefix=in_prefix) + "\n", f"</{MEMORY}>\n"
            self._frames[group] = Frame(opening, closing, self._count(opening) + self._count(closing))
        return self._frames[group]

    def _caution(self, origin: MemoryItem | Passage) -> dict[str, str]:
        return {"caution": CAUTION[self.language]} if origin.untrusted_instruction else {}

    def _tag(self, attributes: Mapping[str, str], *, in_prefix: bool) -> str:
        return opening(MEMORY, dict(attributes) | ({} if in_prefix else {"nonce": self.nonce}))

    def _count(self, text: str) -> int:
        """Return the tokens of a tag, counted once: many memories of one response share theirs."""
        if text not in self._counted:
            self._counted[text] = self.counter.count(text)
        return self._counted[text]

    def _piece(self, text: str, origin: MemoryItem | Passage | WindowTurn) -> Piece:
        block = text + "\n"
        return Piece(block, self.counter.count(block), origin)


def source_of(item: MemoryItem) -> str:
    """Return who a memory is from; lanes and kinds of one source stand together."""
    return _SOURCES.get(item.kind, "user")


def confidence_band(confidence: float, policy: ContextPolicy) -> str:
    """Return the band of a confidence, as the guide names it."""
    return "high" if confidence >= policy.state_from else "medium" if confidence >= policy.tentative_from else "low"


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


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt to send: messages, or one text, and where each candidate stands: (message, start, end)."""

    prefix: str
    messages: tuple[dict[str, Any], ...] = ()
    text: str | None = None
    spans: Mapping[int, tuple[int, int, int]] = field(default_factory=dict)


def write_prompt(request: ContextRequest, chosen: Chosen, shelves: Mapping[SectionName, Shelf]) -> Prompt:
    """Return the prompt.

    Message 0 is the prefix (system prompt, guide, profile), message 1 this turn's (date, phase, memory, tasks,
    knowledge, summary), then come the turns and the query.
    """
    guide = chosen[SectionName.GUIDE]
    prefix = (
        PromptText()
        .add([*chosen[SectionName.SYSTEM], *(one for one in guide if one.part == "guide")])
        .add(_section(SectionName.PROFILE, chosen, shelves))
    )
    brief = PromptText().add(one for one in guide if one.part != "guide")
    for name in _MESSAGE_1:
        brief.add(_section(name, chosen, shelves))
    system = (prefix.stripped(), brief.stripped())
    if request.format == "text":
        return _as_text(system, chosen, shelves)
    sent = [one for one in system if one.text]  # endpoints refuse a system message without content
    turns = (piece.origin for piece in chosen[SectionName.WINDOW])
    messages = (
        *({"role": "system", "content": one.text} for one in sent),
        *(message_of(turn) for turn in turns if isinstance(turn, WindowTurn)),
        {"role": "user", "content": _joined(chosen[SectionName.QUERY])},
    )
    spans = {piece: (at, *span) for at, one in enumerate(sent) for piece, span in one.spans.items()}
    return Prompt(system[0].text, messages, spans=spans)


def _as_text(system: Sequence[PromptText], chosen: Chosen, shelves: Mapping[SectionName, Shelf]) -> Prompt:
    """Return the same context as one text, for models that take no messages."""
    turns = _joined(_section(SectionName.WINDOW, chosen, shelves))
    text, spans = "", dict[int, tuple[int, int, int]]()
    for part in (*system, PromptText(turns), PromptText(_joined(chosen[SectionName.QUERY]))):
        text += "\n\n" if text and part.text else ""
        spans |= {piece: (0, start + len(text), end + len(text)) for piece, (start, end) in part.spans.items()}
        text += part.text
    return Prompt(system[0].text, text=text, spans=spans)


def _body(item: MemoryItem, *, one_line: bool = False) -> str:
    if item.looks and item.looks.plain and not (one_line and "\n" in item.text):
        return item.text
    return collapse_spaces(escaped(item.text)) if one_line else escaped(item.text)


def _turn_element(turn: WindowTurn) -> str:
    attributes = {"role": turn.role, **({"name": turn.name} if turn.name else {})}
    calls = [_json([dict(call) for call in turn.tool_calls])] if turn.tool_calls else []
    return element("turn", attributes, "\n".join([turn.content or "", *calls]))


def _call_of(call: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool call that forges nothing; its id stays, because its result refers to it."""
    return {key: one if key == "id" else _unforged_in(one) for key, one in call.items()}


def _unforged_in(value: Any) -> Any:
    """Return a JSON value with nothing forged in its strings.

    Arguments are JSON themselves, where every sign counts: they stay to the letter where they hold nothing, and are
    looked at without escapes as well.
    """
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

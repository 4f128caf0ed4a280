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

from memory_platform.kernel.text import collapse_spaces, truncate_text
from memory_platform.providers.contracts import TokenCounter
from profiles.prompt_lines import translate_label
from profiles.provenance_and_verdict import Provenance
from snapshots.context.config import ContextPolicy
from snapshots.context.token_budget import CountedPiece, LineFrame, SectionShelf
from snapshots.context.values import (
    ContextRequest,
    ContextTurn,
    Language,
    MemoryItem,
    Passage,
    PassageSource,
    SectionName,
)
from snapshots.context.writing.memory_guide import (
    CAUTION,
    SIGNS,
    render_date,
    render_day_line,
    render_heading,
    render_speaker,
    render_today_line,
    render_until,
)
from snapshots.context.writing.prompt_fence import (
    MEMORY,
    PromptText,
    break_forged_markup,
    escape_attribute,
    escape_body,
    remove_unseen_characters,
    render_element,
    render_opening_tag,
)

ChosenBySection = Mapping[SectionName, Sequence[CountedPiece]]

_ATTRIBUTES = ("source", "confidence", "provenance", "valid_since", "category")
# The source of the assistant's words, which are nothing that is known of the user.
REPLIED = "assistant_said"
STAFF = "staff"
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
# Characters of a title, and of all headings together, that stand beside a passage.
_PLACE_CHARS = 120
_MESSAGE_1 = (SectionName.MEMORY, SectionName.TASK, SectionName.KNOWLEDGE, SectionName.SUMMARY)


@dataclass(frozen=True, slots=True)
class PieceRenderer:
    """Renders the pieces of one response: counts with ``counter``, marks memories of message 1 with ``nonce``."""

    counter: TokenCounter
    nonce: str
    language: Language
    request: ContextRequest
    policy: ContextPolicy
    _counted: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)
    _frames: dict[tuple[object, ...], LineFrame] = field(default_factory=dict, init=False, repr=False, compare=False)

    def render_plain_lines(self, text: str, *, messages: int = 0) -> CountedPiece:
        """Return ``text`` on lines of its own; "" costs only the framing of ``messages`` messages."""
        block = text + "\n" if text else ""
        return CountedPiece(block, self.counter.count(block) + messages * self.policy.message_overhead)

    def render_section_heading(self, section: SectionName) -> CountedPiece:
        heading = render_heading(section, self.language, cites=self.request.citations)
        return self.render_plain_lines("\n" + heading)

    def render_today(self) -> CountedPiece | None:
        """Return the date of the question, with which message 1 begins; None if the request has no date."""
        return (
            replace(self.render_plain_lines(render_today_line(at, self.language)), part="date")
            if (at := self.request.at)
            else None
        )

    def render_memory(self, item: MemoryItem, *, in_prefix: bool = False) -> CountedPiece:
        """Return ``item`` as a line under its date, in its group's element; or as an element of its own. The prefix has
        no nonce and whole dates, to stay the same."""
        today = None if in_prefix or self.request.at is None else self.request.at.date()
        is_plain = self.request.format == "plain" and not item.untrusted_instruction  # orders never go without a fence
        if self.request.style == "full" and not is_plain:
            return self._render_element(item, today, in_prefix=in_prefix)
        mark = self._render_end_mark(item, today) or (
            f" ({self._render_since(item, today)})" if is_plain and item.valid_since else ""
        )
        begin = self._render_line_start(item) if is_plain or self.request.style == "compact" else "- "
        line = f"{begin}{self._render_labelled_words(item)}{mark}\n"
        frames = (
            ()
            if is_plain
            else (self._make_group_frame(item, in_prefix=in_prefix), *self._make_date_frames(item, today))
        )
        return CountedPiece(line, self.counter.count(line), item, frames)

    def _render_labelled_words(self, item: MemoryItem) -> str:
        body = _render_body(item, one_line=True)
        label, told = (escape_attribute(item.category), body) if item.lane == "profile" else ("", body)
        if item.lane == "preferences" and ": " in body:
            label, told = body.split(": ", 1)
        if not label:
            return body
        return f"{translate_label(label) if self.language == 'zh' else label}: {told}"

    def _render_line_start(self, item: MemoryItem) -> str:
        """Return the start of a line without attributes: how sure it is, and who said it where not the user."""
        sign = SIGNS[classify_confidence(item.confidence, self.policy)]
        return f"{sign} {render_speaker(find_memory_source(item), self.language)}"

    def _render_end_mark(self, item: MemoryItem, today: date | None) -> str:
        """Return until when an item held, or may have held, or the day of a past plan; "" for all else."""
        over = item.ended_at or item.doubted_since
        last = over.date() if over else item.planned_until
        if last and (over or (today and last < today)):
            return f" ({render_until(last, self.language, today)}{'' if item.ended_at or not over else '?'})"
        return ""

    def _render_since(self, item: MemoryItem, today: date | None) -> str:
        return render_date(item.valid_since.date(), self.language, today) if item.valid_since else ""

    def _make_date_frames(self, item: MemoryItem, today: date | None) -> tuple[LineFrame, ...]:
        """Return the date above the lines of its day; vital lines have their own, because they stand first."""
        if item.valid_since is None:
            return ()
        line = render_day_line(self._render_since(item, today), self.language)
        if (line, item.vital) not in self._frames:
            self._frames[line, item.vital] = LineFrame(line, "", self._count_tag(line))
        return (self._frames[line, item.vital],)

    def render_passage(self, passage: Passage) -> CountedPiece:
        label = {"label": passage.label} if passage.label else {}
        place = self._list_place_attributes(passage.source) if passage.source else {}
        told = label | place | self._list_caution_attributes(passage)
        return self._make_piece(render_element(_PASSAGE_ELEMENTS[passage.lane], told, passage.text), passage)

    def _list_place_attributes(self, source: PassageSource) -> dict[str, str]:
        """Return where a passage stands, as a reader names it: number, title, headings, page."""
        cited = source.citation
        headings = [one for one in cited.heading_path if one != cited.title]
        told = {
            "number": str(source.number) if self.request.citations else "",
            "title": truncate_text(cited.title, _PLACE_CHARS),
            "section": truncate_text(" › ".join(headings), _PLACE_CHARS),
            "page": str(cited.page or ""),
        }
        return {name: value for name, value in told.items() if value}

    def render_turn(self, turn: ContextTurn) -> CountedPiece:
        """Return ``turn``: for messages the tokens sent, for text an element."""
        if self.request.format == "text":
            return self._make_piece(_render_turn_element(turn), turn)
        sent = [
            part if isinstance(part, str) else _dump_json(part) for part in make_chat_message(turn).values() if part
        ]
        return CountedPiece("", sum(map(self.counter.count, sent)) + self.policy.message_overhead, turn)

    def render_query(self, query: str) -> CountedPiece:
        """Return the query whole; in text format under a heading, because nothing else says who speaks."""
        if self.request.format == "text":
            return self.render_plain_lines(
                self.render_section_heading(SectionName.QUERY).text + render_element("query", {}, query), messages=1
            )
        return self.render_plain_lines(break_forged_markup(query), messages=1)

    def _render_element(self, item: MemoryItem, today: date | None, *, in_prefix: bool) -> CountedPiece:
        confidence = f"{item.confidence:.2f}".rstrip("0").rstrip(".")
        since = item.valid_since.date().isoformat() if item.valid_since else "unknown"
        values = (REPLIED if item.kind == "reply" else item.kind, confidence, item.provenance, since, item.category)
        told = dict(zip(_ATTRIBUTES, values, strict=True)) | self._list_caution_attributes(item)
        tag = self._render_tag(told, in_prefix=in_prefix)
        rest = f"{_render_body(item)}{self._render_end_mark(item, today)}</{MEMORY}>\n"
        return CountedPiece(tag + rest, self._count_tag(tag) + self.counter.count(rest), item)

    def _make_group_frame(self, item: MemoryItem, *, in_prefix: bool) -> LineFrame:
        source, band = find_memory_source(item), classify_confidence(item.confidence, self.policy)
        is_compact = self.request.style == "compact"
        told = {} if is_compact else {"source": source, "confidence": band, "provenance": item.provenance}
        group = (*told.values(), item.untrusted_instruction, in_prefix)
        if group not in self._frames:
            told |= self._list_caution_attributes(item)
            opening, closing = self._render_tag(told, in_prefix=in_prefix) + "\n", f"</{MEMORY}>\n"
            self._frames[group] = LineFrame(opening, closing, self._count_tag(opening) + self._count_tag(closing))
        return self._frames[group]

    def _list_caution_attributes(self, origin: MemoryItem | Passage) -> dict[str, str]:
        return {"caution": CAUTION[self.language]} if origin.untrusted_instruction else {}

    def _render_tag(self, attributes: Mapping[str, str], *, in_prefix: bool) -> str:
        return render_opening_tag(MEMORY, dict(attributes) | ({} if in_prefix else {"nonce": self.nonce}))

    def _count_tag(self, text: str) -> int:
        """Return the tokens of a tag, counted once: many memories of one response share theirs."""
        if text not in self._counted:
            self._counted[text] = self.counter.count(text)
        return self._counted[text]

    def _make_piece(self, text: str, origin: MemoryItem | Passage | ContextTurn) -> CountedPiece:
        block = text + "\n"
        return CountedPiece(block, self.counter.count(block), origin)


def find_memory_source(item: MemoryItem) -> str:
    """Return who a memory is from; lanes and kinds of one source stand together."""
    return STAFF if item.provenance == Provenance.CORRECTED_BY_STAFF else _SOURCES.get(item.kind, "user")


def classify_confidence(confidence: float, policy: ContextPolicy) -> str:
    return "high" if confidence >= policy.state_from else "medium" if confidence >= policy.tentative_from else "low"


def make_chat_message(turn: ContextTurn) -> dict[str, Any]:
    """Return ``turn`` as a chat message; a name that endpoints refuse stands before the content instead."""
    content = None if turn.content is None else break_forged_markup(turn.content)
    message: dict[str, Any] = {"role": turn.role, "content": content}
    if turn.name and _SENT_NAME.fullmatch(turn.name):
        message["name"] = turn.name
    elif turn.name:
        message["content"] = f"{collapse_spaces(break_forged_markup(turn.name))}: {content or ''}"
    if turn.tool_calls:
        # The id of a call stays, because its result refers to it.
        message["tool_calls"] = [
            {key: one if key == "id" else _break_forged_value(one) for key, one in call.items()}
            for call in turn.tool_calls
        ]
    if turn.tool_call_id:
        message["tool_call_id"] = turn.tool_call_id
    return message


@dataclass(frozen=True, slots=True)
class WrittenPrompt:
    """A prompt to send: messages, or one text, and where each candidate stands: (message, start, end)."""

    prefix: str
    messages: tuple[dict[str, Any], ...] = ()
    text: str | None = None
    spans: Mapping[int, tuple[int, int, int]] = field(default_factory=dict)


def write_prompt(
    request: ContextRequest, sections: ChosenBySection, shelves: Mapping[SectionName, SectionShelf]
) -> WrittenPrompt:
    """Return the prompt. Message 0 is the prefix (system prompt, guide, profile), message 1 this turn's (date, phase,
    memory, tasks, knowledge, summary), then come the turns and the query."""
    guide = sections[SectionName.GUIDE]
    prefix = (
        PromptText()
        .add_pieces([*sections[SectionName.SYSTEM], *(one for one in guide if one.part == "guide")])
        .add_pieces(_list_section_pieces(SectionName.PROFILE, sections, shelves))
    )
    brief = PromptText().add_pieces(one for one in guide if one.part != "guide")
    for name in _MESSAGE_1:
        brief.add_pieces(_list_section_pieces(name, sections, shelves))
    system = (prefix.strip_outer_newlines(), brief.strip_outer_newlines())
    if request.format == "text":
        return _write_as_text(system, sections, shelves)
    sent = [one for one in system if one.text]  # endpoints refuse a system message without content
    turns = (piece.origin for piece in sections[SectionName.WINDOW])
    messages = (
        *({"role": "system", "content": one.text} for one in sent),
        *(make_chat_message(turn) for turn in turns if isinstance(turn, ContextTurn)),
        {"role": "user", "content": _join_pieces(sections[SectionName.QUERY])},
    )
    spans = {piece: (at, *span) for at, one in enumerate(sent) for piece, span in one.spans.items()}
    return WrittenPrompt(system[0].text, messages, spans=spans)


def _write_as_text(
    system: Sequence[PromptText], sections: ChosenBySection, shelves: Mapping[SectionName, SectionShelf]
) -> WrittenPrompt:
    """Return the same context as one text, for models that take no messages."""
    turns = _join_pieces(_list_section_pieces(SectionName.WINDOW, sections, shelves))
    text, spans = "", dict[int, tuple[int, int, int]]()
    for part in (*system, PromptText(turns), PromptText(_join_pieces(sections[SectionName.QUERY]))):
        text += "\n\n" if text and part.text else ""
        spans |= {piece: (0, start + len(text), end + len(text)) for piece, (start, end) in part.spans.items()}
        text += part.text
    return WrittenPrompt(system[0].text, text=text, spans=spans)


def _render_body(item: MemoryItem, *, one_line: bool = False) -> str:
    if item.looks and item.looks.plain and not (one_line and "\n" in item.text):
        return item.text
    return collapse_spaces(escape_body(item.text)) if one_line else escape_body(item.text)


def _render_turn_element(turn: ContextTurn) -> str:
    attributes = {"role": turn.role, **({"name": turn.name} if turn.name else {})}
    calls = [_dump_json([dict(call) for call in turn.tool_calls])] if turn.tool_calls else []
    return render_element("turn", attributes, "\n".join([turn.content or "", *calls]))


def _break_forged_value(value: Any) -> Any:
    """Return a JSON value with nothing forged in its strings. Tool arguments are JSON. They stay unchanged if nothing
    in them is forged; escaped characters are checked too."""
    if isinstance(value, Mapping):
        return {break_forged_markup(key): _break_forged_value(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_break_forged_value(one) for one in value]
    if not isinstance(value, str):
        return value
    told = break_forged_markup(value)
    if told != remove_unseen_characters(value):
        value = told
    if "\\" not in value:
        return value
    try:
        meant = json.loads(value)
        told = _break_forged_value(meant)
    except (ValueError, RecursionError):
        return value
    return value if told == meant else _dump_json(told)


def _list_section_pieces(
    name: SectionName, sections: ChosenBySection, shelves: Mapping[SectionName, SectionShelf]
) -> list[CountedPiece]:
    pieces, opening = sections[name], shelves[name].opening
    return [opening, *pieces] if pieces and opening else list(pieces)


def _join_pieces(pieces: Sequence[CountedPiece]) -> str:
    return "".join(piece.text for piece in pieces).strip("\n")


def _dump_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

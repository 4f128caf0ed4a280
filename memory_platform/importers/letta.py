"""Letta: agent files (``.af``), with core memory blocks, messages and, where they were added, archival passages.

Both forms are read: the older one with ``core_memory`` and the newer one with ``agents`` and ``blocks``. The format has
no passages (``letta/schemas/agent_file.py``); add them as ``passages``, as the API lists them: to the file or an agent,
or as a file of their own. An agent file names no user. The block ``persona`` is about the agent and becomes memory of
the subject ``agent:NAME``.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from memory_platform.compat.mem0.memory_scope import build_subject_id
from memory_platform.importers.field_reading import (
    NO_SUBJECT,
    check_subject_id,
    find_first,
    hash_content,
    make_product_id,
    read_object,
    read_text,
    read_time_said,
)
from memory_platform.importers.file_reading import Advance, read_whole_document
from memory_platform.importers.foreign_rows import (
    ForeignMemory,
    ForeignMessage,
    ForeignRow,
    ReadingOptions,
    RowFault,
    UnusableRow,
)

PERSONA = "persona"
SEND = "send_message"
NOT_SAID = UnusableRow(
    "not_said", "Nobody said this: it is an instruction, an event or a call of a tool inside the agent."
)


def read_letta(path: Path, options: ReadingOptions, advance: Advance) -> Iterator[ForeignRow]:
    """Yield the blocks, passages and messages of an agent file, agent by agent."""
    document = read_whole_document(path, options.encoding, advance)
    if isinstance(document, RowFault):
        yield document
    elif options.subject_id is None:
        yield RowFault("the file", NO_SUBJECT.reason, "An agent file names no user. Name the subject: --subject ID.")
    else:
        yield from _read_file(document.content, options, options.subject_id)


def _read_file(content: Any, options: ReadingOptions, subject_id: str) -> Iterator[ForeignRow]:
    if isinstance(content, list):
        content = {"passages": content}
    if not isinstance(content, dict) or not content.keys() & {"agents", "core_memory", "passages"}:
        yield RowFault(
            "the file", "no_rows", "The file is no agent file: it has neither agents nor core_memory nor passages."
        )
        return
    agents = [content] if "core_memory" in content else _read_list(content, "agents")
    reader = _AgentFileReader(options, subject_id, content)
    if "core_memory" not in content:
        yield from reader.read_passages("passages", _read_list(content, "passages"))
    for number, agent in enumerate(agents):
        place = "" if agent is content else f"agents.{number}."
        if isinstance(agent, dict):
            yield from reader.read_agent(place, agent)
        else:
            yield RowFault(f"{place}agent", "not_an_object", "The agent is not a JSON object.")


class _AgentFileReader:
    """Reads the agents of one file; blocks stand beside them and are named by id."""

    def __init__(self, options: ReadingOptions, subject_id: str, content: Mapping[str, Any]) -> None:
        self._options, self._subject_id = options, subject_id
        self._exported = {"created_at": content.get("created_at")}
        blocks = (block for block in _read_list(content, "blocks") if isinstance(block, dict))
        self._blocks = {find_first(block, "id"): block for block in blocks}

    def read_agent(self, place: str, agent: Mapping[str, Any]) -> Iterator[ForeignRow]:
        name = find_first(agent, "name") or "letta"
        named = [self._blocks.get(str(one), one) for one in _read_list(agent, "block_ids")]
        blocks = [*_read_list(agent, "core_memory"), *_read_list(agent, "memory_blocks"), *named]
        for number, block in enumerate(blocks):
            yield self._read_or_refuse(
                f"{place}blocks.{number}", block, lambda at, row: self._read_block(at, row, name)
            )
        yield from self.read_passages(f"{place}passages", _read_list(agent, "passages"))
        for number, message in enumerate(_read_list(agent, "messages")):
            yield self._read_or_refuse(
                f"{place}messages.{number}", message, lambda at, row: self._read_message(at, row, name)
            )

    def read_passages(self, place: str, passages: Sequence[Any]) -> Iterator[ForeignRow]:
        for number, passage in enumerate(passages):
            yield self._read_or_refuse(f"{place}.{number}", passage, self._read_passage)

    def _read_or_refuse(self, place: str, value: Any, read: Any) -> ForeignRow:
        try:
            row: ForeignRow = read(place, read_object(value))
        except UnusableRow as fault:
            return RowFault(place, fault.reason, fault.message)
        return row

    def _read_block(self, place: str, block: Mapping[str, Any], agent: str) -> ForeignMemory:
        label = find_first(block, "label") or "block"
        own = label != PERSONA
        kept = {f"letta_{key}": block[key] for key in ("label", "description") if block.get(key)}
        return ForeignMemory(
            place=place,
            subject_id=self._subject_id if own else check_subject_id(build_subject_id("agent", agent)),
            key=f"{agent}/{label}/{hash_content(block.get('value'))}",
            text=read_text(block, "value"),
            said_at=read_time_said(
                {**self._exported, **_drop_none_values(block)}, self._options, "updated_at", "created_at"
            ),
            category=label,
            metadata={**kept, "letta_agent": agent},
        )

    def _read_passage(self, place: str, passage: Mapping[str, Any]) -> ForeignMemory:
        own = passage.get("metadata")
        tags = passage.get("tags") or ()
        return ForeignMemory(
            place=place,
            subject_id=self._subject_id,
            key=find_first(passage, "id") or hash_content(passage),
            text=read_text(passage, "text"),
            said_at=read_time_said({**self._exported, **_drop_none_values(passage)}, self._options, "created_at"),
            category="archive",
            topics=[tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else (),
            metadata=own if isinstance(own, dict) else {},
        )

    def _read_message(self, place: str, message: Mapping[str, Any], agent: str) -> ForeignMessage:
        said_at = read_time_said(message, self._options, "created_at")
        words = _find_words(message)
        # Ids of agent files (`message-3`) count anew in each file.
        name = hash_content([find_first(message, "id"), message.get("created_at"), message.get("role"), words])
        return ForeignMessage(
            place=place,
            subject_id=self._subject_id,
            conversation_id=make_product_id(agent),
            fields={
                "message_id": name,
                "role": message["role"],
                "content": words,
                **({"said_at": said_at.isoformat()} if said_at else {}),
            },
        )


def _find_words(message: Mapping[str, Any]) -> str:
    """Return the words of the user or the agent in a message. Raises UnusableRow."""
    text = _join_text(message.get("content"))
    if message.get("role") == "user":
        return _unwrap_words(text)
    if message.get("role") != "assistant":
        raise NOT_SAID
    calls = message.get("tool_calls") or []
    return _find_sent_words(calls) if calls else read_text({"content": text}, "content")


def _join_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))


def _unwrap_words(text: str) -> str:
    """Return the words of a user's message, which older agents keep inside of JSON, among events of the machine."""
    try:
        packed = orjson.loads(text) if text.startswith("{") else None
    except orjson.JSONDecodeError:
        packed = None
    if not isinstance(packed, dict) or not isinstance(packed.get("type"), str):
        return read_text({"content": text}, "content")
    if packed["type"] != "user_message":
        raise NOT_SAID
    return read_text(packed, "message")


def _find_sent_words(calls: Any) -> str:
    said = []
    for call in calls if isinstance(calls, list) else []:
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict) and function.get("name") == SEND:
            try:
                arguments = orjson.loads(function.get("arguments") or b"")
            except (orjson.JSONDecodeError, TypeError):
                continue
            said.append(read_text(read_object(arguments), "message"))
    if not said:
        raise NOT_SAID
    return "\n".join(said)


def _read_list(row: Mapping[str, Any], name: str) -> list[Any]:
    value = row.get(name)
    return value if isinstance(value, list) else []


def _drop_none_values(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None}

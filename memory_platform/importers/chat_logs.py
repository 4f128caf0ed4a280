"""Chat logs: JSON lines of ``{"messages": [...]}`` in OpenAI's form, and ``conversations.json`` of a ChatGPT export.

A line without an id is named by its content, so that a second import finds it again. Of a ChatGPT conversation the path
to its current node is read, not the answers that were replaced.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memory_platform.importers.field_reading import (
    find_first,
    hash_content,
    make_product_id,
    read_object,
    read_subject,
    read_time_said,
)
from memory_platform.importers.file_reading import Advance, read_rows
from memory_platform.importers.foreign_rows import (
    FilePiece,
    ForeignMessage,
    ForeignRow,
    ReadingOptions,
    RowFault,
    UnusableRow,
)

LISTS = ("conversations", "data")
_SUBJECT = ("subject_id", "user_id", "user")
_CONVERSATION = ("conversation_id", "thread_id", "id")
_TIMES = ("said_at", "created_at", "create_time", "created", "timestamp")
_FIELDS = ("role", "content", "name", "tool_calls", "tool_call_id")
_SPOKEN = ("user", "assistant")
NOT_SAID = UnusableRow("not_said", "Nobody said this: it is an instruction, a thought or an output of a tool.")


def read_chat_logs(path: Path, options: ReadingOptions, advance: Advance) -> Iterator[ForeignRow]:
    """Yield the messages of all conversations, in their order."""
    for piece in read_rows(path, LISTS, options.encoding, advance):
        if isinstance(piece, RowFault):
            yield piece
            continue
        try:
            yield from _read_conversation(piece, options)
        except UnusableRow as fault:
            yield RowFault(piece.place, fault.reason, fault.message)


def _read_conversation(piece: FilePiece, options: ReadingOptions) -> Iterator[ForeignRow]:
    row = piece.content
    if not isinstance(row, dict):
        raise UnusableRow("not_an_object", "The row is not a JSON object.")
    subject_id = read_subject({**_read_metadata(row), **row}, options, *_SUBJECT)
    conversation_id = make_product_id(find_first(row, *_CONVERSATION) or f"chat-{hash_content(row)}")
    if isinstance(row.get("mapping"), dict):
        messages = _walk_path(row["mapping"], find_first(row, "current_node"))
        read = _read_node
    elif isinstance(row.get("messages"), list):
        messages, read = row["messages"], _read_turn
    else:
        raise UnusableRow("no_messages", 'The row has neither "messages" nor the "mapping" of ChatGPT.')
    default = read_time_said(row, options, *_TIMES)
    for number, message in enumerate(messages):
        place = f"{piece.place}.messages.{number}"
        try:
            fields = read(read_object(message), options)
        except UnusableRow as fault:
            yield RowFault(place, fault.reason, fault.message)
            continue
        said_at = {} if "said_at" in fields or default is None else {"said_at": default.isoformat()}
        named = fields.get("message_id") or f"{number:05d}"
        yield ForeignMessage(place, subject_id, conversation_id, {**fields, **said_at, "message_id": named})


def _read_turn(message: Mapping[str, Any], options: ReadingOptions) -> dict[str, Any]:
    """Return the fields of a message in OpenAI's form."""
    fields = {name: message[name] for name in _FIELDS if message.get(name) is not None}
    if fields.get("role") == "function":
        fields["role"] = "tool"
    said_at, named = read_time_said(message, options, *_TIMES), find_first(message, "message_id", "id")
    fields |= {"said_at": said_at.isoformat()} if said_at else {}
    return fields | ({"message_id": make_product_id(named)} if named else {})


def _walk_path(nodes: Mapping[str, Any], current: str) -> list[Any]:
    """Return the messages from the first to the current one; a tree without a current node is read in its own order."""
    path: list[Any] = []
    seen: set[str] = set()
    while current and current not in seen and isinstance(nodes.get(current), dict):
        seen.add(current)
        path.append(nodes[current])
        current = find_first(nodes[current], "parent")
    found = path[::-1] or [node for node in nodes.values() if isinstance(node, dict)]
    return [node["message"] for node in found if _has_words(node.get("message"))]


def _has_words(message: Any) -> bool:
    """Return whether a node holds anything: roots and hidden system nodes are empty."""
    if not isinstance(message, dict) or not isinstance(message.get("content"), dict):
        return message is not None
    hidden = _read_metadata(message).get("is_visually_hidden_from_conversation")
    return not hidden and any(message["content"].get("parts") or [message["content"].get("text")])


def _read_node(message: Mapping[str, Any], options: ReadingOptions) -> dict[str, Any]:
    """Return the fields of a message of ChatGPT. Raises UnusableRow."""
    author, content = message.get("author"), message.get("content")
    if not isinstance(author, dict) or not isinstance(content, dict):
        raise UnusableRow("not_an_object", "The message has no author or no content.")
    parts = content.get("parts")
    texts = [one for part in parts if (one := _read_part(part))] if isinstance(parts, list) else []
    addressed = find_first(message, "recipient") in ("", "all")
    if author.get("role") not in _SPOKEN or not addressed or not texts:
        raise NOT_SAID
    said_at = read_time_said(message, options, "create_time", "update_time")
    return {
        "role": author["role"],
        "content": "\n".join(texts),
        "message_id": make_product_id(find_first(message, "id") or hash_content(message)),
        **({"said_at": said_at.isoformat()} if said_at else {}),
    }


def _read_part(part: Any) -> str:
    """Return the words of a part: a text, or the transcript of speech; nothing of an image."""
    spoken = part.get("text") if isinstance(part, dict) else part
    return spoken if isinstance(spoken, str) else ""


def _read_metadata(row: Mapping[str, Any]) -> dict[str, Any]:
    found = row.get("metadata")
    return found if isinstance(found, dict) else {}

"""Reads JSON lines: one question with its answer a line, or one turn of a chat."""

from typing import Any

import orjson

from snapshots.knowledge.errors import UnreadableCode, UnreadableDocumentError
from snapshots.knowledge.reading.block_writer import BlockWriter
from snapshots.knowledge.values import BlockKind, ParsedDocument

_EXAMPLES = '{"question": "...", "answer": "..."}, or all of them such as {"role": "user", "content": "..."}'


def read_json_lines(text: str) -> ParsedDocument:
    """Return the document of lines such as ``{"question": "...", "answer": "..."}``, or of lines such as ``{"role":
    "user", "content": "...", "name": "Ada"}``, of which ``name`` is optional; turns without text are left out.
    ``section``, optional, becomes the heading, and other fields are ignored.

    Raises UnreadableDocumentError (``document_malformed_line``) naming the first line that is otherwise.
    """
    writer, section, is_chat = BlockWriter(), "", None
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        row = _parse_row(line, number)
        named = row.get("section") or ""
        if not isinstance(named, str):
            raise _make_error(number, "has a `section` that is no text")
        if named.strip() != section:
            section = named.strip()
            writer.close_headings(1)
            writer.add_heading(1, section)
        is_chat = "role" in row and "question" not in row if is_chat is None else is_chat
        if is_chat:
            writer.add_turn(*_read_turn(row, number))
        else:
            writer.add_block(BlockKind.QUESTION_AND_ANSWER, _read_question(row, number))
    return writer.make_document(None)


def _parse_row(line: str, number: int) -> dict[str, Any]:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise _make_error(number, "is not JSON") from error
    if not isinstance(row, dict):
        raise _make_error(number, "is not an object")
    return row


def _read_question(row: dict[str, Any], number: int) -> str:
    question, answer = row.get("question"), row.get("answer")
    if not (isinstance(question, str) and isinstance(answer, str)):
        raise _make_error(number, "does not have `question` and `answer` as texts")
    if not (question.strip() and answer.strip()):
        raise _make_error(number, "has an empty question or answer")
    return f"{' '.join(question.split())}\n{answer.strip()}"


def _read_turn(row: dict[str, Any], number: int) -> tuple[str, str]:
    """Return who speaks, and the turn with that name before it; no text where it has none, as a call of a tool."""
    role, content = row.get("role"), row.get("content")
    speaker = row.get("name") or role
    if isinstance(content, list):
        content = "\n".join(
            one["text"] for one in content if isinstance(one, dict) and isinstance(one.get("text"), str)
        )
    if not (isinstance(role, str) and isinstance(speaker, str) and isinstance(content, str | None)):
        raise _make_error(number, "does not have `role` and `content` as texts")
    if not speaker.strip():
        raise _make_error(number, "has an empty `role`")
    speaker = " ".join(speaker.split())
    return speaker, f"{speaker}: {content.strip()}" if content and content.strip() else ""


def _make_error(number: int, fault: str) -> UnreadableDocumentError:
    return UnreadableDocumentError(
        UnreadableCode.MALFORMED_LINE,
        f"Line {number} {fault}. Each line must be one object such as {_EXAMPLES}; correct it and upload the whole "
        "file again.",
    )

"""Reads JSON lines: one question with its answer a line."""

import orjson

from snapshots.knowledge.errors import UnreadableCode, UnreadableDocumentError
from snapshots.knowledge.reading.block_writer import BlockWriter
from snapshots.knowledge.values import BlockKind, ParsedDocument


def read_question_lines(text: str) -> ParsedDocument:
    """Return the document of lines such as ``{"question": "...", "answer": "...", "section": "Returns"}``; ``section``,
    optional, becomes the heading, and other fields are ignored.

    Raises UnreadableDocumentError (``document_malformed_line``) naming the first line that is otherwise.
    """
    writer, section = BlockWriter(), ""
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        question, answer, named = _parse_line(line, number)
        if named != section:
            writer.close_headings(1)
            writer.add_heading(1, named)
            section = named
        writer.add_block(BlockKind.QUESTION_AND_ANSWER, f"{question.strip()}\n{answer.strip()}")
    return writer.make_document(None)


def _parse_line(line: str, number: int) -> tuple[str, str, str]:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise _make_error(number, "is not JSON") from error
    if not isinstance(row, dict):
        raise _make_error(number, "is not an object")
    question, answer, section = row.get("question"), row.get("answer"), row.get("section") or ""
    if not (isinstance(question, str) and isinstance(answer, str) and isinstance(section, str)):
        raise _make_error(number, "does not have `question` and `answer` as texts")
    if not (question.strip() and answer.strip()):
        raise _make_error(number, "has an empty question or answer")
    return " ".join(question.split()), answer, section.strip()


def _make_error(number: int, fault: str) -> UnreadableDocumentError:
    return UnreadableDocumentError(
        UnreadableCode.MALFORMED_LINE,
        f'Line {number} {fault}. Each line must be one object such as {{"question": "...", "answer": "..."}}; correct '
        "it and upload the whole file again.",
    )

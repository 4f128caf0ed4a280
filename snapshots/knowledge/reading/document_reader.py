"""Content of a document -> its blocks."""

import re

from snapshots.knowledge.config import DEFAULT_LIMITS
from snapshots.knowledge.errors import UnreadableCode, UnreadableDocumentError
from snapshots.knowledge.reading.bounded_process import parse_in_process
from snapshots.knowledge.reading.document_formats import DocumentFormat, choose_format, parse_content_type
from snapshots.knowledge.reading.parsers import parse_document
from snapshots.knowledge.values import ParsedDocument

# Their readers are linear in any text, in Python, and of our own.
_SIMPLE = {DocumentFormat.TEXT, DocumentFormat.JSON_LINES}
_BOUNDED_WHEN_LARGE = {DocumentFormat.MARKDOWN, DocumentFormat.HTML, DocumentFormat.CODE}
_TAG = re.compile(rb"<(/?)[a-zA-Z]")


def read_document(content: bytes, content_type: str) -> ParsedDocument:
    """Return the document in ``content``. ``content_type`` may have the parameters ``charset`` and, for source code,
    ``extension``; ``application/octet-stream`` lets the content tell its type.

    Takes at most ``DEFAULT_LIMITS.processor_seconds`` and so much memory, whatever the content is. Call it outside a
    transaction. Raises UnreadableDocumentError with a stable code and what to do.
    """
    declared = parse_content_type(content_type)
    _refuse_by_size(content)
    document_format = choose_format(content, declared)
    if _needs_process(content, document_format):
        return parse_in_process(content, document_format, declared)
    return parse_document(content, document_format, declared)


def _refuse_by_size(content: bytes) -> None:
    if not content.strip():
        raise UnreadableDocumentError(UnreadableCode.EMPTY, "The document is empty. Check which file was uploaded.")
    if len(content) > DEFAULT_LIMITS.most_bytes:
        raise UnreadableDocumentError(
            UnreadableCode.TOO_LARGE,
            f"The document has {len(content):,} bytes, more than {DEFAULT_LIMITS.most_bytes:,}. Split it and upload "
            "the parts as documents of their own.",
        )


def _needs_process(content: bytes, document_format: DocumentFormat) -> bool:
    if document_format in _SIMPLE:
        return False
    if document_format not in _BOUNDED_WHEN_LARGE or len(content) > DEFAULT_LIMITS.own_process_bytes:
        return True
    return document_format is not DocumentFormat.CODE and _is_deep(content)


def _is_deep(content: bytes) -> bool:
    """Return whether more elements are opened than closed, by far: real pages leave some open (``p``, ``li``)."""
    depth = deepest = 0
    for tag in _TAG.finditer(content):
        depth += -1 if tag[1] else 1
        deepest = max(deepest, depth)
    return deepest > DEFAULT_LIMITS.own_process_depth

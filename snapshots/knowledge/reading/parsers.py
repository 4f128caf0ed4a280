"""The reader of each format."""

from snapshots.knowledge.errors import UnreadableCode, UnreadableDocumentError
from snapshots.knowledge.reading.decoding import decode_text
from snapshots.knowledge.reading.document_formats import DeclaredType, DocumentFormat
from snapshots.knowledge.reading.docx import read_docx
from snapshots.knowledge.reading.html import read_html
from snapshots.knowledge.reading.markdown import read_markdown
from snapshots.knowledge.reading.pdf import read_pdf
from snapshots.knowledge.reading.plain.json_lines import read_json_lines
from snapshots.knowledge.reading.plain.plain_text import read_plain_text
from snapshots.knowledge.reading.source_code import read_code
from snapshots.knowledge.values import ParsedDocument

_TEXT_READERS = {
    DocumentFormat.TEXT: read_plain_text,
    DocumentFormat.MARKDOWN: read_markdown,
    DocumentFormat.HTML: read_html,
    DocumentFormat.JSON_LINES: read_json_lines,
}


def parse_document(content: bytes, document_format: DocumentFormat, declared: DeclaredType) -> ParsedDocument:
    """Return the document, read in this process. Raises UnreadableDocumentError, ``document_without_text`` for one
    without a letter."""
    document = _parse(content, document_format, declared)
    if not any(map(str.isalnum, document.text)):
        raise UnreadableDocumentError(
            UnreadableCode.NO_TEXT, "The document holds no text that can be read. Check which file was uploaded."
        )
    return document


def _parse(content: bytes, document_format: DocumentFormat, declared: DeclaredType) -> ParsedDocument:
    if document_format is DocumentFormat.PDF:
        return read_pdf(content)
    if document_format is DocumentFormat.DOCX:
        return read_docx(content)
    text = decode_text(content, declared.charset, is_html=document_format is DocumentFormat.HTML)
    if document_format is DocumentFormat.CODE:
        return read_code(text, declared.extension)
    return _TEXT_READERS[document_format](text)

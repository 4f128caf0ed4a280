"""The types of content that are accepted, and the real type that a content's first bytes show."""

import re
from dataclasses import dataclass
from email.message import Message
from enum import StrEnum

from snapshots.knowledge.errors import UnreadableCode, UnreadableDocumentError
from snapshots.knowledge.reading.code_languages import ENDING_OF_TYPE


class DocumentFormat(StrEnum):
    """A format with a reader of its own; the value is its name for people."""

    TEXT = "plain text"
    MARKDOWN = "Markdown"
    HTML = "HTML"
    PDF = "PDF"
    DOCX = "DOCX"
    CODE = "source code"
    JSON_LINES = "JSON lines of questions or turns"


@dataclass(frozen=True, slots=True)
class DeclaredType:
    """The type of a content, as a client declares it. ``format`` is None when it says nothing
    (``application/octet-stream``). ``extension`` names the programming language ("py"), ``charset`` the encoding."""

    format: DocumentFormat | None
    charset: str | None = None
    extension: str | None = None


DOCX_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_FORMATS = {
    "text/plain": DocumentFormat.TEXT,
    "text/markdown": DocumentFormat.MARKDOWN,
    "text/x-markdown": DocumentFormat.MARKDOWN,
    "text/html": DocumentFormat.HTML,
    "application/xhtml+xml": DocumentFormat.HTML,
    "application/pdf": DocumentFormat.PDF,
    DOCX_TYPE: DocumentFormat.DOCX,
    "application/x-ndjson": DocumentFormat.JSON_LINES,
    "application/jsonl": DocumentFormat.JSON_LINES,
    "application/x-jsonlines": DocumentFormat.JSON_LINES,
    "application/octet-stream": None,
    "": None,
}
_LISTED = (
    "text/plain, text/markdown, text/html, application/pdf, the type of DOCX, application/x-ndjson for questions and "
    "answers or turns of a chat, or text/x-python (text/x-code; extension=go) for source code"
)
_EXTENSION = re.compile(r"\.?([a-z0-9+#_-]{1,16})", re.IGNORECASE)
_HTML_START = re.compile(rb"\s*(?:<!--.{0,2000}?-->\s*)?<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE | re.DOTALL)
_BINARY_STARTS = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"\x1f\x8b": "a gzip archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!": "a RAR archive",
    b"\x7fELF": "a program",
    b"MZ\x90": "a program",
    b"{\\rtf": "an RTF document",
    b"PK\x03\x04": "a ZIP archive",
    b"PK\x05\x06": "an empty ZIP archive",
    b"\xd0\xcf\x11\xe0": "an old or encrypted document of Microsoft Office",
}
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"


def parse_content_type(content_type: str) -> DeclaredType:
    """Return the type that ``content_type`` declares, with its parameters ``charset`` and ``extension``.

    Raises UnreadableDocumentError (``document_type_unknown``) for a type without a reader.
    """
    header = Message()
    header["Content-Type"] = re.sub(r"[\x00-\x1f\x7f]", "", content_type)[:500]
    name = content_type.partition(";")[0].strip().lower()
    charset = _get_parameter(header, "charset")
    if name in _FORMATS:
        return DeclaredType(_FORMATS[name], charset)
    if name in ENDING_OF_TYPE or name.startswith("text/x-"):  # also of languages without a grammar
        extension = _EXTENSION.fullmatch(_get_parameter(header, "extension") or ENDING_OF_TYPE.get(name, name[7:]))
        return DeclaredType(DocumentFormat.CODE, charset, extension[1].lower() if extension else None)
    raise UnreadableDocumentError(
        UnreadableCode.UNKNOWN_TYPE, f"Documents of this content type cannot be read. Send {_LISTED}."
    )


def choose_format(content: bytes, declared: DeclaredType) -> DocumentFormat:
    """Return the format to read ``content`` in: the declared one, if its first bytes do not say otherwise.

    Raises UnreadableDocumentError: ``document_encrypted``, ``document_binary`` or ``document_type_mismatch``.
    """
    found = _sniff_format(content)
    if declared.format is None:
        return found or DocumentFormat.TEXT
    if declared.format in {found, DocumentFormat.CODE} and found not in {DocumentFormat.PDF, DocumentFormat.DOCX}:
        return declared.format
    if found == declared.format or (found is None and declared.format not in {DocumentFormat.PDF, DocumentFormat.DOCX}):
        return declared.format
    raise UnreadableDocumentError(
        UnreadableCode.TYPE_MISMATCH,
        f"The content type says {declared.format}, and the content is {found or 'something else'}. Upload it again "
        f"with the content type of {found or 'what it is'}.",
    )


def _sniff_format(content: bytes) -> DocumentFormat | None:
    """Return the format that the first bytes prove, or None: text of any kind."""
    head = content[:4096]
    if b"%PDF-" in head[:1024]:
        return DocumentFormat.PDF
    if head.startswith(_ZIP) and b"word/" in content:
        return DocumentFormat.DOCX
    if head.startswith(_OLD_OFFICE):
        raise UnreadableDocumentError(
            UnreadableCode.ENCRYPTED,
            "The document is protected by a password, or in the format of Word before 2007. Save it without a password "
            "as .docx and upload it again.",
        )
    for start, name in _BINARY_STARTS.items():
        if head.startswith(start):
            raise UnreadableDocumentError(
                UnreadableCode.BINARY, f"The content is {name}, not a document with text. Upload {_LISTED}."
            )
    return DocumentFormat.HTML if _HTML_START.match(head) else None


def _get_parameter(header: Message, name: str) -> str | None:
    value = header.get_param(name)
    return value if isinstance(value, str) and value else None

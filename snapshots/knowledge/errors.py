"""Errors of knowledge."""

from enum import StrEnum

from memory_platform.kernel.errors import Refused


class UnreadableCode(StrEnum):
    """Why a document cannot be read; public and never renamed."""

    EMPTY = "document_empty"
    TOO_LARGE = "document_too_large"
    UNKNOWN_TYPE = "document_type_unknown"
    TYPE_MISMATCH = "document_type_mismatch"
    BINARY = "document_binary"
    ENCODING = "document_encoding"
    ENCRYPTED = "document_encrypted"
    DAMAGED = "document_damaged"
    NO_TEXT = "document_without_text"
    TOO_COMPLEX = "document_too_complex"
    MALFORMED_LINE = "document_malformed_line"


class UnreadableDocumentError(Refused):
    """The content cannot be read as a document. ``code`` is an :class:`UnreadableCode`; ``detail`` says what happened
    and what to do, and holds nothing of the content."""

    def __init__(self, code: UnreadableCode, detail: str) -> None:
        super().__init__(detail)
        self.code = str(code)

    def __reduce__(self) -> tuple[type["UnreadableDocumentError"], tuple[UnreadableCode, str]]:
        """Let the error pass from one process to another: the default would forget the code."""
        return type(self), (UnreadableCode(self.code), self.detail)

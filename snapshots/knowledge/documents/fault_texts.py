"""Texts about a document that could not be processed: the error, and how to mend it."""

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from snapshots.knowledge.errors import UnreadableCode

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

FAULT_TEXTS: "dict[str, StrPromise]" = {
    UnreadableCode.EMPTY: _("The document has no content. Upload the file again."),
    UnreadableCode.TOO_LARGE: _("The document is too large. Split it into parts."),
    UnreadableCode.UNKNOWN_TYPE: _("This content type cannot be read. Convert the document, for example to Markdown."),
    UnreadableCode.TYPE_MISMATCH: _("The content is not of its content type. Upload it with the right type."),
    UnreadableCode.BINARY: _("The content is not text. Upload it with its own content type."),
    UnreadableCode.ENCODING: _("The text is not in UTF-8. Save it as UTF-8 and upload it again."),
    UnreadableCode.ENCRYPTED: _("The document is protected by a password. Remove the password and upload it again."),
    UnreadableCode.DAMAGED: _("The file is damaged or incomplete. Upload it again from its source."),
    UnreadableCode.NO_TEXT: _("No text was found, as in a scan. Recognise its text first, then upload it again."),
    UnreadableCode.TOO_COMPLEX: _("The document takes too much time or memory to read. Split it, or simplify it."),
    UnreadableCode.MALFORMED_LINE: _("A line is not one JSON object with a question and an answer. Correct it."),
    "quota_exceeded": _("A limit of the tenant is reached. Delete documents, or ask for a higher limit."),
    "EmbeddingUnavailable": _("The embedding model did not answer. Try again when it does."),
    "time_limit": _("Processing took too long. Try again, or split the document."),
    "lease_expired": _("The workers ended while they processed the document. Try again, or split the document."),
}
OTHER_FAULT = _("Processing failed. Try again; if that fails too, report the error code.")


def describe_fault(code: str) -> "StrPromise":
    """Return the text for an error code of a document or its job: the error, and how to mend it."""
    return FAULT_TEXTS.get(code, OTHER_FAULT)

"""The lines of a PDF's pages, with their place and size of type, as PDFium finds them."""

import ctypes
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pypdfium2
import pypdfium2.raw as pdfium

from snapshots.knowledge.config import DEFAULT_LIMITS
from snapshots.knowledge.errors import UnreadableCode, UnreadableDocumentError

# PDFium's mark of a hyphen at the end of a line, which is no part of the word.
_HYPHEN = re.compile("[\x02\ufffe]")
_DAMAGED = "The PDF is damaged or cut off. Open it in a viewer, save it anew and upload it again."
# The last bytes in which readers look for the end mark. Source: ISO 32000-1, annex H, note 18.
_END_MARK_BYTES = 1024


@dataclass(frozen=True, slots=True)
class PdfLine:
    """One line of a page. ``size`` is that of its first letter's type, ``base`` and ``left`` are that letter's distance
    from the bottom and the left of the page; all in points. ``is_hyphenated``: its last word goes on."""

    text: str
    size: float
    base: float
    left: float
    is_hyphenated: bool


def read_pages(content: bytes) -> Iterator[list[PdfLine]]:
    """Yield the lines of each page.

    Raises UnreadableDocumentError: ``document_encrypted``, ``document_damaged``, ``document_too_large``.
    """
    if b"%%EOF" not in content[-_END_MARK_BYTES:].replace(b"\x00", b""):
        raise UnreadableDocumentError(UnreadableCode.DAMAGED, _DAMAGED)
    document = _open_document(content)
    try:
        if len(document) > DEFAULT_LIMITS.most_pages:
            raise UnreadableDocumentError(
                UnreadableCode.TOO_LARGE,
                f"The PDF has {len(document):,} pages, more than {DEFAULT_LIMITS.most_pages:,}. Split it and upload "
                "the parts as documents of their own.",
            )
        for number in range(len(document)):
            yield _read_page(document, number)
    finally:
        document.close()


def _open_document(content: bytes) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
            raise UnreadableDocumentError(
                UnreadableCode.ENCRYPTED,
                "The PDF is encrypted. Remove its password (print it into a new PDF) and upload it again.",
            ) from error
        raise UnreadableDocumentError(UnreadableCode.DAMAGED, _DAMAGED) from error


def _read_page(document: pypdfium2.PdfDocument, number: int) -> list[PdfLine]:
    try:
        page = document[number]
        text_page = page.get_textpage()
    except pypdfium2.PdfiumError as error:
        raise UnreadableDocumentError(
            UnreadableCode.DAMAGED, f"Page {number + 1} cannot be read. {_DAMAGED}"
        ) from error
    try:
        return list(_list_lines(text_page))
    finally:
        text_page.close()
        page.close()


def _list_lines(text_page: pypdfium2.PdfTextPage) -> Iterator[PdfLine]:
    text = text_page.get_text_range()
    units = text if text.isascii() else None
    place = 0
    for line in re.split(r"(?<=\n)|(?<=\r)(?!\n)", text):
        shown = line.strip()
        if shown:
            lead = len(line) - len(line.lstrip())
            before = line[:lead]
            index = place + (lead if units else len(before.encode("utf-16-le")) // 2)
            size, base, left = _measure_letter(text_page, index)
            yield PdfLine(_HYPHEN.sub("", shown), size, base, left, _HYPHEN.search(shown[-1]) is not None)
        place += len(line) if units else len(line.encode("utf-16-le")) // 2


def _measure_letter(text_page: pypdfium2.PdfTextPage, index: int) -> tuple[float, float, float]:
    left, base = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(text_page, index, left, base)
    matrix = pdfium.FS_MATRIX()
    size = pdfium.FPDFText_GetFontSize(text_page, index)
    if pdfium.FPDFText_GetMatrix(text_page, index, matrix):
        size *= max(abs(matrix.d), abs(matrix.b)) or 1.0
    return size, base.value, left.value

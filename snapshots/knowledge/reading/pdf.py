"""Reads PDF: lines become paragraphs by their distance, and headings by the size of their type."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from memory_platform.kernel.text import HAN, HANGUL, KANA
from snapshots.knowledge.config import DEFAULT_PDF_LAYOUT
from snapshots.knowledge.errors import UnreadableCode, UnreadableDocumentError
from snapshots.knowledge.reading.block_writer import BlockWriter
from snapshots.knowledge.reading.pdf_lines import PdfLine, read_pages
from snapshots.knowledge.reading.plain.plain_text import LIST_ITEM, is_list
from snapshots.knowledge.values import BlockKind, ParsedDocument

_UNSPACED = re.compile(f"[{HAN}{KANA}{HANGUL}\u3000-\u303f\uff00-\uffef]")
_DIGITS = re.compile(r"\d+")
_SENTENCE_END = re.compile(r"[.!?:;。！？：；…][\"'”’)）]*$")


def read_pdf(content: bytes) -> ParsedDocument:
    """Return the document. Raises UnreadableDocumentError, also ``document_without_text`` for scanned pages."""
    pages = list(read_pages(content))
    if not any(pages):
        raise UnreadableDocumentError(
            UnreadableCode.NO_TEXT,
            f"The {len(pages)} pages of the PDF hold pictures and no text, as scanned pages do. Recognise the text "
            "first (OCR) and upload the result.",
        )
    pages = _drop_running_titles(pages)
    body = _find_body_size(pages)
    levels = _rank_heading_sizes(pages, body)
    writer = BlockWriter()
    for number, lines in enumerate(pages, start=1):
        for part in _split_page(lines, levels):
            _write_part(part, levels, number, writer)
    return writer.make_document(None)


def _drop_running_titles(pages: Sequence[Sequence[PdfLine]]) -> list[list[PdfLine]]:
    """Return the pages without the first and last lines that stand at the same height of many pages, whatever number
    they hold; in the type of a heading, only those with the same number: "Chapter 1" is not "Chapter 2"."""
    numbered, same = _find_repeated(pages, _mask_numbers), _find_repeated(pages, _get_form)
    others = [[line for line in page if _mask_numbers(line) not in numbered] for page in pages]
    heading_size = _find_body_size(others) * DEFAULT_PDF_LAYOUT.heading_ratio or math.inf
    return [
        [
            line
            for line in page
            if _mask_numbers(line) not in numbered
            or (line.size >= heading_size and _is_short(line) and _get_form(line) not in same)
        ]
        for page in pages
    ]


def _find_repeated(
    pages: Sequence[Sequence[PdfLine]], make_form: Callable[[PdfLine], tuple[str, int]]
) -> set[tuple[str, int]]:
    if len(pages) < DEFAULT_PDF_LAYOUT.running_pages:
        return set()
    seen = Counter(form for page in pages for form in {make_form(line) for line in [*page[:2], *page[-2:]]})
    return {form for form, count in seen.items() if count >= DEFAULT_PDF_LAYOUT.running_share * len(pages)}


def _get_form(line: PdfLine) -> tuple[str, int]:
    return line.text, round(line.base / 5)


def _mask_numbers(line: PdfLine) -> tuple[str, int]:
    return _DIGITS.sub("#", line.text), round(line.base / 5)


def _find_body_size(pages: Sequence[Sequence[PdfLine]]) -> float:
    """Return the size of type in which most characters stand."""
    sizes = Counter[float]()
    for page in pages:
        for line in page:
            sizes[round(line.size, 1)] += len(line.text)
    return max(sizes, key=lambda size: (sizes[size], -size), default=0.0)


def _rank_heading_sizes(pages: Sequence[Sequence[PdfLine]], body: float) -> dict[float, int]:
    """Return the level of each size of type that headings have: the largest is level 1, all below the fifth level 6."""
    sizes = {
        round(line.size, 1)
        for page in pages
        for line in page
        if line.size >= body * DEFAULT_PDF_LAYOUT.heading_ratio and _is_short(line)
    }
    return {size: min(level, 6) for level, size in enumerate(sorted(sizes, reverse=True), start=1)}


def _is_short(line: PdfLine) -> bool:
    return len(line.text) <= DEFAULT_PDF_LAYOUT.heading_characters and any(map(str.isalpha, line.text))


def _split_page(lines: Sequence[PdfLine], levels: dict[float, int]) -> Iterator[list[PdfLine]]:
    """Yield the lines of each paragraph and of each heading."""
    widest = max((len(line.text) for line in lines), default=0)
    gap = _find_usual_gap(lines)
    part: list[PdfLine] = []
    for line in lines:
        if part and _starts_part(part[-1], line, levels, (widest, gap)):
            yield part
            part = []
        part.append(line)
    if part:
        yield part


def _find_usual_gap(lines: Sequence[PdfLine]) -> float:
    """Return the distance at which most lines of a page follow each other, in points."""
    gaps = Counter(round(last.base - line.base) for last, line in pairwise(lines) if last.base - line.base > 1)
    return float(max(gaps, key=lambda gap: (gaps[gap], -gap), default=0))


def _starts_part(last: PdfLine, line: PdfLine, levels: dict[float, int], usual: tuple[int, float]) -> bool:
    widest, gap = usual
    if (_get_level(last, levels), _get_level(line, levels)) != (None, None):
        return _get_level(last, levels) != _get_level(line, levels)
    distance = last.base - line.base
    if distance < 0 or distance > DEFAULT_PDF_LAYOUT.paragraph_gap * gap:
        return True
    is_end = (
        len(last.text) < DEFAULT_PDF_LAYOUT.short_line * widest and _SENTENCE_END.search(last.text[-5:]) is not None
    )
    return is_end and not LIST_ITEM.match(line.text)


def _get_level(line: PdfLine, levels: dict[float, int]) -> int | None:
    return levels.get(round(line.size, 1)) if _is_short(line) else None


def _write_part(part: Sequence[PdfLine], levels: dict[float, int], page: int, writer: BlockWriter) -> None:
    level = _get_level(part[0], levels)
    if level is not None:
        writer.add_heading(level, _join_lines(part), page=page)
        return
    lines = "\n".join(line.text for line in part)
    if is_list(lines):
        writer.add_block(BlockKind.LIST, lines, page=page)
    else:
        writer.add_block(BlockKind.PARAGRAPH, _join_lines(part), page=page)


def _join_lines(lines: Sequence[PdfLine]) -> str:
    """Return the lines as one: without a blank between Chinese characters, and with hyphenated words whole."""
    parts: list[str] = []
    for line in lines:
        text = line.text
        if parts and not (parts[-1] == "" or (_UNSPACED.match(parts[-1][-1]) and _UNSPACED.match(text[0]))):
            parts.append(" ")
        parts.append(text.rstrip("-\u00ad") if line.is_hyphenated else text)
        if line.is_hyphenated:
            parts.append("")
    return "".join(parts)

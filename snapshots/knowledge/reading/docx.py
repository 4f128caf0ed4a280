"""Reads DOCX: the text part and the styles of the package; pictures and all else are never unpacked."""

import io
import re
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import PurePosixPath

from lxml import etree

from snapshots.knowledge.config import DEFAULT_LIMITS
from snapshots.knowledge.errors import UnreadableCode, UnreadableDocumentError
from snapshots.knowledge.reading.block_writer import BlockWriter
from snapshots.knowledge.reading.html.html_reader import render_rows
from snapshots.knowledge.values import BlockKind, ParsedDocument

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MAIN_PART = "/officeDocument"
_HEADING = re.compile(r"(?:heading|标题)\s*([1-9])", re.IGNORECASE)
_TITLE_STYLES = {"title", "标题"}
# Parts of a paragraph whose text nobody sees in the finished document.
_UNSEEN = {f"{_W}del", f"{_W}moveFrom", f"{_W}instrText", f"{_W}pPr", f"{_W}txbxContent"}
_WRAPPERS = {f"{_W}sdt", f"{_W}sdtContent", f"{_W}customXml", f"{_W}ins", f"{_W}moveTo", f"{_W}smartTag"}
_DAMAGED = "The DOCX is damaged or cut off. Open it in a word processor, save it anew and upload it again."


def read_docx(content: bytes) -> ParsedDocument:
    """Return the document. Raises UnreadableDocumentError: ``document_damaged``, ``document_too_large``."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            body, levels = _read_package(package)
    except (zipfile.BadZipFile, etree.XMLSyntaxError, KeyError, EOFError, NotImplementedError, RuntimeError) as error:
        raise UnreadableDocumentError(UnreadableCode.DAMAGED, _DAMAGED) from error
    if body is None:
        raise UnreadableDocumentError(UnreadableCode.DAMAGED, _DAMAGED)
    writer = BlockWriter()
    title = _write_body(body, levels, writer)
    return writer.make_document(title)


def _read_package(package: zipfile.ZipFile) -> tuple[etree._Element | None, dict[str, int]]:
    if len(package.infolist()) > DEFAULT_LIMITS.most_part_count:
        raise UnreadableDocumentError(UnreadableCode.TOO_COMPLEX, "The DOCX has too many parts. " + _DAMAGED)
    relations = etree.fromstring(_read_part(package, "_rels/.rels"), _parser())
    targets = [one.get("Target", "") for one in relations if one.get("Type", "").endswith(_MAIN_PART)]
    name = targets[0].lstrip("/") if targets else "word/document.xml"
    main = etree.fromstring(_read_part(package, name), _parser())
    styles = str(PurePosixPath(name).with_name("styles.xml"))
    levels = _read_heading_levels(_read_part(package, styles)) if styles in package.namelist() else {}
    return main.find(f"{_W}body"), levels


def _read_part(package: zipfile.ZipFile, name: str) -> bytes:
    """Return a part; the size that it declares is not believed."""
    most = DEFAULT_LIMITS.most_part_bytes
    with package.open(name) as part:
        unpacked = part.read(most + 1)
    if len(unpacked) > most:
        raise UnreadableDocumentError(
            UnreadableCode.TOO_LARGE,
            f"The text of the DOCX is larger than {most // 1024**2} MB when it is unpacked. Split it and upload the "
            "parts as documents of their own.",
        )
    return unpacked


@cache
def _parser() -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)


def _read_heading_levels(part: bytes) -> dict[str, int]:
    """Return the level by style id; 0 is the title's."""
    levels = {}
    for style in etree.fromstring(part, _parser()).iter(f"{_W}style"):
        named = style.find(f"{_W}name")
        name = (named.get(f"{_W}val") or "").strip() if named is not None else ""
        numbered = _HEADING.fullmatch(name)
        outline = style.find(f"{_W}pPr/{_W}outlineLvl")
        if numbered:
            levels[style.get(f"{_W}styleId", "")] = int(numbered[1])
        elif name.lower() in _TITLE_STYLES:
            levels[style.get(f"{_W}styleId", "")] = 0
        elif outline is not None and (outline.get(f"{_W}val") or "9") in "012345678":
            levels[style.get(f"{_W}styleId", "")] = int(outline.get(f"{_W}val") or "0") + 1
    return levels


def _write_body(body: etree._Element, levels: dict[str, int], writer: BlockWriter) -> str | None:
    """Write the blocks and return the text in the style of a title. Items that follow each other make one list."""
    title, items = None, list[str]()
    for element in _list_blocks(body):
        is_table = element.tag == f"{_W}tbl"
        text = _render_table(element) if is_table else _collect_text(element)
        level = None if is_table else _find_level(element, levels)
        if not is_table and level is None and element.find(f"{_W}pPr/{_W}numPr") is not None:
            items.append(f"- {text.strip()}")
            continue
        writer.add_block(BlockKind.LIST, "\n".join(items))
        items.clear()
        if level == 0:
            title = title or text
        elif level:
            writer.add_heading(level, text)
        else:
            writer.add_block(BlockKind.TABLE if is_table else BlockKind.PARAGRAPH, text)
    writer.add_block(BlockKind.LIST, "\n".join(items))
    return title


def _list_blocks(body: etree._Element) -> Iterator[etree._Element]:
    """Yield paragraphs and tables in order, also those in content controls and insertions."""
    waiting = list(body)[::-1]
    while waiting:
        element = waiting.pop()
        if element.tag in (f"{_W}p", f"{_W}tbl"):
            yield element
        elif element.tag in _WRAPPERS:
            waiting.extend(list(element)[::-1])


def _find_level(paragraph: etree._Element, levels: dict[str, int]) -> int | None:
    outline = paragraph.find(f"{_W}pPr/{_W}outlineLvl")
    if outline is not None and (value := outline.get(f"{_W}val", "9")) in tuple("012345678"):
        return int(value) + 1
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    return levels.get(style.get(f"{_W}val", "")) if style is not None else None


def _collect_text(paragraph: etree._Element) -> str:
    parts, waiting = list[str](), [paragraph]
    while waiting:
        element = waiting.pop()
        if element.tag == f"{_W}t":
            parts.append(element.text or "")
        elif element.tag in (f"{_W}br", f"{_W}cr"):
            parts.append("\n")
        elif element.tag == f"{_W}tab":
            parts.append("\t")
        elif element.tag not in _UNSEEN and not _is_hidden_run(element):
            waiting.extend(list(element)[::-1])
    return "".join(parts)


def _is_hidden_run(element: etree._Element) -> bool:
    if element.tag != f"{_W}r":
        return False
    mark = element.find(f"{_W}rPr/{_W}vanish")
    return mark is not None and mark.get(f"{_W}val", "1") not in ("0", "false")


def _render_table(table: etree._Element) -> str:
    rows = []
    for row in table.findall(f"{_W}tr"):
        cells = [" ".join(_collect_text(p) for p in cell.iter(f"{_W}p")) for cell in row.findall(f"{_W}tc")]
        rows.append([" ".join(cell.split()).replace("|", "\\|") for cell in cells])
    return render_rows(rows)

"""Walks the tree of a page and writes its blocks. The walk keeps its own stack: a page may nest as deep as it likes."""

from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from snapshots.knowledge.reading.block_writer import BlockWriter
from snapshots.knowledge.reading.html.visibility import is_read
from snapshots.knowledge.values import BlockKind, ParsedDocument

_TEXT: Final = "-text"
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = {"ul", "ol", "menu"}
_BREAKS_LINE = frozenset(
    {
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "center",
        "caption",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "hr",
        "html",
        "legend",
        "li",
        "main",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
        "menu",
    }
)
# A list or a cell that holds one of these is a frame for the page, not a list or a table of values.
_FRAMED = "h1,h2,h3,h4,h5,h6,table,pre,article,section"
_DEFINITION_LEVEL = 7
_CELL_END = " | "


def read_html(text: str) -> ParsedDocument:
    """Return the document of a page: of its ``main`` or only ``article``, if it has one. Its title is the only ``h1``,
    or the text of ``title``."""
    tree = LexborHTMLParser(text)
    writer = BlockWriter()
    root = tree.css_first("main, [role=main]") or _find_only(tree, "article")
    if root is not None and not root.text(strip=True):
        root = None
    _TreeWalk(writer, in_content=root is not None).walk(root or tree.root)
    heading, title = _find_only(tree, "h1"), tree.css_first("title")
    if heading is not None:
        return writer.make_document(_Inline(in_content=True).collect(heading))
    return writer.make_document(title.text() if title else None)


def read_html_into(fragment: str, writer: BlockWriter, *, keeps_line_ends: bool = False) -> None:
    """Write the blocks of a fragment. ``keeps_line_ends``: its lines are those of Markdown."""
    tree = LexborHTMLParser(fragment)
    if keeps_line_ends:
        writer.add_block(BlockKind.PARAGRAPH, _Inline(in_content=True, keeps_blanks=True).collect(tree.root))
    else:
        _TreeWalk(writer, in_content=True).walk(tree.root)


class _TreeWalk:
    """Goes through containers; text between them becomes paragraphs."""

    def __init__(self, writer: BlockWriter, *, in_content: bool) -> None:
        self._writer = writer
        self._in_content = in_content
        self._inline = _Inline(in_content=in_content)
        self._loose: list[str] = []

    def walk(self, root: LexborNode | None) -> None:
        waiting: list[tuple[LexborNode, int]] = [(root, 0)] if root is not None else []
        while waiting:
            node, closes = waiting.pop()
            if closes:
                self._flush()
                self._writer.close_headings(closes)
            elif node.tag == _TEXT:
                self._loose.append(node.text_content or "")
            elif node.tag and node.tag[0] not in "-!" and is_read(node, in_content=self._in_content):
                self._enter(node, waiting)
        self._flush()

    def _enter(self, node: LexborNode, waiting: list[tuple[LexborNode, int]]) -> None:
        tag = node.tag
        if tag not in _BREAKS_LINE:
            if tag == "br":
                self._loose.append("\n")
            else:
                waiting.extend((child, 0) for child in _list_children_backwards(node))
            return
        self._flush()
        if tag in _HEADINGS:
            self._writer.add_heading(_HEADINGS[tag], self._inline.collect(node))
        elif tag == "pre":
            self._writer.add_block(BlockKind.CODE, _Inline(in_content=True, keeps_blanks=True).collect(node))
        elif tag in _LISTS and not _is_frame(node):
            self._writer.add_block(BlockKind.LIST, _render_list(node, self._inline))
        elif tag == "table" and _is_table_of_values(node):
            self._writer.add_block(BlockKind.TABLE, _render_table(node, self._inline))
        elif tag == "dt" and "sig" in (node.attributes.get("class") or "").split():
            self._writer.add_heading(_DEFINITION_LEVEL + _count_definitions_around(node), self._inline.collect(node))
        else:
            self._enter_container(node, waiting)

    def _enter_container(self, node: LexborNode, waiting: list[tuple[LexborNode, int]]) -> None:
        closes = _DEFINITION_LEVEL + _count_definitions_around(node) if node.tag == "dl" else _DEFINITION_LEVEL + 99
        waiting.append((node, closes))
        waiting.extend((child, 0) for child in _list_children_backwards(node))

    def _flush(self) -> None:
        if self._loose:
            self._writer.add_block(BlockKind.PARAGRAPH, _collapse("".join(self._loose)))
            self._loose.clear()


class _Inline:
    """Collects the text that a visitor reads inside an element."""

    def __init__(self, *, in_content: bool, keeps_blanks: bool = False) -> None:
        self._in_content = in_content
        self._keeps_blanks = keeps_blanks

    def collect(self, root: LexborNode | None, *, skipped: frozenset[str] = frozenset()) -> str:
        """Return the text below ``root``, in lines where the page breaks it; elements ``skipped`` are left out."""
        parts: list[str] = []
        waiting: list[LexborNode | str] = list(_list_children_backwards(root)) if root is not None else []
        while waiting:
            node = waiting.pop()
            if isinstance(node, str):
                parts.append(node)
            elif node.tag == _TEXT:
                parts.append(node.text_content or "")
            elif node.tag == "br":
                parts.append("\n")
            elif node.tag and node.tag not in skipped and self._is_element_read(node):
                if node.tag in _BREAKS_LINE:
                    parts.append("\n")
                    waiting.append("\n")
                waiting.extend(_list_children_backwards(node))
        return "".join(parts) if self._keeps_blanks else _collapse("".join(parts))

    def _is_element_read(self, node: LexborNode) -> bool:
        return bool(node.tag) and node.tag[0] not in "-!" and is_read(node, in_content=self._in_content)  # type: ignore[index]


def _render_list(root: LexborNode, inline: _Inline) -> str:
    """Return the list in lines of Markdown; lists inside it are indented."""
    lines: list[str] = []
    waiting: list[tuple[LexborNode, int, str]] = _list_items(root, 0)
    while waiting:
        item, depth, mark = waiting.pop()
        text = inline.collect(item, skipped=frozenset(_LISTS)).strip()
        if text:
            lines.append(f"{'  ' * min(depth, 8)}{mark} " + " ".join(text.split()))
        for child in _list_children_backwards(item):
            if child.tag in _LISTS and is_read(child, in_content=True):
                waiting.extend(_list_items(child, depth + 1))
    return "\n".join(lines)


def _list_items(root: LexborNode, depth: int) -> list[tuple[LexborNode, int, str]]:
    """Return the items of a list, the last one first, with their marks."""
    items = [child for child in root.iter() if child.tag == "li" and is_read(child, in_content=True)]
    marks = [f"{number}." if root.tag == "ol" else "-" for number in range(1, len(items) + 1)]
    return [(item, depth, mark) for item, mark in zip(items, marks, strict=True)][::-1]


def _is_table_of_values(table: LexborNode) -> bool:
    return not _is_frame(table) and len(table.css("td, th")) > 1


def _is_frame(node: LexborNode) -> bool:
    found = node.css(_FRAMED)  # the node itself is among them, if it matches
    return any(one.mem_id != node.mem_id for one in found)


def _render_table(table: LexborNode, inline: _Inline) -> str:
    """Return the rows in Markdown, the first one as the header."""
    rows = [
        ["\\|".join(" ".join(inline.collect(cell).split()).split("|")) for cell in row.css("td, th")]
        for row in table.css("tr")
        if is_read(row, in_content=True)
    ]
    return render_rows(rows)


def render_rows(rows: list[list[str]]) -> str:
    """Return rows of cells as a table of Markdown. Rows without any text are left out."""
    lines = [f"| {_CELL_END.join(cells)} |" for cells in rows if any(cells)]
    if not lines:
        return ""
    width = max(map(len, rows))
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def _count_definitions_around(node: LexborNode) -> int:
    depth, parent = 0, node.parent
    while parent is not None and depth < 20:  # noqa: PLR2004  # deeper ones count as the twentieth
        depth += parent.tag == "dd"
        parent = parent.parent
    return depth


def _find_only(tree: LexborHTMLParser, tag: str) -> LexborNode | None:
    found = tree.css(tag)
    return found[0] if len(found) == 1 else None


def _list_children_backwards(node: LexborNode) -> list[LexborNode]:
    return list(node.iter(include_text=True))[::-1]


def _collapse(text: str) -> str:
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.split("\n"))))
